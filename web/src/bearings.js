/** Bearings: what each ball bears now and at most, how fast they pass, and a spectrum with that. */

import { table } from './accounts.js';
import { chart, follow } from './charts.js';
import { nearestRow } from './data.js';
import { append, button, element, select } from './dom.js';
import { rotate, sceneOf } from './mechanism.js';
import { spectrum } from './spectrum.js';
import { derivative, number, quantity, shortened } from './words.js';

/**
 * @typedef {import('./data.js').Result} Result
 * @typedef {[number, number, number]} Vector
 * @typedef {{name: string, bodies: number[], outer: Float64Array[], inner: Float64Array[],
 *   points: import('./mechanism.js').Point[]}} Bearing bodies: numbers of the balls in the result;
 *   forces over the rows; points of the outer and the inner ring
 */

const SVG = 'http://www.w3.org/2000/svg';

/** @param {Result} result @returns {Bearing[]} */
export function bearingsOf(result) {
  const words = result.packed.find((p) => p.name === 'balls.force');
  const values = result.arrays['balls.force'];
  if (!words || !values) return [];
  const scene = sceneOf(result);
  /** @type {Map<string, Bearing>} */
  const found = new Map();
  words.items.forEach((item, i) => {
    const name = item.slice(0, item.lastIndexOf('.'));
    const points =
      scene?.elements.find((e) => e.section === 'bearings' && e.name === name)?.points ?? [];
    const bearing = found.get(name) ?? { name, bodies: [], outer: [], inner: [], points };
    const at = (/** @type {number} */ race) =>
      values.subarray((2 * i + race) * result.rows, (2 * i + race + 1) * result.rows);
    bearing.bodies.push(result.bodies.indexOf(item));
    bearing.outer.push(at(0));
    bearing.inner.push(at(1));
    found.set(name, bearing);
  });
  return [...found.values()];
}

/**
 * Place and quaternion of a body in a row; of the ground, body 0, its own. Bodies count from 1.
 * @param {Result} result
 * @param {number} body
 * @param {number} row
 */
function poseOf(result, body, row) {
  const { rows, poses } = result;
  if (body === 0 || !poses) return { p: [0, 0, 0], q: [1, 0, 0, 0] };
  const b = body - 1;
  return {
    p: [0, 1, 2].map((k) => poses.positions[(3 * b + k) * rows + row]),
    q: [0, 1, 2, 3].map((k) => poses.orientations[(4 * b + k) * rows + row]),
  };
}

const dot = (/** @type {ArrayLike<number>} */ a, /** @type {ArrayLike<number>} */ b) =>
  a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/**
 * Angles of the balls about the axis of the outer ring, which does not turn with it: from the
 * direction that is up, or across where the axis is.
 * @param {Result} result
 * @param {Bearing} bearing
 * @param {number} row
 * @returns {number[] | null} null where the result does not say where the rings are
 */
function angles(result, bearing, row) {
  const [ring] = bearing.points;
  if (!ring?.axis || bearing.bodies.some((b) => b < 0)) return null;
  const { p, q } = poseOf(result, ring.body, row);
  const center = rotate(q, 0, ring.at).map((x, k) => x + p[k]);
  const axis = rotate(q, 0, ring.axis);
  const up = [0, 1, 0].map((u, k) => u - axis[1] * axis[k]);
  const flat = Math.hypot(...up) > 0.1;
  const from = flat ? up : [0, 0, 1].map((u, k) => u - axis[2] * axis[k]);
  const x = from.map((v) => v / Math.hypot(...from));
  const y = [
    axis[1] * x[2] - axis[2] * x[1],
    axis[2] * x[0] - axis[0] * x[2],
    axis[0] * x[1] - axis[1] * x[0],
  ];
  return bearing.bodies.map((body) => {
    const d = poseOf(result, body + 1, row).p.map((v, k) => v - center[k]);
    return Math.atan2(dot(d, y), dot(d, x));
  });
}

/** Into -pi to pi. @param {number} a */
const wrapped = (a) => a - 2 * Math.PI * Math.round(a / (2 * Math.PI));

/**
 * How often a second the balls go round, the rings turn, and balls pass a place of each race, from
 * the poses over all rows.
 * @param {Result} result
 * @param {Bearing} bearing
 * @returns {{name: string, short: string, hertz: number}[] | null} null where rows are too far
 *   apart to tell, or the rings are not known
 */
export function passing(result, bearing) {
  const { rows, first } = result;
  const span = first[rows - 1] - first[0];
  const [outer, inner] = bearing.points;
  if (rows < 3 || !(span > 0) || !outer?.axis || !inner?.axis) return null;
  let farthest = 0;
  const rate = (/** @type {(row: number) => number} */ turned) => {
    let sum = 0;
    for (let i = 1; i < rows; i++) {
      const d = turned(i);
      farthest = Math.max(farthest, Math.abs(d));
      sum += d;
    }
    return sum / span / (2 * Math.PI);
  };
  let before = angles(result, bearing, 0);
  if (!before) return null;
  const balls = rate((i) => {
    const now = angles(result, bearing, i) ?? [];
    const steps = now.map((a, k) => wrapped(a - (before?.[k] ?? 0)));
    before = now;
    return steps.reduce((sum, d) => sum + d, 0) / steps.length;
  });
  const turning = (/** @type {import('./mechanism.js').Point} */ ring) =>
    rate((i) => {
      const [a, b] = [poseOf(result, ring.body, i - 1).q, poseOf(result, ring.body, i).q];
      const along = dot(rotate(a, 0, /** @type {Vector} */ (ring.axis)), [
        a[0] * b[1] - b[0] * a[1] + a[3] * b[2] - a[2] * b[3],
        a[0] * b[2] - b[0] * a[2] + a[1] * b[3] - a[3] * b[1],
        a[0] * b[3] - b[0] * a[3] + a[2] * b[1] - a[1] * b[2],
      ]);
      const w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
      return wrapped(2 * Math.atan2(along, w));
    });
  const [of, inn] = [turning(outer), turning(inner)];
  if (farthest > 2.5) return null;
  const n = bearing.bodies.length;
  return [
    { name: 'outer ring turns', short: 'outer', hertz: of },
    { name: 'inner ring turns', short: 'shaft', hertz: inn },
    { name: 'balls go round', short: 'cage', hertz: balls },
    {
      name: 'balls pass a place of the outer race',
      short: 'BPFO',
      hertz: n * Math.abs(balls - of),
    },
    {
      name: 'balls pass a place of the inner race',
      short: 'BPFI',
      hertz: n * Math.abs(inn - balls),
    },
  ];
}

/** @param {string} tag @param {{[name: string]: string | number}} attributes */
function svg(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/**
 * The balls in their places, seen along the axis, and what the outer race bears of each as a bar.
 * @param {Result} result
 * @param {Bearing} bearing
 * @param {number} most N, the longest bar
 */
function rose(result, bearing, most) {
  const picture = svg('svg', { viewBox: '-110 -110 220 220', class: 'rose', role: 'img' });
  picture.setAttribute('aria-label', `Loads of the balls of ${bearing.name} at the cursor`);
  const show = (/** @type {number} */ row) => {
    const n = bearing.bodies.length;
    const at = angles(result, bearing, row) ?? bearing.bodies.map((_, i) => (2 * Math.PI * i) / n);
    picture.replaceChildren(svg('circle', { r: 50, class: 'ring' }));
    at.forEach((angle, i) => {
      const [x, y] = [-Math.sin(angle), -Math.cos(angle)];
      const force = bearing.outer[i][row];
      const end = 58 + (most > 0 ? (48 * force) / most : 0);
      const bar = { x1: 58 * x, y1: 58 * y, x2: end * x, y2: end * y, class: 'bar' };
      const word = svg('text', { x: 30 * x, y: 30 * y + 4, 'text-anchor': 'middle' });
      word.textContent = String(i + 1);
      const ball = svg('circle', { cx: 50 * x, cy: 50 * y, r: 8, class: 'ball' });
      picture.append(ball, svg('line', bar), word);
    });
  };
  return { picture, show };
}

/**
 * What a spectrum may be of: records, and loads of balls.
 * @param {Result} result
 * @param {Bearing} bearing
 */
function signals(result, bearing) {
  const all = result.columns
    .slice(1)
    .filter((c) => !derivative(c.name))
    .map(({ name, unit, values }) => ({ name, unit, values }));
  bearing.outer.forEach((values, i) =>
    all.push({ name: `${bearing.name}.ball${i + 1}.outer.force`, unit: 'N', values }),
  );
  return all.filter((s, i) => all.findIndex((o) => o.name === s.name) === i);
}

/** @param {Result} result @param {Bearing} bearing */
function spectrumOf(result, bearing) {
  const root = element('div', {});
  const host = element('div', {});
  const said = element('p', { class: 'note', role: 'status' });
  const all = signals(result, bearing);
  const rates = passing(result, bearing);
  const show = (/** @type {number} */ i) => {
    const found = result.every > 1 ? null : spectrum(result.first, all[i].values);
    host.replaceChildren();
    if (!found) {
      said.textContent = 'The rows shown are not equally far apart in time: there is no spectrum.';
      return;
    }
    const { frequency, amplitude } = found;
    const top = amplitude.reduce((most, x, k) => (x > amplitude[most] ? k : most), 0);
    said.textContent = `Largest line: ${quantity(amplitude[top], all[i].unit, 5)} at ${number(frequency[top], 5)} Hz.`;
    const marks = (rates ?? [])
      .filter((r) => r.hertz > 0)
      .flatMap((r) =>
        (/^BP/.test(r.short) ? [1, 2, 3] : [1]).map((k) => ({
          at: k * r.hertz,
          label: k > 1 ? `${k} ${r.short}` : r.short,
        })),
      );
    const made = chart(`Spectrum of ${all[i].name}`, {
      x: 'frequency / Hz',
      y: all[i].unit,
      at: frequency,
      curves: [{ label: '', values: amplitude }],
      marks,
    });
    host.append(made.root);
  };
  const chosen = all.findIndex((s) => /acceleration/.test(s.name));
  const first =
    chosen >= 0 ? chosen : all.findIndex((s) => s.name === `${bearing.name}.ball1.outer.force`);
  append(root, [
    element('h3', {}, 'Spectrum'),
    select(
      `Record of the spectrum of ${bearing.name}`,
      all.map((s, i) => /** @type {[string, string]} */ ([String(i), shortened(s.name, 60)])),
      String(first),
      (value) => show(Number(value)),
    ),
    said,
    host,
    rates
      ? table(
          `Frequencies of ${bearing.name}`,
          ['', 'Hz', 'mark'],
          rates.map((r) => [r.name, number(r.hertz, 6), r.short]),
        )
      : element(
          'p',
          { class: 'note' },
          'How fast balls pass is not known: rows are too far apart in time to follow them, or the result does not say where the rings are.',
        ),
  ]);
  show(first);
  return root;
}

/**
 * @param {Result} result
 * @param {Bearing[]} bearings
 * @param {import('./plots.js').Plots} plots
 */
export function bearingsTab(result, bearings, plots) {
  const root = element('div', {});
  for (const bearing of bearings) {
    const most = Math.max(0, ...bearing.outer.map((f) => f.reduce((a, x) => Math.max(a, x), 0)));
    const picture = rose(result, bearing, most);
    const body = element('div', { class: 'beside' });
    const update = () => {
      const row = nearestRow(result.first, plots.player.time);
      picture.show(row);
      body.replaceChildren(
        picture.picture,
        table(
          `Loads of ${bearing.name}`,
          ['ball', 'outer race / N', 'inner race / N', 'largest, outer / N', 'mean, outer / N'],
          bearing.outer.map((outer, i) => [
            String(i + 1),
            number(outer[row], 6),
            number(bearing.inner[i][row], 6),
            number(
              outer.reduce((a, x) => Math.max(a, x), 0),
              6,
            ),
            number(outer.reduce((a, x) => a + x, 0) / result.rows, 6),
          ]),
        ),
      );
    };
    const curves = (/** @type {'outer' | 'inner'} */ race) =>
      button(`Plot loads of ${bearing.name} on its ${race} race`, () =>
        plots.offer(
          `${bearing.name}, ${race} race`,
          bearing[race].map((values, i) => ({
            name: `${bearing.name}.ball${i + 1}.${race}.force`,
            unit: 'N',
            meaning: 'normal force',
            values,
          })),
          plots.results.indexOf(result),
        ),
      );
    append(root, [
      element('h3', {}, element('bdi', {}, bearing.name)),
      element(
        'p',
        { class: 'note' },
        'What each ball bears at the cursor; the longest bar is the largest load of the run, ',
        quantity(most, 'N', 5),
        '. ',
      ),
      body,
      element('p', { class: 'buttons' }, curves('outer'), curves('inner')),
      spectrumOf(result, bearing),
    ]);
    update();
    follow(root, plots.player, update);
  }
  return root;
}
