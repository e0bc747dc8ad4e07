/**
 * What a result looks like: its scene (src/output/scene/scene.h says what is in it) and the poses of its
 * bodies over time. A result without a scene has points for bodies.
 */

import { rowAt } from './data.js';

/**
 * @typedef {[number, number, number]} Vector
 * @typedef {{kind: string, size: number[], at: Vector, orientation: number[], color: string,
 *   mesh?: number, outline?: [number, number][]}} Shape
 * @typedef {{name: string, color: string, point?: boolean, center: Vector, made: boolean,
 *   shapes: Shape[]}} Body
 * @typedef {{body: number, at: Vector, axis: Vector | null}} Point
 * @typedef {{name: string, section: string, type: string, draw: string, points: Point[],
 *   size: number[], load: number | null, rest: Vector[], shapes: Shape[]}} Element
 * @typedef {{name: string, body: number, at: Vector}} Spot
 * @typedef {{name: string, points: string, corners: string}} Mesh
 * @typedef {{length: number, size: number, gravity: Vector, bodies: Body[], markers: Spot[],
 *   elements: Element[], trails: Spot[], meshes: Mesh[]}} Scene
 */

/**
 * The rotation of a vector by a quaternion w x y z that stands at `i`.
 * @param {ArrayLike<number>} q
 * @param {number} i
 * @param {ArrayLike<number>} v
 * @returns {Vector}
 */
export function rotate(q, i, v) {
  const [w, x, y, z] = [q[i], q[i + 1], q[i + 2], q[i + 3]];
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  return [
    v[0] + w * tx + y * tz - z * ty,
    v[1] + w * ty + z * tx - x * tz,
    v[2] + w * tz + x * ty - y * tx,
  ];
}

/**
 * What the result says of its looks; null where that is nothing, or nothing known here.
 * @param {import('./data.js').Result} result
 */
export function sceneOf(result) {
  const text = result.attributes.scene ?? result.made;
  if (text) {
    try {
      const scene = JSON.parse(text);
      if (scene.scene === 1 && scene.bodies.length === result.bodies.length + 1)
        return /** @type {Scene} */ (scene);
    } catch {
      // said below, as of a result that has none
    }
  }
  return null;
}

/**
 * Points for bodies.
 * @param {import('./data.js').Result} result
 * @returns {Scene}
 */
function plainScene(result) {
  const colors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
  const size = 0.03 * result.length;
  return {
    length: result.length,
    size: 0.02 * result.length,
    gravity: [0, 0, 0],
    bodies: ['ground', ...result.bodies].map((name, i) => ({
      name,
      color: i === 0 ? '#9a9a9a' : colors[(i - 1) % colors.length],
      center: [0, 0, 0],
      made: true,
      shapes:
        i === 0
          ? []
          : [
              {
                kind: 'box',
                size: [3 * size, 2 * size, size],
                at: [0, 0, 0],
                orientation: [1, 0, 0, 0],
                color: colors[(i - 1) % colors.length],
              },
            ],
    })),
    markers: [],
    elements: [],
    trails: result.bodies.slice(0, 12).map((name, i) => ({ name, body: i + 1, at: [0, 0, 0] })),
    meshes: [],
  };
}

export class Mechanism {
  /** @param {import('./data.js').Result} result with poses */
  constructor(result) {
    this.result = result;
    const scene = sceneOf(result);
    this.hasScene = scene !== null;
    this.scene = scene ?? plainScene(result);
    // the paths of a mode would change with it
    if (result.columns[0].name === 'mode') this.scene = { ...this.scene, trails: [] };
    this.n = result.bodies.length;
    this.positions = new Float64Array(3 * (this.n + 1)); // of the ground and all bodies, now
    this.orientations = new Float64Array(4 * (this.n + 1));
    this.orientations[0] = 1;
    this.row = 0;
    this.part = 0; // of the way to the next row
    this.seek(result.first[0]);
    this.enlarge();
  }

  /** What begins in one point has the length of its way, not the metre of a scene without one. */
  enlarge() {
    const { scene } = this;
    const places = [
      ...scene.bodies.slice(1).map((body, i) => this.placeAt(0, i + 1, body.center)),
      ...scene.elements.flatMap((e) => e.points.map((p) => this.placeAt(0, p.body, p.at))),
    ];
    const apart = (/** @type {Vector} */ at) => Math.hypot(...at.map((x, k) => x - places[0][k]));
    const shaped = scene.bodies.some((b) => b.shapes.some((s) => s.kind !== 'sphere'));
    if (scene.length !== 1 || shaped || places.some((at) => apart(at) > 1e-9)) return;
    let way = 0;
    for (const row of this.someRows(200))
      for (let i = 1; i <= this.n; i++) {
        const far = apart(this.placeAt(row, i, scene.bodies[i].center));
        if (far > way) way = far;
      }
    if (!(way > 0)) return;
    const bodies = scene.bodies.map((body) => ({
      ...body,
      shapes: body.made
        ? body.shapes.map((s) => ({ ...s, size: s.size.map((x) => x * way) }))
        : body.shapes,
    }));
    this.scene = { ...scene, length: way, size: scene.size * way, bodies };
  }

  /**
   * Poses at a time, between two rows along the straight line between their numbers.
   * @param {number} t
   */
  seek(t) {
    const { result, n } = this;
    const times = result.first;
    const poses = result.poses;
    const rows = result.rows;
    if (!poses) return;
    const i = rowAt(times, t);
    const j = Math.min(i + 1, rows - 1);
    const part =
      times[j] > times[i] ? Math.min(1, Math.max(0, (t - times[i]) / (times[j] - times[i]))) : 0;
    this.row = i;
    this.part = part;
    const p = poses.positions;
    for (let k = 0; k < 3 * n; k++) {
      const from = p[k * rows + i];
      this.positions[3 + k] = from + part * (p[k * rows + j] - from);
    }
    const q = poses.orientations;
    for (let body = 0; body < n; body++) {
      let size = 0;
      const at = 4 * (body + 1);
      for (let k = 0; k < 4; k++) {
        const from = q[(4 * body + k) * rows + i];
        const x = from + part * (q[(4 * body + k) * rows + j] - from);
        this.orientations[at + k] = x;
        size += x * x;
      }
      size = Math.sqrt(size) || 1;
      for (let k = 0; k < 4; k++) this.orientations[at + k] /= size;
    }
  }

  /**
   * A point of a body in ground axes, now.
   * @param {number} body
   * @param {ArrayLike<number>} at
   * @returns {Vector}
   */
  place(body, at) {
    const turned = rotate(this.orientations, 4 * body, at);
    const p = this.positions;
    return [turned[0] + p[3 * body], turned[1] + p[3 * body + 1], turned[2] + p[3 * body + 2]];
  }

  /**
   * An axis of a body in ground axes, now.
   * @param {number} body
   * @param {ArrayLike<number>} axis
   */
  direction(body, axis) {
    return rotate(this.orientations, 4 * body, axis);
  }

  /**
   * Where a point of a body is at each row, [3 rows]; or at so many rows, about equally far apart.
   * @param {number} body
   * @param {Vector} at
   * @param {number} [most]
   */
  path(body, at, most = Infinity) {
    const { rows, poses } = this.result;
    const n = Math.min(rows, most);
    const path = new Float32Array(3 * n);
    if (!poses || body === 0) return path;
    const q = [0, 0, 0, 0];
    for (let j = 0; j < n; j++) {
      const i = n > 1 ? Math.round((j * (rows - 1)) / (n - 1)) : 0;
      for (let k = 0; k < 4; k++) q[k] = poses.orientations[(4 * (body - 1) + k) * rows + i];
      const turned = rotate(q, 0, at);
      for (let k = 0; k < 3; k++)
        path[3 * j + k] = poses.positions[(3 * (body - 1) + k) * rows + i] + turned[k];
    }
    return path;
  }

  /**
   * Where a load acts and how large it is, now; null where there is none.
   * @param {number} load
   * @returns {{point: Vector, force: Vector} | null}
   */
  load(load) {
    const { arrays, rows } = this.result;
    const points = arrays['loads.point'];
    const forces = arrays['loads.force'];
    if (!points || !forces) return null;
    const j = Math.min(this.row + 1, rows - 1);
    const read = (/** @type {Float64Array} */ values) =>
      /** @type {Vector} */ (
        [0, 1, 2].map((k) => {
          const from = values[(3 * load + k) * rows + this.row];
          return from + this.part * (values[(3 * load + k) * rows + j] - from);
        })
      );
    return { point: read(points), force: read(forces) };
  }

  /** The largest force or torque of all loads. */
  largestLoad() {
    const forces = this.result.arrays['loads.force'];
    let largest = 0;
    const rows = this.result.rows;
    for (let k = 0; forces && k + 2 * rows < forces.length; k += 3 * rows)
      for (let i = 0; i < rows; i++)
        largest = Math.max(
          largest,
          Math.hypot(forces[k + i], forces[k + rows + i], forces[k + 2 * rows + i]),
        );
    return largest;
  }

  /**
   * A point of a body in ground axes at a row.
   * @param {number} row
   * @param {number} body
   * @param {ArrayLike<number>} at
   * @returns {Vector}
   */
  placeAt(row, body, at) {
    const { rows, poses } = this.result;
    if (!poses || body === 0) return [at[0], at[1], at[2]];
    const turned = rotate(this.turnAt(row, body), 0, at);
    const p = poses.positions;
    return /** @type {Vector} */ (turned.map((x, k) => x + p[(3 * (body - 1) + k) * rows + row]));
  }

  /** @param {number} row @param {number} body */
  turnAt(row, body) {
    const { rows, poses } = this.result;
    if (!poses || body === 0) return [1, 0, 0, 0];
    return [0, 1, 2, 3].map((k) => poses.orientations[(4 * (body - 1) + k) * rows + row]);
  }

  /**
   * At most so many rows, evenly, with the first and the last.
   * @param {number} most
   */
  someRows(most) {
    const { rows } = this.result;
    const n = Math.min(rows, Math.max(2, most));
    return [...Array(n).keys()].map((j) => (n > 1 ? Math.round((j * (rows - 1)) / (n - 1)) : 0));
  }

  /**
   * How far a point goes along the axis of another and away from it, as the other sees it.
   * @param {Point} a
   * @param {Point} b
   */
  travel(a, b) {
    const axis = a.axis ?? [0, 0, 1];
    let [low, high, aside] = [0, 0, 0];
    for (const row of this.someRows(200)) {
      const [from, to] = [this.placeAt(row, a.body, a.at), this.placeAt(row, b.body, b.at)];
      const line = rotate(this.turnAt(row, a.body), 0, axis);
      const d = to.map((x, k) => x - from[k]);
      const along = d[0] * line[0] + d[1] * line[1] + d[2] * line[2];
      if (!Number.isFinite(along)) continue;
      [low, high] = [Math.min(low, along), Math.max(high, along)];
      aside = Math.max(aside, Math.hypot(...d.map((x, k) => x - along * line[k])));
    }
    return { low, high, aside };
  }

  /** How long the arrow of the largest load is. */
  get longestArrow() {
    return 0.4 * this.scene.length;
  }

  /**
   * Where arrows of loads begin and end, at some rows.
   * @param {number} most rows
   * @returns {Sphere[]}
   */
  arrows(most) {
    const largest = this.largestLoad();
    const [row, part] = [this.row, this.part];
    /** @type {Sphere[]} */
    const ends = [];
    for (const at of largest > 0 ? this.someRows(most) : []) {
      [this.row, this.part] = [at, 0];
      for (const e of this.scene.elements) {
        const now = e.load === null || e.load === undefined ? null : this.load(e.load);
        if (!now) continue;
        const way = (e.draw === 'force' ? -1 : 1) * (this.longestArrow / largest);
        const end = now.point.map((x, k) => x + way * now.force[k]);
        ends.push({ at: now.point, radius: 0 }, { at: /** @type {Vector} */ (end), radius: 0 });
      }
    }
    [this.row, this.part] = [row, part];
    return ends;
  }

  /** Spheres that hold all that is drawn, on their bodies. */
  parts() {
    /** @type {{body: number, at: Vector, radius: number}[]} */
    const parts = [];
    const most = this.scene.length || Infinity;
    this.scene.bodies.forEach((body, i) => {
      if (i > 0) parts.push({ body: i, at: [0, 0, 0], radius: 0 });
      for (const shape of body.shapes)
        parts.push({
          body: i,
          at: shape.at,
          radius: body.made ? Math.min(shapeRadius(shape), most) : shapeRadius(shape),
        });
    });
    for (const e of this.scene.elements) {
      const radius = e.draw === 'beam' ? Math.max(...e.size, 0) : 0;
      for (const { body, at } of e.points) parts.push({ body, at, radius });
      const [a, b] = e.points;
      if (!['rail', 'sleeve', 'guide', 'screw', 'piston'].includes(e.draw) || !b) continue;
      const { low, high } = this.travel(a, b);
      const r = this.scene.size;
      const down = e.draw === 'piston' ? low - (high - low) - 10 * r : low - 5 * r;
      for (const x of [down, high + 5 * r])
        parts.push({
          body: a.body,
          at: /** @type {Vector} */ (a.at.map((c, k) => c + x * (a.axis?.[k] ?? 0))),
          radius: r,
        });
    }
    return parts;
  }

  /**
   * Where all is that is seen: over the whole motion; and `near`, without bodies that fly far
   * away. Where all bodies go far, near is the start, and `travels` is one to go along with.
   * @returns {Extent & {near: Extent, travels: string | null}}
   */
  extent() {
    const parts = this.parts();
    const least = 0.01 * (this.scene.length || 1);
    const at = (/** @type {number} */ row, /** @type {number} */ i) => ({
      at: this.placeAt(row, parts[i].body, parts[i].at),
      radius: parts[i].radius,
    });
    const start = bounds(
      parts.map((_, i) => at(0, i)),
      least,
    );
    const away = FAR * Math.max(start.radius, 0.5 * (this.scene.length || 1));
    const rows = this.someRows(Math.min(200, Math.ceil(40000 / Math.max(1, parts.length))));
    /** @type {Set<number>} bodies */
    const gone = new Set();
    for (const row of this.someRows(1000))
      for (let body = 1; body <= this.n; body++) {
        const place = this.placeAt(row, body, this.scene.bodies[body].center);
        if (Math.hypot(...place.map((x, k) => x - start.center[k])) > away) gone.add(body);
      }
    const all = rows.flatMap((row) => parts.map((_, i) => at(row, i)));
    const travels = this.n > 0 && gone.size === this.n;
    const arrows = gone.size === 0 ? this.arrows(20) : [];
    const whole = bounds([...all, ...arrows], least);
    const near =
      gone.size === 0
        ? whole
        : travels
          ? start
          : bounds(
              all.filter((_, i) => i < parts.length || !gone.has(parts[i % parts.length].body)),
              least,
            );
    return { ...whole, near, travels: travels ? this.scene.bodies[1].name : null };
  }
}

const FAR = 6; // times the size of the mechanism at the start

/**
 * @typedef {{at: Vector, radius: number}} Sphere
 * @typedef {{low: Vector, high: Vector, center: Vector, radius: number, spheres: Sphere[]}} Extent
 */

/**
 * A box that holds all of some spheres.
 * @param {Sphere[]} spheres
 * @param {number} least half of each side
 * @returns {Extent}
 */
function bounds(spheres, least) {
  const finite = spheres.filter(({ at }) => at.every(Number.isFinite));
  /** @type {Vector} */
  const low = [Infinity, Infinity, Infinity];
  /** @type {Vector} */
  const high = [-Infinity, -Infinity, -Infinity];
  for (const { at, radius } of finite)
    for (let k = 0; k < 3; k++) {
      if (at[k] - radius < low[k]) low[k] = at[k] - radius;
      if (at[k] + radius > high[k]) high[k] = at[k] + radius;
    }
  /** @type {Vector} */
  const center = [0, 0, 0];
  for (let k = 0; k < 3; k++) {
    if (!(high[k] >= low[k])) [low[k], high[k]] = [0, 0];
    center[k] = (low[k] + high[k]) / 2;
    const half = Math.max(least, (high[k] - low[k]) / 2);
    [low[k], high[k]] = [center[k] - half, center[k] + half];
  }
  const radius = Math.hypot(...[0, 1, 2].map((k) => (high[k] - low[k]) / 2));
  return { low, high, center, radius, spheres: finite };
}

/**
 * A sphere about a shape's place that holds it.
 * @param {Shape} shape
 */
export function shapeRadius(shape) {
  const s = shape.size;
  switch (shape.kind) {
    case 'box':
      return Math.hypot(...s) / 2;
    case 'cylinder':
    case 'cone':
      return Math.hypot(s[0], s[1] / 2);
    case 'capsule':
      return s[0] + s[1] / 2;
    case 'tube':
      return Math.hypot(s[0], s[2] / 2);
    case 'polygon':
      return Math.hypot(
        s[0] / 2,
        ...(shape.outline ?? [])
          .flat()
          .map(Math.abs)
          .sort((a, b) => b - a)
          .slice(0, 2),
      );
    case 'mesh':
      return 0;
    default:
      return Math.max(0, ...s);
  }
}
