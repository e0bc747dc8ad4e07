/** Curves of the records, with one cursor for all and for the animation. */

import uPlot from 'uplot';

import { curves, dashes } from './colors.js';
import { interpolate, nearestRow, rowAt } from './data.js';
import { append, button, download, element, select, style } from './dom.js';
import { derivative, family, fileName, number, shortened } from './words.js';

/**
 * @typedef {import('./data.js').Result} Result
 * @typedef {import('./data.js').Column} Column
 * @typedef {{name: string, unit: string, of: {result: number, column: Column}[]}} Record
 *   columns of one name in all results
 * @typedef {{name: string, label: string, unit: string, color: number, dash: number[],
 *   result: number, time: Float64Array, values: Float64Array, low?: Float64Array,
 *   high?: Float64Array}} Curve
 */

const FIRST_PANELS = 4;

/** @param {string} theme @param {number} i */
const colorOf = (theme, i) => {
  const colors = theme === 'dark' ? curves.dark : curves.light;
  return colors[i % colors.length];
};

/**
 * Records of all results by name: those that several results have are laid over each other.
 * @param {Result[]} results
 * @returns {Map<string, Record>}
 */
export function recordsOf(results) {
  /** @type {Map<string, Record>} */
  const records = new Map();
  results.forEach((result, i) => {
    for (const column of [...result.columns.slice(1), ...result.own]) {
      const record = records.get(column.name) ?? { name: column.name, unit: column.unit, of: [] };
      record.unit ||= column.unit;
      record.of.push({ result: i, column });
      records.set(column.name, record);
    }
  });
  return records;
}

/** One plot: some records over time. */
class Panel {
  /**
   * @param {Plots} plots
   * @param {string} title
   * @param {string[]} names
   */
  constructor(plots, title, names) {
    this.plots = plots;
    this.title = title;
    this.names = names;
    this.difference = false;
    this.height = 200;
    this.host = element('div', { class: 'curves' });
    this.line = element('div', { class: 'now' });
    this.legend = element('ul', {
      class: 'legend',
      'aria-label': `Values of ${title} at the cursor`,
    });
    this.heading = element('h3', { title }, shortened(title));
    this.tools = element('div', { class: 'tools' });
    this.root = element('section', { class: 'panel', 'aria-label': `Plot of ${title}` });
    append(this.root, [element('header', {}, this.heading, this.tools), this.host, this.legend]);
    this.addTools();
    this.build();
  }

  addTools() {
    const { plots } = this;
    const others = [...plots.records.values()].map(
      (r) => /** @type {[string, string]} */ ([r.name, shortened(r.name, 60)]),
    );
    const add = select(
      `Add a record to the plot of ${this.title}`,
      [['', '+ record'], ...others],
      '',
      (name) => {
        add.value = '';
        if (name && !this.names.includes(name)) this.names.push(name);
        this.build();
      },
    );
    this.tools.append(add);
    if (plots.results.length > 1) {
      const toggle = button(
        `Difference to the first result in the plot of ${this.title}`,
        () => {
          this.difference = !this.difference;
          toggle.setAttribute('aria-pressed', String(this.difference));
          this.build();
        },
        { text: 'Δ', pressed: false },
      );
      this.tools.append(toggle);
    }
    this.tools.append(
      button(`Show all of the plot of ${this.title}`, () => this.whole(), { drawing: 'fit' }),
      button(`Save the plot of ${this.title} as PNG`, () => this.savePicture(), { text: 'PNG' }),
      button(`Save the numbers of the plot of ${this.title} as CSV`, () => this.saveNumbers(), {
        text: 'CSV',
      }),
      button(`Close the plot of ${this.title}`, () => plots.remove(this), { text: '×' }),
    );
  }

  /** The curves: name, unit, colour, dash, time and values of each. */
  curves() {
    const { plots } = this;
    /** @type {Curve[]} */
    const made = [];
    const first = plots.results[0];
    this.names.forEach((name, k) => {
      const record = plots.records.get(name);
      for (const { result, column } of record?.of ?? []) {
        if (!plots.shown(result)) continue;
        const own = plots.results[result];
        const label = plots.results.length > 1 ? `${name} · ${plots.labels[result]}` : name;
        const common = {
          name,
          label,
          unit: column.unit,
          color: k,
          dash: dashes[result % dashes.length],
          result,
        };
        if (!this.difference)
          made.push({
            ...common,
            time: own.first,
            values: column.values,
            low: column.low,
            high: column.high,
          });
        else if (result > 0 && record?.of[0].result === 0) {
          const there = interpolate(own.first, column.values, first.first);
          const here = record.of[0].column.values;
          made.push({
            ...common,
            label: `${label} − ${plots.labels[0]}`,
            time: first.first,
            values: there.map((x, i) => x - here[i]),
          });
        }
      }
    });
    return made;
  }

  build() {
    const zoomed = this.plot && this.plots.zoom;
    this.plot?.destroy();
    this.shown = this.curves();
    const { theme } = this.plots;
    const tables = [];
    /** @type {uPlot.Series[]} */
    const series = [{ label: 'time' }];
    /** @type {uPlot.Band[]} */
    const bands = [];
    for (const curve of this.shown) {
      const color = colorOf(theme, curve.color);
      const values = [curve.values];
      const common = { stroke: color, dash: curve.dash, spanGaps: true, points: { show: false } };
      series.push({ ...common, label: curve.label, width: 1.5 });
      if (curve.low && curve.high) {
        values.push(curve.high, curve.low);
        bands.push({ series: [series.length, series.length + 1], fill: `${color}55` });
        for (const end of ['highest', 'lowest'])
          series.push({ ...common, label: `${curve.label}, ${end}`, width: 0.5 });
      }
      tables.push(
        /** @type {uPlot.AlignedData} */ (
          [curve.time, ...values].map((v) => Array.from(v, finite))
        ),
      );
    }
    const data =
      tables.length > 1 && !sameTimes(this.shown) ? uPlot.join(tables) : together(tables);
    const units = [...new Set(this.shown.map((c) => c.unit).filter((u) => u && u !== '1'))];
    const axis = {
      stroke: style('--text'),
      grid: { stroke: style('--grid'), width: 1 },
      ticks: { stroke: style('--grid') },
      font: '12px system-ui, sans-serif',
    };
    this.plot = new uPlot(
      {
        width: Math.max(160, this.host.clientWidth || 400),
        height: this.height,
        legend: { show: false },
        series,
        bands,
        scales: { x: { time: false } },
        axes: [
          {
            ...axis,
            label: `${this.plots.results[0].columns[0].name} / ${this.plots.results[0].columns[0].unit || '1'}`,
            labelSize: 18,
            size: 34,
            values: (_, ticks) => ticks.map((t) => number(t, 6)),
            labelFont: '12px system-ui, sans-serif',
          },
          {
            ...axis,
            label: units.join(', '),
            labelSize: units.length ? 18 : 0,
            size: 62,
            values: (_, ticks) => ticks.map((t) => number(t, 5)),
            labelFont: '12px system-ui, sans-serif',
          },
        ],
        cursor: {
          sync: { key: 'nutate' },
          drag: { x: true, y: true, uni: 40, setScale: true },
          bind: { dblclick: () => () => (this.plots.whole(), null) },
        },
        hooks: {
          setScale: [(plot, key) => key === 'x' && this.plots.zoomed(plot)],
          draw: [(plot) => this.drawEvents(plot), () => this.move()],
        },
      },
      data,
      this.host,
    );
    this.plot.over.append(this.line);
    this.plot.over.addEventListener('click', (event) => {
      if (this.plot && this.plot.select.width === 0)
        this.plots.player.seek(this.plot.posToVal(event.offsetX, 'x'));
    });
    this.plot.over.addEventListener('pointermove', (event) => {
      if (this.plot && event.pointerType === 'touch')
        this.plots.player.seek(this.plot.posToVal(event.offsetX, 'x'));
    });
    if (zoomed) this.plot.setScale('x', zoomed);
    this.writeLegend();
    this.move();
  }

  /** Thin lines at the times of events. @param {uPlot} plot */
  drawEvents(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = style('--mark');
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    for (const t of this.plots.events) {
      const x = plot.valToPos(t, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  }

  writeLegend() {
    this.legend.replaceChildren();
    this.values = (this.shown ?? []).map((curve) => {
      const key = element('span', { class: 'key', 'aria-hidden': 'true' });
      key.style.borderTopColor = colorOf(this.plots.theme, curve.color);
      key.style.borderTopStyle = curve.dash.length ? 'dashed' : 'solid';
      const value = element('output', {});
      this.legend.append(
        element(
          'li',
          { title: curve.label },
          key,
          element('bdi', {}, shortened(curve.label, 48)),
          ' ',
          value,
          button(`Take ${curve.label} out of the plot`, () => this.take(curve.name), { text: '×' }),
        ),
      );
      return value;
    });
  }

  /** @param {string} name of a record that is no longer shown */
  take(name) {
    this.names = this.names.filter((n) => n !== name);
    if (this.names.length === 0) this.plots.remove(this);
    else this.build();
  }

  /** The cursor to the present time. */
  move() {
    const { plot } = this;
    if (!plot) return;
    const t = this.plots.player.time;
    const x = plot.valToPos(t, 'x');
    const inside = x >= 0 && x <= plot.over.clientWidth;
    this.line.hidden = !inside;
    if (inside) this.line.style.transform = `translateX(${x}px)`;
    this.shown?.forEach((curve, i) => {
      const value = curve.values[nearestRow(curve.time, t)];
      const text = Number.isFinite(value)
        ? `${number(value, 9)} ${curve.unit === '1' ? '' : curve.unit}`
        : '–';
      const output = this.values?.[i];
      if (output && output.textContent !== text) output.textContent = text;
    });
  }

  whole() {
    this.plots.whole();
    if (this.plot) this.plot.setData(this.plot.data, true);
  }

  resize() {
    const width = this.host.clientWidth;
    if (this.plot && width > 0 && Math.abs(width - this.plot.width) > 1)
      this.plot.setSize({ width, height: this.height });
  }

  savePicture() {
    const { plot } = this;
    if (!plot) return;
    const from = plot.ctx.canvas;
    const to = document.createElement('canvas');
    const head = 26 * uPlot.pxRatio;
    const lines = this.shown?.length ?? 0;
    [to.width, to.height] = [from.width, from.height + head * (lines + 1)];
    const context = to.getContext('2d');
    if (!context) return;
    context.fillStyle = style('--canvas');
    context.fillRect(0, 0, to.width, to.height);
    context.font = `${14 * uPlot.pxRatio}px system-ui, sans-serif`;
    context.fillStyle = style('--text');
    context.fillText(this.title, 8, 0.7 * head);
    this.shown?.forEach((curve, i) => {
      context.fillStyle = colorOf(this.plots.theme, curve.color);
      context.fillText(`— ${curve.label}`, 8, head * (i + 1.7));
    });
    context.drawImage(from, 0, head * (lines + 1));
    to.toBlob((blob) => blob && download(`${fileName(this.title)}.png`, blob));
  }

  saveNumbers() {
    download(`${fileName(this.title)}.csv`, new Blob([this.csv()], { type: 'text/csv' }));
  }

  /** The shown records as CSV: time and columns of each result. */
  csv() {
    const quoted = (/** @type {string} */ name) =>
      /[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
    const all = this.shown ?? [];
    const times = [...new Set(all.map((c) => c.time))];
    const heads = times.flatMap((time, i) => [
      times.length > 1 ? `time (${this.plots.labels[i] ?? i + 1})` : 'time',
      ...all.filter((c) => c.time === time).map((c) => c.label),
    ]);
    const lines = [heads.map(quoted).join(',')];
    const rows = Math.max(0, ...times.map((t) => t.length));
    for (let row = 0; row < rows; row++)
      lines.push(
        times
          .flatMap((time) => [time, ...all.filter((c) => c.time === time).map((c) => c.values)])
          .map((values) => (row < values.length && Number.isFinite(values[row]) ? values[row] : ''))
          .join(','),
      );
    return `${lines.join('\n')}\n`;
  }
}

/** @param {number} x */
const finite = (x) => (Number.isFinite(x) ? x : null);

/** @param {{time: Float64Array}[]} all */
function sameTimes(all) {
  return all.every((c) => c.time === all[0].time);
}

/** @param {any[][]} tables with one time */
function together(tables) {
  const data = /** @type {any} */ ([tables[0]?.[0] ?? []]);
  for (const table of tables) data.push(...table.slice(1));
  return data;
}

export class Plots {
  /**
   * @param {Result[]} results
   * @param {string[]} labels of the results
   * @param {import('./player.js').Player} player
   */
  constructor(results, labels, player) {
    this.results = results;
    this.labels = labels;
    this.player = player;
    this.records = recordsOf(results);
    this.events = (results[0].events?.list ?? []).map((e) => e.time).slice(0, 1000);
    this.theme = 'light';
    /** @type {Set<number>} */
    this.hiddenResults = new Set();
    /** @type {Panel[]} */
    this.panels = [];
    /** @type {{min: number, max: number} | null} */
    this.zoom = null;
    this.list = element('div', { class: 'panels' });
    this.root = element('div', { class: 'plots' }, this.list);
    this.families = families(this.records);
    this.root.append(this.adder());
    player.listen(() => this.move());
    new ResizeObserver(() => this.panels.forEach((panel) => panel.resize())).observe(this.list);
  }

  /** @param {number} result */
  shown(result) {
    return !this.hiddenResults.has(result);
  }

  adder() {
    const choices = [...this.families.keys()].map(
      (f) => /** @type {[string, string]} */ ([f, shortened(f, 60)]),
    );
    const add = select('Add a plot', [['', 'Add a plot of …'], ...choices], '', (name) => {
      add.value = '';
      if (name) this.open(name);
    });
    return add;
  }

  /** The first few plots. */
  begin() {
    const recorded = new Set(
      this.results.flatMap((r) => r.columns.slice(1).map((c) => family(c.name))),
    );
    const own = [...this.families.keys()].filter((f) => !derivative(f) && recorded.has(f));
    const rest = [...this.families.keys()].filter((f) => !derivative(f) && !recorded.has(f));
    for (const name of [...own, ...rest].slice(0, own.length ? FIRST_PANELS : 1)) this.open(name);
  }

  /**
   * A plot of columns that a result has besides its records.
   * @param {string} title
   * @param {Column[]} columns
   * @param {number} result
   */
  offer(title, columns, result) {
    for (const column of columns) {
      const { name, unit } = column;
      const record = this.records.get(name) ?? { name, unit, of: [] };
      if (!record.of.some((o) => o.result === result)) record.of.push({ result, column });
      this.records.set(name, record);
    }
    const panel = this.panels.find((p) => p.title === title);
    if (panel) panel.root.scrollIntoView({ block: 'nearest' });
    else
      this.add(
        title,
        columns.map((c) => c.name),
      );
  }

  /** @param {string} name of a family of records */
  open(name) {
    const names = this.families.get(name);
    if (!names) return;
    const panel = this.panels.find((p) => p.title === name);
    if (panel) panel.root.scrollIntoView({ block: 'nearest' });
    else this.add(name, names);
  }

  /**
   * @param {string} title
   * @param {string[]} names
   */
  add(title, names) {
    const panel = new Panel(this, title, [...names]);
    this.panels.push(panel);
    this.list.append(panel.root);
    panel.resize();
    return panel;
  }

  /** @param {Panel} panel */
  remove(panel) {
    panel.plot?.destroy();
    panel.root.remove();
    this.panels = this.panels.filter((p) => p !== panel);
  }

  move() {
    for (const panel of this.panels) panel.move();
  }

  /** All panels show the same times. @param {uPlot} plot */
  zoomed(plot) {
    const { min, max } = plot.scales.x;
    if (this.busy || min === undefined || max === undefined || min === null || max === null) return;
    const times = this.results.flatMap((r) => [r.first[0], r.first[r.rows - 1]]);
    const whole = min <= Math.min(...times) && max >= Math.max(...times);
    this.zoom = whole ? null : { min, max };
    this.busy = true;
    for (const panel of this.panels)
      if (panel.plot && panel.plot !== plot) panel.plot.setScale('x', { min, max });
    this.busy = false;
  }

  whole() {
    const times = this.results.flatMap((r) => [r.first[0], r.first[r.rows - 1]]);
    this.zoom = null;
    for (const panel of this.panels)
      panel.plot?.setScale('x', { min: Math.min(...times), max: Math.max(...times) });
  }

  /** @param {string} theme */
  paint(theme) {
    this.theme = theme;
    for (const panel of this.panels) panel.build();
  }

  /** @param {number} result @param {boolean} shown */
  show(result, shown) {
    if (shown) this.hiddenResults.delete(result);
    else this.hiddenResults.add(result);
    for (const panel of this.panels) panel.build();
  }
}

/**
 * Records that belong together: components of one quantity.
 * @param {Map<string, Record>} records
 * @returns {Map<string, string[]>}
 */
function families(records) {
  /** @type {Map<string, string[]>} */
  const made = new Map();
  for (const name of records.keys()) {
    const d = derivative(name);
    const title = d ? `d(${family(d.of)})/d(${d.parameter})` : family(name);
    made.set(title, [...(made.get(title) ?? []), name]);
  }
  return made;
}

/**
 * The values of a record at a time, for the tree.
 * @param {Result} result
 * @param {Column} column
 * @param {number} t
 */
export function valueAt(result, column, t) {
  return column.values[rowAt(result.first, t)];
}
