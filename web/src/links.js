/** Drawings of joints, springs, ropes, forces and beams: each moves with the mechanism. */

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Mesh,
  Object3D,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from 'three';

import { material, merge } from './solids.js';

/**
 * @typedef {import('./mechanism.js').Element} Element
 * @typedef {import('./mechanism.js').Mechanism} Mechanism
 * @typedef {import('./mechanism.js').Vector} Vector
 * @typedef {{object: Group, update: () => void}} Drawn
 */

const Z = new Vector3(0, 0, 1);

/** A geometry about z as three.js makes it about y. */
const upright = (/** @type {BufferGeometry} */ geometry) => geometry.rotateX(Math.PI / 2);

/**
 * A tube about a curve given by points.
 * @param {Vector[]} points
 * @param {number} radius
 * @param {number} around corners of its section
 */
function tube(points, radius, around = 6) {
  const n = points.length;
  const positions = new Float32Array(3 * n * around);
  const index = [];
  const a = new Vector3();
  const u = new Vector3();
  const v = new Vector3();
  for (let i = 0; i < n; i++) {
    const before = points[Math.max(0, i - 1)];
    const after = points[Math.min(n - 1, i + 1)];
    a.set(after[0] - before[0], after[1] - before[1], after[2] - before[2]).normalize();
    u.set(Math.abs(a.x) < 0.9 ? 1 : 0, Math.abs(a.x) < 0.9 ? 0 : 1, 0)
      .cross(a)
      .normalize();
    v.crossVectors(a, u);
    for (let k = 0; k < around; k++) {
      const angle = (2 * Math.PI * k) / around;
      const [c, s] = [radius * Math.cos(angle), radius * Math.sin(angle)];
      positions.set(
        [
          points[i][0] + c * u.x + s * v.x,
          points[i][1] + c * u.y + s * v.y,
          points[i][2] + c * u.z + s * v.z,
        ],
        3 * (i * around + k),
      );
      const right = (k + 1) % around;
      if (i + 1 < n)
        index.push(
          i * around + k,
          i * around + right,
          (i + 1) * around + k, // prettier-ignore
          i * around + right,
          (i + 1) * around + right,
          (i + 1) * around + k, // prettier-ignore
        );
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

/**
 * A coil of length 1 along z, its wire round once it is as long as it is to be.
 * @param {number} radius
 * @param {number} wire
 * @param {number} turns
 * @param {number} length
 */
function coil(radius, wire, turns, length) {
  /** @type {Vector[]} */
  const points = [[0, 0, 0]];
  const end = 0.08 * length;
  const steps = turns * 12;
  for (let i = 0; i <= steps; i++) {
    const angle = (2 * Math.PI * turns * i) / steps;
    points.push([
      radius * Math.cos(angle),
      radius * Math.sin(angle),
      end + (0.84 * length * i) / steps,
    ]);
  }
  points.push([0, 0, length]);
  return tube(points, wire, 5).scale(1, 1, 1 / length);
}

/** @param {number} size */
function spiral(size) {
  /** @type {Vector[]} */
  const points = [];
  for (let i = 0; i <= 60; i++) {
    const angle = (2 * Math.PI * 3 * i) / 60;
    const r = size * (0.4 + (1.6 * i) / 60);
    points.push([r * Math.cos(angle), r * Math.sin(angle), 0]);
  }
  return tube(points, 0.12 * size, 5);
}

/** An arrow of length 1 along z. */
function arrow() {
  const group = new Group();
  const shaft = upright(new CylinderGeometry(0.025, 0.025, 0.75, 8)).translate(0, 0, 0.375);
  const head = upright(new ConeGeometry(0.08, 0.25, 12)).translate(0, 0, 0.875);
  return { group, shaft, head };
}

/**
 * What moves with a body, where it stands in it.
 * @param {Mechanism} mechanism
 * @param {Group} group
 * @param {number} body
 */
function follow(mechanism, group, body) {
  const p = mechanism.positions;
  const q = mechanism.orientations;
  group.position.set(p[3 * body], p[3 * body + 1], p[3 * body + 2]);
  group.quaternion.set(q[4 * body + 1], q[4 * body + 2], q[4 * body + 3], q[4 * body]);
}

/**
 * Places something that is made along z at a point, along an axis.
 * @template {import('three').Object3D} T
 * @param {T} object
 * @param {Vector} at
 * @param {Vector | null} axis
 */
function put(object, at, axis) {
  object.position.set(...at);
  if (axis) object.quaternion.setFromUnitVectors(Z, new Vector3(...axis).normalize());
  return object;
}

/**
 * Lays an object of length 1 along z from one point to another.
 * @param {import('three').Object3D} object
 * @param {Vector} from
 * @param {Vector} to
 */
function span(object, from, to) {
  const d = new Vector3(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  const length = d.length();
  object.visible = length > 0;
  object.position.set(...from);
  object.scale.set(1, 1, length || 1);
  if (length > 0) object.quaternion.setFromUnitVectors(Z, d.divideScalar(length));
}

/**
 * A box or a cylinder along z between two places.
 * @param {BufferGeometry} geometry of length 1 about the origin
 * @param {number} low
 * @param {number} high
 */
const from = (geometry, low, high) =>
  geometry.scale(1, 1, high - low).translate(0, 0, (low + high) / 2);

/** How far B goes along the axis of A, with some room. @param {number} r @param {Travel} travel */
const way = (r, { low, high }) => [low - 5 * r, high + 5 * r];

/**
 * @typedef {{low: number, high: number, aside: number}} Travel
 * @type {{[draw: string]: (r: number, travel: Travel) => [BufferGeometry, boolean][]}}
 * What a joint is made of: [geometry along z, on B].
 */
const joints = {
  weld: (r) => [[new BoxGeometry(1.6 * r, 1.6 * r, 1.6 * r), false]],
  ball: (r) => [[new SphereGeometry(1.2 * r, 12, 8), false]],
  pin: (r) => [[upright(new CylinderGeometry(0.6 * r, 0.6 * r, 5 * r, 14)), false]],
  sleeve: (r, travel) => {
    const [low, high] = way(r, travel);
    return [
      [from(upright(new CylinderGeometry(0.4 * r, 0.4 * r, 1, 10)), low, high), false],
      [upright(new CylinderGeometry(r, r, 3 * r, 14, 1, true)), true],
    ];
  },
  screw: (r, travel) => {
    const [low, high] = way(r, travel);
    const turns = Math.min(40, Math.round((high - low) / (1.8 * r)));
    return [
      [from(coil(0.7 * r, 0.2 * r, turns, high - low).translate(0, 0, -0.5), low, high), false],
      [upright(new CylinderGeometry(r, r, 3 * r, 6)), true],
    ];
  },
  rail: (r, travel) => {
    const [low, high] = way(r, travel);
    return [
      [from(new BoxGeometry(0.7 * r, 0.7 * r, 1), low, high), false],
      [new BoxGeometry(1.8 * r, 1.8 * r, 3 * r), true],
    ];
  },
  /* The rod reaches down to the bottom of its cylinder where B is lowest. */
  piston: (r, { low, high }) => {
    const stroke = high - low + 6 * r;
    const top = low - 4 * r;
    const rod = -(stroke + 2 * r);
    return [
      [from(upright(new CylinderGeometry(2 * r, 2 * r, 1, 20)), top - stroke, top), false],
      [from(upright(new CylinderGeometry(2.3 * r, 2.3 * r, 1, 20)), top - 1.2 * r, top), false],
      [from(upright(new CylinderGeometry(0.8 * r, 0.8 * r, 1, 14)), rod, 0), true],
    ];
  },
  guide: (r, travel) => {
    const [low, high] = way(r, travel);
    return [
      [from(new BoxGeometry(0.5 * r, 0.5 * r, 1), low, high), false],
      [new SphereGeometry(r, 12, 8), true],
    ];
  },
  cross: (r) => [
    [upright(new CylinderGeometry(0.45 * r, 0.45 * r, 5 * r, 12)), false],
    [upright(new CylinderGeometry(0.45 * r, 0.45 * r, 5 * r, 12)), true],
  ],
  plate: (r, { aside }) => {
    const side = 12 * r + 2 * Math.min(aside, 40 * r);
    return [[new BoxGeometry(side, side, 0.2 * r), false]];
  },
  bush: (r) => [
    [upright(new CylinderGeometry(1.6 * r, 1.6 * r, 2.4 * r, 16, 1, true)), false],
    [upright(new CylinderGeometry(0.6 * r, 0.6 * r, 3 * r, 12)), true],
  ],
  axes: (r) => [
    [upright(new CylinderGeometry(0.2 * r, 0.2 * r, 5 * r, 8)), false],
    [upright(new CylinderGeometry(0.2 * r, 0.2 * r, 5 * r, 8)), true],
  ],
  coil: (r) => [[spiral(r), false]],
};

export class Links {
  /**
   * @param {Mechanism} mechanism
   * @param {{color?: string, opacity?: number}} look
   */
  constructor(mechanism, look) {
    this.mechanism = mechanism;
    this.size = mechanism.scene.size || 0.02 * mechanism.scene.length;
    this.look = look;
    this.largest = mechanism.largestLoad();
  }

  /** @param {string} color */
  paint(color) {
    return material(this.look.color ?? color, this.look.opacity);
  }

  /**
   * @param {Element} e
   * @returns {Drawn | null}
   */
  draw(e) {
    if (e.load !== null && e.load !== undefined) return this.arrow(e);
    if (e.draw === 'rod') return this.rod(e);
    if (e.draw === 'spring') return this.spring(e);
    if (e.draw === 'rope') return this.rope(e);
    if (e.draw === 'beam') return this.beam(e);
    if (e.draw in joints && e.points.length > 0) return this.joint(e);
    return null;
  }

  /** @param {Element} e */
  joint(e) {
    const object = new Group();
    const [a, b] = [e.points[0], e.points[1] ?? e.points[0]];
    const groups = [new Group(), new Group()];
    const parts = joints[e.draw](this.size, this.mechanism.travel(a, b));
    for (const onB of [false, true]) {
      const point = onB ? b : a;
      const color = this.look.color ?? (onB ? '#707070' : '#4d4d4d');
      const place = put(new Object3D(), point.at, point.axis);
      place.updateMatrix();
      const pieces = parts
        .filter((part) => part[1] === onB)
        .map(([geometry]) => ({
          geometry: /** @type {BufferGeometry} */ (geometry),
          matrix: place.matrix,
          color,
        }));
      const opacity = e.draw === 'plate' ? 0.1 : this.look.opacity;
      if (pieces.length) groups[onB ? 1 : 0].add(merge(pieces, opacity));
    }
    object.add(...groups);
    const update = () => {
      follow(this.mechanism, groups[0], a.body);
      follow(this.mechanism, groups[1], b.body);
    };
    return { object, update };
  }

  /**
   * @param {Element} e
   * @param {BufferGeometry} geometry
   * @param {string} color
   */
  between(e, geometry, color) {
    const object = new Group();
    const part = new Mesh(geometry, this.paint(color));
    object.add(part);
    const [a, b] = e.points;
    const m = this.mechanism;
    return { object, update: () => span(part, m.place(a.body, a.at), m.place(b.body, b.at)) };
  }

  /** @param {Element} e */
  rod(e) {
    const r = 0.35 * this.size;
    return this.between(
      e,
      upright(new CylinderGeometry(r, r, 1, 8)).translate(0, 0, 0.5),
      '#4d4d4d',
    );
  }

  /** @param {Element} e */
  spring(e) {
    const [a, b] = e.points.map((point) => this.mechanism.place(point.body, point.at));
    const length = Math.hypot(...a.map((x, k) => b[k] - x));
    const turns = Math.min(30, Math.max(6, Math.round(length / (2.6 * this.size))));
    return this.between(e, coil(this.size, 0.18 * this.size, turns, length || 1), '#5b7f95');
  }

  /** Straight pieces from point to point. @param {Element} e */
  rope(e) {
    const object = new Group();
    const r = 0.25 * this.size;
    const piece = upright(new CylinderGeometry(r, r, 1, 6)).translate(0, 0, 0.5);
    const pieces = new InstancedMesh(
      piece,
      this.paint('#8a6d3b'),
      Math.max(1, e.points.length - 1),
    );
    pieces.frustumCulled = false;
    object.add(pieces);
    const one = new Object3D();
    const update = () => {
      const places = e.points.map((point) => this.mechanism.place(point.body, point.at));
      for (let i = 0; i + 1 < places.length; i++) {
        span(one, places[i], places[i + 1]);
        one.updateMatrix();
        pieces.setMatrixAt(i, one.matrix);
      }
      pieces.instanceMatrix.needsUpdate = true;
      pieces.boundingSphere = null; // names are found on it
    };
    return { object, update };
  }

  /** Arrows are as long as their load is large among all loads. @param {Element} e */
  arrow(e) {
    const { group, shaft, head } = arrow();
    const paint = this.paint(
      e.draw === 'torque' ? '#cc79a7' : e.draw === 'contact' ? '#009e73' : '#d55e00',
    );
    group.add(new Mesh(shaft, paint), new Mesh(head, paint));
    if (e.draw === 'torque') group.add(new Mesh(new TorusGeometry(0.25, 0.025, 6, 24, 5), paint));
    const object = new Group();
    object.add(group);
    const longest = this.mechanism.longestArrow;
    const turn = new Quaternion();
    const d = new Vector3();
    const update = () => {
      const now = this.mechanism.load(/** @type {number} */ (e.load));
      const size = now ? Math.hypot(...now.force) : 0;
      group.visible = size > 1e-6 * this.largest && this.largest > 0;
      if (!now || !group.visible) return;
      const length = longest * Math.max(0.05, size / this.largest);
      d.set(...now.force).divideScalar(size);
      group.quaternion.copy(turn.setFromUnitVectors(Z, d));
      const thick = Math.min(length, 12 * this.size);
      group.scale.set(thick, thick, length);
      const back = e.draw === 'force' ? length : 0; // forces push at their point, others leave it
      group.position.set(
        now.point[0] - back * d.x,
        now.point[1] - back * d.y,
        now.point[2] - back * d.z,
      );
    };
    return { object, update };
  }

  /**
   * A skin over the points of a beam: corners of its section turn with the body at each point.
   * @param {Element} e
   */
  beam(e) {
    const n = e.points.length;
    const rest =
      e.rest.length === n ? e.rest : e.points.map((p) => this.mechanism.place(p.body, p.at));
    const round = e.size.length !== 2;
    const around = round ? 10 : 4;
    const radius = e.size[0] || 0.5 * this.size;
    const least = 0.2 * this.size; // where it is thinner than can be seen
    /** @type {[number, number][]} */
    const section = [];
    for (let k = 0; k < around; k++) {
      const angle = (2 * Math.PI * k) / around + (round ? 0 : Math.PI / 4);
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      section.push(
        round
          ? [Math.max(radius, least) * c, Math.max(radius, least) * s]
          : [
              Math.max(e.size[0] / 2, least) * Math.sign(c),
              Math.max(e.size[1] / 2, least) * Math.sign(s),
            ],
      );
    }
    /* axis 2, carried along the line so that it lies across it behind a corner too */
    const two = new Vector3(...(e.points[0]?.axis ?? [0, 0, 0]));
    const offsets = rest.map((_, i) => {
      const [p, q] = [rest[Math.max(0, i - 1)], rest[Math.min(n - 1, i + 1)]];
      const along = new Vector3(q[0] - p[0], q[1] - p[1], q[2] - p[2]).normalize();
      two.addScaledVector(along, -two.dot(along));
      if (two.length() < 1e-6) two.set(along.y, along.z, -along.x).cross(along);
      two.normalize();
      const three = new Vector3().crossVectors(along, two);
      return section.map(([a, b]) => [
        a * two.x + b * three.x,
        a * two.y + b * three.y,
        a * two.z + b * three.z,
      ]);
    });
    const values = new Float32Array(3 * n * around);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(values, 3));
    const index = [];
    for (let i = 0; i + 1 < n; i++)
      for (let k = 0; k < around; k++) {
        const [a, b] = [i * around + k, i * around + ((k + 1) % around)];
        index.push(a, b, a + around, b, b + around, a + around);
      }
    for (let k = 1; k + 1 < around; k++)
      // its ends
      for (const end of [0, (n - 1) * around]) index.push(end, end + k, end + k + 1);
    geometry.setIndex(index);
    const object = new Group();
    const paint = this.paint('#56b4e9');
    paint.flatShading = true;
    const skin = new Mesh(geometry, paint);
    skin.frustumCulled = false;
    object.add(skin);
    const update = () => {
      for (let i = 0; i < n; i++)
        for (let k = 0; k < around; k++) {
          const point = e.points[i];
          const offset = offsets[i][k];
          const at = [point.at[0] + offset[0], point.at[1] + offset[1], point.at[2] + offset[2]];
          values.set(this.mechanism.place(point.body, at), 3 * (i * around + k));
        }
      geometry.attributes.position.needsUpdate = true;
    };
    return { object, update };
  }
}
