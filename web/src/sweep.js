/** The table of a sweep: a quantity over what varies, as curves, points or a map; how it spreads. */

import { list, table } from './accounts.js';
import { chart } from './charts.js';
import { append, element, select, style } from './dom.js';
import { number, quantity, shortened } from './words.js';

/**
 * @typedef {import('./data.js').Result} Result
 * @typedef {import('./data.js').Column} Column
 */

const MOST_CURVES = 8;
const BINS = 24;

/** A result whose rows are those of a plan. @param {Result} result */
export function isSweep(result) {
  return result.columns[0].name === 'row' && result.columns.some((c) => c.name === 'status');
}

/** Numbers that people of all kinds of colour vision tell apart, dark to bright (0 to 1). @param {number} x */
function shade(x) {
  const stops = [
    [0, 32, 76],
    [60, 77, 110],
    [124, 123, 120],
    [187, 175, 113],
    [255, 234, 70],
  ];
  const at = Math.min(0.9999, Math.max(0, x)) * (stops.length - 1);
  const [low, part] = [Math.floor(at), at % 1];
  const [a, b] = [stops[low], stops[low + 1]];
  return `rgb(${a.map((c, k) => Math.round(c + part * (b[k] - c))).join(' ')})`;
}

/** What varies, and what was kept of each row. @param {Result} result */
export function partsOf(result) {
  const status = result.columns.findIndex((c) => c.name === 'status');
  return {
    axes: result.columns.slice(1, status),
    kept: result.columns.slice(status + 1),
    status: result.columns[status].values,
  };
}

/** @param {Column} column @param {number} value */
const wordOf = (column, value) => column.texts?.[value] ?? number(value, 6);

/** The values of a column, each once, ascending. @param {Column} column */
const levels = (column) => [...new Set(column.values)].sort((a, b) => a - b);

/** @param {Column} column */
const labelOf = (column) =>
  column.unit && column.unit !== '1' ? `${column.name} / ${column.unit}` : column.name;

export class SweepView {
  /** @param {Result} result */
  constructor(result) {
    this.result = result;
    const { axes, kept, status } = partsOf(result);
    this.axes = axes;
    this.kept = kept.length ? kept : axes;
    this.status = status;
    this.levels = axes.map(levels);
    const cells = this.levels.reduce((product, l) => product * l.length, 1);
    this.grid = result.every === 1 && cells === result.rows;
    const changing = axes.flatMap((_, i) => (this.levels[i].length > 1 ? [i] : []));
    const numeric = changing.filter((i) => !axes[i].texts);
    this.quantity = 0;
    this.over = numeric[0] ?? changing[0] ?? 0;
    this.across = numeric[1] ?? -1; // of a map; -1: curves
    /** @type {number[]} the level at which an axis stands that is not drawn */
    this.held = axes.map(() => 0);
    this.chosen = -1; // row
    // whole motions that were kept: arrays [times][rows] beside that of their times
    this.series = result.arrays.time ? result.packed.filter((a) => a.name !== 'time') : [];
    this.record = 0;
    this.motions = element('div', {});
    this.controls = element('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Sweep' });
    this.host = element('div', { class: 'charts' });
    this.said = element('p', { role: 'status' });
    this.values = element('div', {});
    this.root = element('section', { class: 'sweep', 'aria-label': 'Sweep' });
    append(this.root, [this.controls, this.said, this.host, this.values]);
    this.addControls();
    this.paint();
  }

  addControls() {
    const names = (/** @type {Column[]} */ columns) =>
      columns.map((c, i) => /** @type {[string, string]} */ ([String(i), shortened(c.name, 60)]));
    const put = (
      /** @type {string} */ label,
      /** @type {[string, string][]} */ choices,
      /** @type {number} */ chosen,
      /** @type {(value: number) => void} */ choose,
    ) =>
      this.controls.append(
        element(
          'label',
          {},
          `${label} `,
          select(label, choices, String(chosen), (value) => {
            choose(Number(value));
            this.paint();
          }),
        ),
      );
    put('Quantity', names(this.kept), this.quantity, (i) => (this.quantity = i));
    put('Over', names(this.axes), this.over, (i) => (this.over = i));
    put(
      'Second axis',
      [['-1', 'none: curves'], ...names(this.axes)],
      this.across,
      (i) => (this.across = i),
    );
    if (this.series.length)
      put(
        'Series',
        this.series.map((a, i) => [String(i), shortened(a.name, 60)]),
        this.record,
        (i) => (this.record = i),
      );
    if (!this.grid) return;
    this.axes.forEach((axis, i) => {
      if (this.levels[i].length < 2) return;
      put(
        `At ${axis.name}`,
        this.levels[i].map((v, k) => [String(k), wordOf(axis, v)]),
        0,
        (k) => (this.held[i] = k),
      );
      const label = /** @type {HTMLElement} */ (this.controls.lastElementChild);
      label.dataset.axis = String(i);
    });
  }

  /** The rows that are done and have a number, in a grid those at the levels that are held. @param {number[]} drawn axes */
  rows(drawn) {
    const { values } = this.kept[this.quantity];
    const rows = [];
    for (let row = 0; row < this.result.rows; row++) {
      const at = this.axes.every(
        (axis, i) =>
          !this.grid || drawn.includes(i) || axis.values[row] === this.levels[i][this.held[i]],
      );
      if (at && this.status[row] === 0 && Number.isFinite(values[row])) rows.push(row);
    }
    return rows;
  }

  /** Draws what is chosen, in the colours of the theme. */
  paint() {
    const { grid, over, across } = this;
    const map = across >= 0 && across !== over;
    // where curves are drawn, those of the axis with the fewest values that fit stand side by side
    const family = grid && !map ? this.familyOf() : -1;
    const drawn = map ? [over, across] : [over, family];
    for (const label of this.controls.querySelectorAll('[data-axis]'))
      /** @type {HTMLElement} */ (label).hidden = drawn.includes(
        Number(/** @type {HTMLElement} */ (label).dataset.axis),
      );
    const rows = this.rows(drawn);
    const all = this.rows(this.axes.map((_, i) => i));
    this.host.replaceChildren();
    this.tell(all);
    if (rows.length === 0) return;
    if (map) this.host.append(this.map(rows));
    else this.host.append(this.curves(rows, family));
    const { values } = this.kept[this.quantity];
    if (all.some((row) => values[row] !== values[all[0]])) this.host.append(this.histogram(all));
    if (this.series.length) this.host.append(this.motions);
    this.paintMotions(rows);
  }

  /** A kept series of a row. @param {string} name @param {number} row */
  seriesOf(name, row) {
    const { arrays, rows } = this.result;
    return Array.from(
      { length: arrays[name].length / rows },
      (_, k) => arrays[name][k * rows + row],
    );
  }

  /** Curves over time of some rows, spread over all of them, and of the chosen one. @param {number[]} rows */
  paintMotions(rows) {
    if (!this.series.length) return;
    const { name, unit } = this.series[this.record];
    const step = Math.max(1, (rows.length - 1) / (MOST_CURVES - 1));
    const some = Array.from(
      { length: Math.min(MOST_CURVES, rows.length) },
      (_, i) => rows[Math.round(i * step)],
    );
    if (rows.includes(this.chosen) && !some.includes(this.chosen)) some[0] = this.chosen;
    const changing = this.axes.filter((_, i) => this.levels[i].length > 1);
    this.motions.replaceChildren(
      chart(`${name} over time of ${some.length} of ${rows.length} rows`, {
        x: 'time / s',
        y: unit && unit !== '1' ? `${name} / ${unit}` : name,
        at: this.seriesOf('time', some[0]),
        curves: some.map((row) => ({
          label: changing
            .map((axis) => `${axis.name} = ${wordOf(axis, axis.values[row])}`)
            .join(', '),
          values: this.seriesOf(name, row),
        })),
        height: 300,
      }).root,
    );
  }

  familyOf() {
    const fits = (/** @type {number} */ i) =>
      i !== this.over && this.levels[i].length > 1 && this.levels[i].length <= MOST_CURVES;
    return this.axes.findIndex((_, i) => fits(i));
  }

  /** @param {number[]} rows */
  tell(rows) {
    const column = this.kept[this.quantity];
    const values = rows.map((row) => column.values[row]);
    const failed = this.status.reduce((n, s) => n + (s > 0 ? 1 : 0), 0);
    const missing = this.status.reduce((n, s) => n + (s < 0 ? 1 : 0), 0);
    const parts = [`${this.result.all} rows`];
    if (failed) parts.push(`${failed} of them failed`);
    if (missing) parts.push(`${missing} were not run`);
    if (values.length) {
      const mean = values.reduce((a, x) => a + x, 0) / values.length;
      const spread = Math.sqrt(
        values.reduce((a, x) => a + (x - mean) ** 2, 0) / Math.max(1, values.length - 1),
      );
      const [low, high] = values.reduce(
        ([a, b], x) => [Math.min(a, x), Math.max(b, x)],
        [Infinity, -Infinity],
      );
      parts.push(
        `${shortened(column.name)} from ${quantity(low, column.unit, 6)} to ${quantity(high, column.unit, 6)}, mean ${number(mean, 6)}, deviation ${number(spread, 5)}`,
      );
    } else parts.push(`no row has a number of ${shortened(column.name)}`);
    this.said.textContent = `${parts.join('; ')}.`;
  }

  /** @param {number[]} rows @param {number} family the axis whose levels are curves, -1: none */
  curves(rows, family) {
    const axis = this.axes[this.over];
    const column = this.kept[this.quantity];
    const groups = family < 0 ? [NaN] : this.levels[family];
    const places = [...new Set(rows.map((row) => axis.values[row]))].sort((a, b) => a - b);
    const apart = this.grid || places.length === rows.length;
    const sorted = [...rows].sort((a, b) => axis.values[a] - axis.values[b]);
    const at = apart ? places : sorted.map((row) => axis.values[row]);
    const shown = groups.map((level) => {
      const of = sorted.filter((row) => family < 0 || this.axes[family].values[row] === level);
      const values = apart
        ? at.map((x) => {
            const row = of.find((r) => axis.values[r] === x);
            return row === undefined ? NaN : column.values[row];
          })
        : of.map((row) => column.values[row]);
      const label =
        family < 0 ? '' : `${this.axes[family].name} = ${wordOf(this.axes[family], level)}`;
      return { label, values };
    });
    return chart(`${column.name} over ${axis.name}`, {
      x: labelOf(axis),
      y: labelOf(column),
      at,
      curves: shown,
      scattered: !this.grid,
      words: axis.texts,
      height: 300,
    }).root;
  }

  /** Cells of a grid, or points of samples, in shades. @param {number[]} rows */
  map(rows) {
    const [x, y, column] = [this.axes[this.over], this.axes[this.across], this.kept[this.quantity]];
    const canvas = element('canvas', {
      class: 'map',
      width: 640,
      height: 420,
      tabindex: 0,
      role: 'img',
      'aria-label': `${column.name} over ${x.name} and ${y.name}; arrow keys choose a row`,
    });
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const values = rows.map((row) => column.values[row]);
    const low = values.reduce((a, v) => Math.min(a, v), Infinity);
    const high = values.reduce((a, v) => Math.max(a, v), -Infinity);
    const box = { left: 96, top: 10, width: 430, height: 360 };
    const place = (/** @type {Column} */ axis, /** @type {number} */ row) => {
      const of = this.levels[this.axes.indexOf(axis)];
      if (this.grid) return (of.indexOf(axis.values[row]) + 0.5) / of.length;
      return of.length > 1
        ? 0.02 + (0.96 * (axis.values[row] - of[0])) / (of[of.length - 1] - of[0])
        : 0.5;
    };
    const cell = this.grid
      ? [x, y].map(
          (axis, k) => (k ? box.height : box.width) / this.levels[this.axes.indexOf(axis)].length,
        )
      : [6, 6];
    const spots = rows.map((row) => ({
      row,
      px: box.left + box.width * place(x, row),
      py: box.top + box.height * (1 - place(y, row)),
    }));
    const draw = () => {
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.font = '13px system-ui, sans-serif';
      for (const { row, px, py } of spots) {
        const part = high > low ? (column.values[row] - low) / (high - low) : 0.5;
        context.fillStyle = shade(part);
        context.fillRect(px - cell[0] / 2, py - cell[1] / 2, cell[0] + 0.5, cell[1] + 0.5);
        if (row !== this.chosen) continue;
        context.strokeStyle = style('--accent');
        context.lineWidth = 3;
        context.strokeRect(px - cell[0] / 2, py - cell[1] / 2, cell[0], cell[1]);
      }
      context.fillStyle = context.strokeStyle = style('--text');
      context.lineWidth = 1;
      context.strokeRect(box.left, box.top, box.width, box.height);
      this.ticks(context, box, x, y);
      for (let i = 0; i < 100; i++) {
        context.fillStyle = shade(1 - i / 99);
        context.fillRect(544, box.top + (i * box.height) / 100, 16, box.height / 100 + 1);
      }
      context.fillStyle = style('--text');
      context.textAlign = 'left';
      context.fillText(number(high, 4), 566, box.top + 10);
      context.fillText(number(low, 4), 566, box.top + box.height);
    };
    const choose = (/** @type {number} */ row) => {
      this.chosen = row;
      draw();
      this.show(row);
      this.paintMotions(rows);
    };
    canvas.addEventListener('click', (event) => {
      const bounds = canvas.getBoundingClientRect();
      const [cx, cy] = [
        ((event.clientX - bounds.left) * canvas.width) / bounds.width,
        ((event.clientY - bounds.top) * canvas.height) / bounds.height,
      ];
      const near = spots.reduce((a, b) =>
        Math.hypot(b.px - cx, b.py - cy) < Math.hypot(a.px - cx, a.py - cy) ? b : a,
      );
      choose(near.row);
    });
    canvas.addEventListener('keydown', (event) => {
      const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
        event.key
      ];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const now = spots.find((s) => s.row === this.chosen) ?? spots[0];
      const ahead = spots.filter(
        (s) => (s.px - now.px) * step[0] + (s.py - now.py) * step[1] > 1e-6,
      );
      const far = (/** @type {typeof now} */ s) =>
        Math.hypot((s.px - now.px) * (step[0] ? 1 : 50), (s.py - now.py) * (step[1] ? 1 : 50));
      if (ahead.length) choose(ahead.reduce((a, b) => (far(b) < far(a) ? b : a)).row);
    });
    draw();
    return element(
      'figure',
      { class: 'chart' },
      canvas,
      element(
        'figcaption',
        { class: 'note' },
        element('bdi', {}, `${labelOf(column)}: a click, or an arrow key, shows a row.`),
      ),
    );
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {{left: number, top: number, width: number, height: number}} box
   * @param {Column} x
   * @param {Column} y
   */
  ticks(context, box, x, y) {
    // of a grid some of its levels, of samples both ends and the middle
    const marks = (/** @type {Column} */ axis) => {
      const all = this.levels[this.axes.indexOf(axis)];
      const [low, high] = [all[0], all[all.length - 1]];
      if (!this.grid)
        return [low, (low + high) / 2, high].map((value, i) => ({
          text: wordOf(axis, value),
          part: 0.02 + 0.48 * i,
        }));
      const some = new Set([0, 0.25, 0.5, 0.75, 1].map((p) => Math.round(p * (all.length - 1))));
      return [...some].map((i) => ({ text: wordOf(axis, all[i]), part: (i + 0.5) / all.length }));
    };
    context.textAlign = 'center';
    for (const { text, part } of marks(x))
      context.fillText(text, box.left + box.width * part, box.top + box.height + 16);
    context.fillText(labelOf(x), box.left + box.width / 2, box.top + box.height + 36);
    context.textAlign = 'right';
    for (const { text, part } of marks(y))
      context.fillText(text, box.left - 6, box.top + box.height * (1 - part) + 4);
    context.save();
    context.translate(14, box.top + box.height / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = 'center';
    context.fillText(labelOf(y), 0, 0);
    context.restore();
  }

  /** All numbers of a row. @param {number} row */
  show(row) {
    this.values.replaceChildren(
      table(
        'Chosen row',
        ['', `row ${this.result.columns[0].values[row]}`],
        [...this.axes, ...this.kept].map((c) => [
          c.name,
          c.texts ? wordOf(c, c.values[row]) : quantity(c.values[row], c.unit, 9),
        ]),
      ),
    );
  }

  /** How many rows have which values. @param {number[]} rows */
  histogram(rows) {
    const column = this.kept[this.quantity];
    const values = rows.map((row) => column.values[row]);
    const low = values.reduce((a, v) => Math.min(a, v), Infinity);
    const high = values.reduce((a, v) => Math.max(a, v), -Infinity);
    const counts = new Array(BINS).fill(0);
    for (const v of values)
      counts[Math.min(BINS - 1, Math.floor((BINS * (v - low)) / (high - low)))]++;
    // corners of the bars
    const at = counts.flatMap((_, i) => [
      low + (i * (high - low)) / BINS,
      low + ((i + 1 - 1e-6) * (high - low)) / BINS,
    ]);
    return chart(`How often ${column.name} has which value`, {
      x: labelOf(column),
      y: 'rows',
      at,
      curves: [{ label: '', values: counts.flatMap((n) => [n, n]) }],
      filled: true,
      height: 300,
    }).root;
  }
}

/** The rows that failed, with what was said. @param {Result} result */
export function failuresTab(result) {
  const { axes, status } = partsOf(result);
  const words = new Map(result.failures ?? []);
  const rows = [...status.keys()].filter((i) => status[i] > 0).slice(0, 1000);
  const root = element('div', {});
  if (result.format === 'CSV')
    root.append(
      list([
        `What went wrong stands in ${result.file.replace(/\.csv$/, '')}.failures.csv; a page of the table in NetCDF shows it.`,
      ]),
    );
  root.append(
    table(
      'Failures',
      ['row', ...axes.map((c) => c.name), 'status', 'message'],
      rows.map((i) => [
        String(result.columns[0].values[i]),
        ...axes.map((c) => wordOf(c, c.values[i])),
        String(status[i]),
        words.get(result.columns[0].values[i]) ?? '',
      ]),
    ),
  );
  return root;
}
