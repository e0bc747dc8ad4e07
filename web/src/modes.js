/** Small motions about a state: the modes of `nutate modes`, one of them in motion. */

const FRAMES = 61; // of a period
const SECONDS = 2; // that a period is shown in
const LARGEST = 0.15; // displacement in the picture, of the model's length

/** @typedef {import('./data.js').Result} Result */

/** A result whose rows are modes. @param {Result} result */
export function hasModes(result) {
  return result.columns[0].name === 'mode' && result.poses !== null;
}

/**
 * The product of two quaternions w x y z.
 * @param {number[]} a
 * @param {number[]} b
 */
function product(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

/**
 * A motion of one mode over a period, as a result: displacements (x, r) are the real part of
 * (shape) exp(i phase), added to the poses of the state.
 */
export class ModeMotion {
  /** @param {Result} modes */
  constructor(modes) {
    this.modes = modes;
    const n = modes.bodies.length;
    const first = Float64Array.from({ length: FRAMES }, (_, i) => (SECONDS * i) / (FRAMES - 1));
    this.poses = {
      positions: new Float64Array(3 * n * FRAMES),
      orientations: new Float64Array(4 * n * FRAMES),
    };
    /** @type {Result} */
    this.result = { ...modes, rows: FRAMES, first, poses: this.poses, arrays: {} };
    this.shown = -1;
    this.choose(0);
  }

  /**
   * A component of a body's shape, real and imaginary part.
   * @param {string} name
   * @param {number} row
   */
  shape(name, row) {
    const of = (/** @type {string} */ column) =>
      this.modes.columns.find((c) => c.name === column)?.values[row] ?? 0;
    return [of(name), of(`${name}.imaginary`)];
  }

  /** Shows the mode of a row. @param {number} row */
  choose(row) {
    if (row === this.shown) return;
    this.shown = row;
    const { modes, poses } = this;
    const state = /** @type {import('./data.js').Poses} */ (modes.poses);
    modes.bodies.forEach((body, b) => {
      const [moved, turned] = ['position', 'rotation'].map((kind) =>
        ['x', 'y', 'z'].map((axis) => this.shape(`${body}.${kind}.${axis}`, row)),
      );
      const q0 = [0, 1, 2, 3].map((k) => state.orientations[(4 * b + k) * modes.rows + row]);
      for (let i = 0; i < FRAMES; i++) {
        const phase = (2 * Math.PI * i) / (FRAMES - 1);
        const at = (/** @type {number[]} */ [re, im]) =>
          LARGEST * modes.length * (re * Math.cos(phase) - im * Math.sin(phase));
        for (let k = 0; k < 3; k++)
          poses.positions[(3 * b + k) * FRAMES + i] =
            state.positions[(3 * b + k) * modes.rows + row] + at(moved[k]);
        const r = turned.map(at);
        const angle = Math.hypot(...r);
        const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
        const q = product([Math.cos(angle / 2), ...r.map((x) => s * x)], q0);
        for (let k = 0; k < 4; k++) poses.orientations[(4 * b + k) * FRAMES + i] = q[k];
      }
    });
  }

  /** A mode in words. @param {number} row */
  words(row) {
    const of = (/** @type {string} */ name) =>
      this.modes.columns.find((c) => c.name === name)?.values[row];
    const frequency = of('frequency');
    const damping = of('damping_ratio');
    const parts = [`mode ${row + 1}`];
    if (frequency !== undefined) parts.push(`${Number(frequency.toPrecision(4))} Hz`);
    if (damping) parts.push(`damping ratio ${Number(damping.toPrecision(3))}`);
    return parts.join(', ');
  }
}
