/** Beams: how far each is bent from its root, and the forces and moments in its sections. */

import { table } from './accounts.js';
import { chart, follow } from './charts.js';
import { nearestRow } from './data.js';
import { append, element } from './dom.js';
import { rotate, sceneOf } from './mechanism.js';
import { number } from './words.js';

/**
 * @typedef {import('./data.js').Result} Result
 * @typedef {{name: string, nodes: number[], rest: number[][], station: number[],
 *   section: number[]}} Beam nodes: numbers of its bodies in the result; m, places before it bends
 *   and along the line; numbers in the arrays of sections, -1: not in them
 * @typedef {(row: number) => Float64Array[]} Profile three components at all stations
 */

/** @param {Result} result @returns {Beam[]} */
export function beamsOf(result) {
  const sections = result.packed.find((p) => p.name === 'sections.force')?.items ?? [];
  return (sceneOf(result)?.elements ?? [])
    .filter((e) => e.section === 'beams' && e.draw === 'beam' && e.points.length > 1)
    .map(({ name, points, rest }) => {
      let length = 0;
      const station = rest.map((at, i) => {
        if (i > 0) length += Math.hypot(...at.map((x, k) => x - rest[i - 1][k]));
        return length;
      });
      const nodes = points.map((p) => p.body - 1);
      return {
        name,
        nodes,
        rest,
        station,
        section: nodes.map((b) => sections.indexOf(result.bodies[b])),
      };
    });
}

/**
 * Where nodes are, less where they would be if the beam went with its root unbent; axes of the root,
 * which before it moves are those of the ground.
 * @param {Result} result
 * @param {Beam} beam
 * @returns {Profile}
 */
export function deflection(result, beam) {
  const { rows } = result;
  const poses = /** @type {import('./data.js').Poses} */ (result.poses);
  return (row) => {
    const [root] = beam.nodes;
    const at = (/** @type {number} */ body) =>
      [0, 1, 2].map((k) => poses.positions[(3 * body + k) * rows + row]);
    const q = [0, 1, 2, 3].map((k) => poses.orientations[(4 * root + k) * rows + row]);
    const back = [q[0], -q[1], -q[2], -q[3]];
    const from = at(root);
    const out = [0, 1, 2].map(() => new Float64Array(beam.nodes.length));
    beam.nodes.forEach((body, i) => {
      const now = at(body).map((x, k) => x - from[k]);
      const turned = rotate(back, 0, now);
      for (let k = 0; k < 3; k++) out[k][i] = turned[k] - (beam.rest[i][k] - beam.rest[0][k]);
    });
    return out;
  };
}

/**
 * @param {Result} result
 * @param {Beam} beam
 * @param {'sections.force' | 'sections.moment'} array
 * @returns {Profile}
 */
function inside(result, beam, array) {
  const values = result.arrays[array];
  return (row) =>
    [0, 1, 2].map((k) =>
      Float64Array.from(beam.section, (s) =>
        s < 0 ? NaN : values[(3 * s + k) * result.rows + row],
      ),
    );
}

/**
 * The smallest and the largest values at each station, of all rows.
 * @param {Profile} profile
 * @param {number} rows
 */
function extremes(profile, rows) {
  const low = profile(0);
  const high = low.map((values) => Float64Array.from(values));
  for (let row = 1; row < rows; row++)
    profile(row).forEach((values, k) =>
      values.forEach((x, i) => {
        if (x < low[k][i]) low[k][i] = x;
        if (x > high[k][i]) high[k][i] = x;
      }),
    );
  return { low, high };
}

/**
 * @param {Result} result
 * @param {Beam[]} beams
 * @param {import('./player.js').Player} player
 */
export function beamsTab(result, beams, player) {
  const root = element('div', {});
  const row = () => nearestRow(result.first, player.time);
  for (const beam of beams) {
    const known = result.arrays['sections.force'] && beam.section.some((s) => s >= 0);
    /** @type {{title: string, unit: string, names: string[], profile: Profile}[]} */
    const kinds = [
      {
        title: 'Deflection from its root',
        unit: 'm',
        names: ['x', 'y', 'z'],
        profile: deflection(result, beam),
      },
    ];
    if (known)
      kinds.push(
        {
          title: 'Forces in sections',
          unit: 'N',
          names: ['N1', 'N2', 'N3'],
          profile: inside(result, beam, 'sections.force'),
        },
        {
          title: 'Moments in sections',
          unit: 'N m',
          names: ['M1', 'M2', 'M3'],
          profile: inside(result, beam, 'sections.moment'),
        },
      );
    const charts = kinds.map(({ title, unit, names, profile }) => {
      const { low, high } = extremes(profile, result.rows);
      const shown = (/** @type {number} */ at) => [
        ...profile(at).map((values, k) => ({ label: names[k], values, color: k })),
        ...low.map((values, k) => ({ label: '', values, color: k, dash: 1 })),
        ...high.map((values, k) => ({ label: '', values, color: k, dash: 1 })),
      ];
      const made = chart(`${title} of ${beam.name} along its line`, {
        x: 'along the line / m',
        y: `${title.split(' ')[0].toLowerCase()} / ${unit}`,
        at: beam.station,
        curves: shown(row()),
      });
      return { ...made, show: () => made.set(shown(row())) };
    });
    const ends = element('div', {});
    const update = () => {
      for (const c of charts) c.show();
      const last = beam.nodes.length - 1;
      const now = kinds.map(({ profile }) => profile(row()));
      ends.replaceChildren(
        table(
          `Ends of ${beam.name}`,
          ['', ...kinds.flatMap(({ names, unit }) => names.map((n) => `${n} / ${unit}`))],
          [
            ['root', ...now.flatMap((all) => all.map((values) => number(values[0], 6)))],
            ['tip', ...now.flatMap((all) => all.map((values) => number(values[last], 6)))],
          ],
        ),
      );
    };
    append(root, [
      element('h3', {}, element('bdi', {}, beam.name)),
      element(
        'p',
        { class: 'note' },
        'At the cursor; dashed: the smallest and the largest of the run. Deflections are in the axes of the root, those of the ground before it moves. Forces and moments are in axes of the section: 1 along the line, what pulls is positive. ',
        known ? '' : 'This result does not hold forces in sections.',
      ),
      element('div', { class: 'charts' }, ...charts.map((c) => c.root)),
      ends,
    ]);
    update();
    follow(root, player, update);
  }
  return root;
}
