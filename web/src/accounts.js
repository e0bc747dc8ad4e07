/** The tabs: summary, accuracy, derivatives, tables beside the result, the model. */

import { nearestRow } from './data.js';
import { append, button, element } from './dom.js';
import { sceneOf } from './mechanism.js';
import { isSweep } from './sweep.js';
import { derivative, number, quantity, shortened } from './words.js';

/**
 * @typedef {import('./data.js').Result} Result
 * @typedef {import('./plots.js').Plots} Plots
 */

/**
 * A table of words and values.
 * @param {string} label
 * @param {string[]} heads
 * @param {(string | number | Node)[][]} rows
 */
export function table(label, heads, rows) {
  const head = element('tr', {});
  for (const text of heads) head.append(element('th', { scope: 'col' }, element('bdi', {}, text)));
  const body = element('tbody', {});
  for (const row of rows) {
    const line = element('tr', {});
    row.forEach((cell, i) =>
      line.append(
        i === 0
          ? element(
              'th',
              { scope: 'row' },
              cell instanceof Node ? cell : element('bdi', {}, String(cell)),
            )
          : element('td', {}, cell instanceof Node ? cell : element('bdi', {}, String(cell))),
      ),
    );
    body.append(line);
  }
  return element(
    'div',
    { class: 'scroll' },
    element('table', { 'aria-label': label }, element('thead', {}, head), body),
  );
}

/** @param {string | undefined} text */
const asNumber = (text) => (text === undefined ? NaN : Number.parseFloat(text));

/** What is missing of a result or is shown in part, in words. @param {Result} result @returns {string[]} */
export function notices(result) {
  const said = [];
  const { attributes, account, file } = result;
  const end = asNumber(attributes.end);
  const last = result.first[result.rows - 1];
  if (account.problem) said.push(`${account.problem}. What it had computed by then is shown.`);
  else if (!account.ended && Number.isFinite(end) && last < end - 1e-9 * Math.max(1, Math.abs(end)))
    said.push(
      result.events?.list.at(-1)?.time === last
        ? `${file} ends at ${number(last)} s with event ${result.events.list.at(-1)?.cells[1]}, its run was to end at ${number(end)} s.`
        : `${file} is not finished: it ends at ${number(last)} s, its run at ${number(end)} s.`,
    );
  if (result.format === 'CSV' && isSweep(result))
    said.push(`${file} is CSV: it knows neither units nor how it was made.`);
  else if (result.format === 'CSV')
    said.push(`${file} is CSV: it knows neither units, nor the motion, nor how it was made.`);
  else if (!isSweep(result)) {
    if (attributes.result_version !== '1')
      said.push(
        `${file} is of another version of nutate (results of version ${attributes.result_version ?? 'unknown'}).`,
      );
    if (!result.poses)
      said.push(`${file} holds no poses of bodies, so that no motion can be shown.`);
    else if (!sceneOf(result))
      said.push(`${file} does not say what its bodies look like: boxes stand for them.`);
    else if (!attributes.scene)
      said.push(`${file} does not say what its bodies look like: they are drawn by its model.`);
    if (!attributes.model) said.push(`${file} does not hold the text of its model.`);
  }
  if (account.ended) said.push(`The run was ended by event ${account.ended}`);
  if (account.warning) said.push(account.warning);
  for (const table of result.missing) said.push(`${table.file} is not shown: ${table.why}.`);
  if (result.stray)
    said.push(
      `The table of events beside ${file} is of another run: its times are not in ${file}.`,
    );
  if (result.every > 1)
    said.push(
      isSweep(result)
        ? `Of ${result.all} rows every ${result.every}th is shown.`
        : `Of ${result.all} rows every ${result.every}th is shown; bands reach from the smallest to the largest value of the rows between.`,
    );
  const broken = isSweep(result)
    ? []
    : result.columns.filter((c) => c.values.some((x) => !Number.isFinite(x)));
  if (broken.length)
    said.push(
      `${file} holds values that are no numbers, in ${broken.map((c) => shortened(c.name)).join(', ')}: curves are left open there.`,
    );
  const names = new Set();
  for (const column of result.columns) {
    if (names.has(column.name))
      said.push(`${file} has two columns named ${shortened(column.name)}.`);
    names.add(column.name);
  }
  return said;
}

/** @param {Result} result @returns {[string, string][]} */
function facts(result) {
  const { attributes: a, account } = result;
  /** @type {[string, string | undefined][]} */
  const all = [
    ['File', result.account.kept === '0' ? 'not kept' : result.file],
    ['Title', a.title],
    ['Model', a.model_file],
    ['Method', a.method],
    ['Options', a.method_options],
    ['Frame', a.frame],
    ['Step', a.step && quantity(asNumber(a.step), 's')],
    ['Steps', account.steps ?? last(result, 'run.steps', 1)],
    ['Rejected', account.rejected ?? last(result, 'run.steps', 2)],
    ['Iterations', account.iterations ?? last(result, 'run.steps', 3)],
    ['Factorisations', account.factorisations],
    ['Evaluations', account.evaluations],
    ['Time on the clock', account.seconds && `${account.seconds} s`],
    ['Rows', `${result.all}${result.every > 1 ? `, ${result.rows} shown` : ''}`],
    [
      'From, to',
      `${number(result.first[0])} to ${quantity(result.first[result.rows - 1], result.columns[0].unit)}`,
    ],
    ['Command', a.history],
    ['Made by', a.source && `${a.source} ${a.nutate_version ?? ''}`],
    ['SHA-256 of the model', a.model_sha256],
    ['Machines', a.machines?.trim()],
    ['Period', a.period],
    ['Stability', a.stability],
  ];
  const rest = Object.keys(a).filter((name) => /^advance of /.test(name));
  for (const name of rest) all.push([name, a[name]]);
  return /** @type {[string, string][]} */ (all.filter(([, value]) => value));
}

/**
 * The last number of an array of the run, as a text.
 * @param {Result} result
 * @param {string} array
 * @param {number} item
 */
function last(result, array, item) {
  const values = result.arrays[array];
  return values ? number(values[(item + 1) * result.rows - 1], 12) : undefined;
}

/** @param {Result[]} results @param {string[]} labels */
export function summary(results, labels) {
  const root = element('div', {});
  const words = results.map(facts);
  const names = [...new Set(words.flatMap((w) => w.map(([name]) => name)))];
  root.append(
    table(
      'Summary',
      ['', ...labels],
      names.map((name) => [name, ...words.map((w) => w.find(([n]) => n === name)?.[1] ?? '–')]),
    ),
  );
  const [first] = results;
  const position = first.packed.find((p) => p.name === 'bodies.position');
  const orientation = first.packed.find((p) => p.name === 'bodies.orientation');
  if (position && orientation)
    root.append(
      element(
        'p',
        { class: 'note' },
        `In this page places are rounded to ${quantity(position.quantum / 2, 'm', 3)}, 1e-4 of the model's size between two steps, and rotations to 1e-4 rad. `,
        first.exact
          ? 'Plots hold the numbers of the result as they are.'
          : 'Plots hold the numbers of the result rounded to 24 bits (7 digits).',
        first.account.kept === '0'
          ? ' The full data were not kept.'
          : ` The full data are in ${first.file}.`,
      ),
    );
  return root;
}

/**
 * What the account of rows says of a quantity: at the end, or the largest by size.
 * @param {Result} r
 * @param {string} name
 * @param {boolean} [largest]
 */
function ofRows(r, name, largest = false) {
  const values = [...r.columns, ...r.own].find((c) => c.name === name)?.values;
  if (!values) return undefined;
  return largest
    ? values.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
    : values[values.length - 1];
}

/**
 * A number of the run's account, else of its rows, with its unit.
 * @param {string | undefined} told
 * @param {number | undefined} seen
 * @param {string} unit
 * @param {number} [digits]
 */
function first(told, seen, unit, digits) {
  const x = told === undefined ? seen : asNumber(told);
  return x === undefined || !Number.isFinite(x) ? undefined : quantity(x, unit, digits);
}

/** What is known of errors. @param {Result[]} results @param {string[]} labels @param {Plots} plots */
export function accuracy(results, labels, plots) {
  const root = element('div', {});
  const [position, velocity] = ['constraint_drift.positions', 'constraint_drift.velocities'];
  /** @type {[string, (r: Result) => string | undefined][]} */
  const lines = [
    ['Energy at the end', (r) => first(r.account.energy, ofRows(r, 'energy.total'), 'J')],
    ['Change of energy', (r) => energyChange(r)],
    ['Work of loads', (r) => first(r.account.work, ofRows(r, 'energy.work'), 'J')],
    ['Drift of energy', (r) => energyDrift(r)],
    ['Largest on the way', (r) => first(undefined, ofRows(r, 'energy_drift', true), 'J', 3)],
    [
      'Constraint drift, positions',
      (r) => first(r.account.position_drift, ofRows(r, position), 'm', 3),
    ],
    [
      'Largest of all steps or rows',
      (r) => first(r.account.largest_position_drift, ofRows(r, position, true), 'm', 3),
    ],
    [
      'Constraint drift, velocities',
      (r) => first(r.account.velocity_drift, ofRows(r, velocity), 'm/s', 3),
    ],
    ['Smallest step', (r) => first(r.account.smallest_step, undefined, 's')],
    ['Largest step', (r) => first(r.account.largest_step, ofRows(r, 'step_size', true), 's')],
    ['Rejected steps', (r) => first(r.account.rejected, ofRows(r, 'rejected_steps'), '')],
  ];
  const known = lines.filter(([, of]) => results.some((r) => of(r)));
  if (known.length)
    root.append(
      table(
        'Accuracy',
        ['', ...labels],
        known.map(([name, of]) => [name, ...results.map((r) => of(r) ?? '–')]),
      ),
    );
  if (results.some((r) => r.attributes.work === 'not followed'))
    root.append(
      element(
        'p',
        { class: 'note' },
        'Loads do work that was not followed, so that a change of energy says nothing of errors: record energy.work.',
      ),
    );
  const records = [...plots.families.keys()].filter((f) =>
    /^(energy|energy_drift|constraint_drift|step_size|steps|rejected_steps|iterations|momentum|angular_momentum)$/.test(
      f,
    ),
  );
  if (records.length) {
    const bar = element('p', { class: 'buttons' }, 'Over time: ');
    for (const name of records)
      bar.append(button(`Plot ${name}`, () => plots.open(name), { text: name }));
    root.append(bar);
  } else if (!known.length)
    root.append(
      element(
        'p',
        {},
        'Nothing is known of errors: record energy, constraint_drift and step_size in the model.',
      ),
    );
  const warnings = results.flatMap((r) =>
    Object.keys(r.account)
      .filter((k) => /^(warning|problem|remark\d+)$/.test(k))
      .map((k) => r.account[k]),
  );
  root.append(element('h3', {}, 'Warnings'));
  root.append(warnings.length ? list(warnings) : element('p', {}, 'None.'));
  return root;
}

/** @param {string[]} texts */
export function list(texts) {
  const made = element('ul', {});
  for (const text of texts) made.append(element('li', {}, element('bdi', {}, text)));
  return made;
}

/** @param {Result} r */
function energyChange(r) {
  const total = [...r.columns, ...r.own].find((c) => c.name === 'energy.total')?.values;
  return first(r.account.energy_change, total && total[r.rows - 1] - total[0], 'J', 3);
}

/** @param {Result} r */
function energyDrift(r) {
  if (r.attributes.work === 'not followed') return undefined;
  const change = r.account.energy_change;
  const told = change && String(asNumber(change) - (asNumber(r.account.work) || 0));
  return first(told, ofRows(r, 'energy_drift'), 'J', 3);
}

/* ---- derivatives ---- */

/**
 * What 1 % of each parameter changes of each column, at the cursor, largest first.
 * @param {Result} result
 * @param {Plots} plots
 */
export function sensitivities(result, plots) {
  const root = element('div', {});
  const values = parameterValues(result);
  const found = result.columns.flatMap((column) => {
    const d = derivative(column.name);
    const of = d && result.columns.find((c) => c.name === d.of);
    return d && of ? [{ column, d, of }] : [];
  });
  const unknown = new Set(found.map(({ d }) => d.parameter).filter((name) => !(name in values)));
  const note =
    'What one per cent of each parameter changes at the cursor, sorted by its part of the largest value of the result.' +
    (unknown.size
      ? ` Not known here: the values of ${[...unknown].join(', ')}; changes are those by one unit.`
      : '');
  const body = element('div', {});
  const update = () => {
    const row = nearestRow(result.first, plots.player.time);
    const lines = found
      .map(({ column, d, of }) => {
        const unit = 0.01 * Math.abs(values[d.parameter] ?? 100);
        const change = column.values[row] * unit;
        const largest = of.values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
        const relative =
          largest > 0 ? Math.abs(change) / largest : Math.abs(change) > 0 ? Infinity : 0;
        return {
          column,
          d,
          of,
          change,
          relative,
          most: column.values.reduce((m, x) => Math.max(m, Math.abs(x)), 0) * unit,
        };
      })
      .sort((a, b) => b.relative - a.relative || b.most - a.most)
      .slice(0, 500);
    body.replaceChildren(
      table(
        'Derivatives at the cursor',
        [
          'Result',
          'Parameter',
          'Change by 1 %',
          'Part of the largest value',
          'Largest change over time',
          '',
        ],
        lines.map(({ column, d, of, change, relative, most }) => [
          shortened(of.name, 60),
          shortened(d.parameter, 40) + (unknown.has(d.parameter) ? ', one unit' : ''),
          quantity(change, of.unit, 5),
          `${number(100 * relative, 3)} %`,
          quantity(most, of.unit, 5),
          button(`Plot ${column.name}`, () => plots.add(column.name, [column.name]), {
            text: 'curve',
          }),
        ]),
      ),
    );
  };
  update();
  let waits = false;
  plots.player.listen(() => {
    if (waits || plots.player.playing || !root.isConnected || root.closest('[hidden]')) return;
    waits = true;
    setTimeout(() => {
      waits = false;
      update();
    }, 150);
  });
  append(root, [element('p', { class: 'note' }, note), body]);
  return root;
}

/**
 * Values of parameters as the result says them; of older ones, which do not, numbers among those in
 * the model's text, those of --set on top.
 * @param {Result} result
 */
function parameterValues(result) {
  /** @type {{[name: string]: number}} */
  const values = {};
  if (result.attributes.parameters) {
    for (const line of result.attributes.parameters.split('\n')) {
      const [name, value] = line.split('=');
      values[name] = Number(value);
    }
    return values;
  }
  const model = result.attributes.model ?? '';
  const start = /^parameters:/m.exec(model);
  if (start) {
    const text = model.slice(start.index + 'parameters:'.length);
    const end = /\n(?=[^\s#])/.exec(text);
    const section = text.slice(0, end ? end.index : undefined).replace(/#.*$/gm, '');
    for (const [, name, value] of section.matchAll(
      /([A-Za-z_]\w*)\s*:\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(?=[,}\n]|$)/g,
    ))
      values[name] = Number(value);
  }
  for (const [, name, value] of (result.attributes.history ?? '').matchAll(
    /--set (\w+)=([-+\d.eE]+)/g,
  ))
    values[name] = Number(value);
  return values;
}

/* ---- tables and the model ---- */

const MOST_LINES = 2000;

/** @param {Result} t a table beside a result @param {(time: number) => void} seek */
export function tableBeside(t, seek) {
  const timed = t.columns[0].name === 'time';
  const rows = [];
  for (let i = 0; i < Math.min(t.rows, MOST_LINES); i++)
    rows.push(
      t.columns.map((c, k) =>
        k === 0 && timed
          ? button(`Go to ${number(c.values[i], 9)} s`, () => seek(c.values[i]), {
              text: number(c.values[i], 9),
            })
          : (c.texts?.[c.values[i]] ?? number(c.values[i], 9)),
      ),
    );
  const root = element('div', {});
  root.append(
    table(
      t.table,
      t.columns.map((c) => (c.unit && c.unit !== '1' ? `${c.name} / ${c.unit}` : c.name)),
      rows,
    ),
  );
  if (t.rows > MOST_LINES || t.every > 1)
    root.append(
      element(
        'p',
        { class: 'note' },
        `${Math.min(t.rows, MOST_LINES)} of ${t.all} rows are shown.`,
      ),
    );
  return root;
}

/** The model's text with the numbers of its lines. @param {Result} result */
export function model(result) {
  const text = result.attributes.model ?? result.attributes.plan;
  const root = element('div', {});
  if (!text) {
    root.append(element('p', {}, 'The result does not hold the text of its model.'));
    return root;
  }
  const lines = text.replace(/\n$/, '').split('\n');
  const body = element('ol', { class: 'lines', 'aria-label': 'Lines of the model', dir: 'ltr' });
  for (const line of lines) body.append(element('li', {}, element('code', {}, line || ' ')));
  root.append(body);
  return root;
}
