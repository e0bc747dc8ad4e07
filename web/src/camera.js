/**
 * Where the mechanism is looked at from: a point on a sphere about a target, with a direction that
 * is up on the screen. The same for the view in three dimensions and the drawing in two.
 */

const STEEPEST = Math.PI / 2 - 1e-4;

/** @typedef {[number, number, number]} Vector */

export class Camera {
  constructor() {
    /** @type {Vector} */
    this.target = [0, 0, 0];
    this.distance = 5;
    /** @type {[Vector, Vector, Vector]} two axes across and the one that is up, unit vectors */
    this.base = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
    this.azimuth = -Math.PI / 3;
    this.elevation = Math.PI / 8;
    this.perspective = true;
    this.angle = Math.PI / 5; // of the view, from its lower edge to its upper
    /** @type {(() => void)[]} */
    this.listeners = [];
  }

  /** @param {() => void} listener */
  listen(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener();
  }

  /** Sets what is up; nothing else turns. @param {Vector} up unit vector */
  stand(up) {
    const start = Math.abs(up[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0];
    const x = unit(start.map((c, k) => c - dot(start, up) * up[k]));
    this.base = [x, cross(up, x), up];
  }

  /** Towards the eye, to the right and upward: unit vectors. */
  axes() {
    const [ca, sa] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    const [x, y, z] = this.base;
    const of = (/** @type {Vector} */ [a, b, c]) =>
      /** @type {Vector} */ ([0, 1, 2].map((k) => a * x[k] + b * y[k] + c * z[k]));
    return {
      back: of([ce * ca, ce * sa, se]),
      right: of([-sa, ca, 0]),
      up: of([-se * ca, -se * sa, ce]),
    };
  }

  /** @returns {Vector} */
  eye() {
    const { back } = this.axes();
    return /** @type {Vector} */ ([0, 1, 2].map((k) => this.target[k] + this.distance * back[k]));
  }

  /** Half the height of what is seen at the target, m. */
  get halfHeight() {
    return this.distance * Math.tan(this.angle / 2);
  }

  /**
   * @param {number} right rad
   * @param {number} up rad
   */
  orbit(right, up) {
    this.azimuth -= right;
    this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + up));
    this.tell();
  }

  /**
   * By parts of the view's height.
   * @param {number} right
   * @param {number} up
   */
  pan(right, up) {
    const axes = this.axes();
    for (let k = 0; k < 3; k++)
      this.target[k] -= 2 * this.halfHeight * (right * axes.right[k] + up * axes.up[k]);
    this.tell();
  }

  /** @param {number} factor of the distance */
  zoom(factor) {
    this.distance = Math.min(1e12, Math.max(1e-12, this.distance * factor));
    this.tell();
  }

  /**
   * Sees all of some spheres.
   * @param {import('./mechanism.js').Extent} extent
   * @param {number} shape width over height
   */
  fit({ spheres, center, radius }, shape) {
    const { back, right, up } = this.axes();
    /** @type {[number, number][]} of what is seen, along right, up and back */
    const range = [right, up, back].map((axis) => {
      let [low, high] = [Infinity, -Infinity];
      for (const sphere of spheres) {
        const x = dot(sphere.at, axis);
        [low, high] = [Math.min(low, x - sphere.radius), Math.max(high, x + sphere.radius)];
      }
      return high >= low ? [low, high] : [dot(center, axis), dot(center, axis)];
    });
    const middle = range.map(([low, high]) => (low + high) / 2);
    this.target = /** @type {Vector} */ (
      [0, 1, 2].map((k) => middle[0] * right[k] + middle[1] * up[k] + middle[2] * back[k])
    );
    const slope = Math.tan(this.angle / 2);
    let distance = (0.1 * radius) / slope;
    for (const sphere of spheres) {
      const d = sphere.at.map((x, k) => x - this.target[k]);
      const half = Math.max(
        Math.abs(dot(d, up)) + sphere.radius,
        (Math.abs(dot(d, right)) + sphere.radius) / shape,
      );
      const nearer = this.perspective ? dot(d, back) + sphere.radius : 0;
      distance = Math.max(distance, half / slope + nearer);
    }
    this.distance = Math.max(1e-9, 1.12 * distance);
    this.tell();
  }

  /** Looks from a direction. @param {Vector} from unit vector, towards the eye */
  look(from) {
    const [x, y, z] = this.base.map((axis) => dot(from, axis));
    this.elevation = Math.min(
      STEEPEST,
      Math.max(-STEEPEST, Math.asin(Math.min(1, Math.max(-1, z)))),
    );
    this.azimuth = Math.hypot(x, y) > 1e-6 ? Math.atan2(y, x) : -Math.PI / 2;
    this.tell();
  }
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** @param {Vector} a @param {Vector} b @returns {Vector} */
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** @param {number[]} a @returns {Vector} */
export function unit(a) {
  const size = Math.hypot(...a) || 1;
  return [a[0] / size, a[1] / size, a[2] / size];
}

/**
 * How a mechanism is looked at first: gravity down, from a corner; one that moves in a plane from
 * before it, a little aslant.
 * @param {import('./mechanism.js').Scene} scene
 * @returns {{up: Vector, from: Vector}}
 */
export function firstLook(scene) {
  const turning = ['pin', 'coil'];
  const sliding = ['rail', 'guide'];
  const axes = scene.elements
    .filter((e) => turning.includes(e.draw))
    .flatMap((e) => e.points.slice(0, 1).flatMap((p) => (p.axis ? [p.axis] : [])));
  const others = scene.elements.filter(
    (e) => e.section === 'joints' && ![...turning, ...sliding, 'weld'].includes(e.draw),
  );
  const normal = axes[0];
  const parallel = (/** @type {Vector} */ a) => Math.abs(dot(a, normal)) > 1 - 1e-6;
  const planar = normal && others.length === 0 && axes.every(parallel);
  const heavy = Math.hypot(...scene.gravity) > 0;
  /** @type {Vector} */
  let up = heavy ? unit(scene.gravity.map((g) => -g)) : [0, 0, 1];
  if (planar && Math.abs(dot(up, normal)) > 0.5)
    up = Math.abs(normal[1]) < 0.5 ? [0, 1, 0] : [0, 0, 1];
  if (!planar) {
    const camera = new Camera();
    camera.stand(up);
    return { up, from: camera.axes().back };
  }
  const across = cross(up, normal);
  const side = -0.35 * Math.sign(across[0] + across[1] + across[2] || 1);
  return { up, from: unit([0, 1, 2].map((k) => normal[k] + side * across[k] + 0.3 * up[k])) };
}

/**
 * Mouse, touch, pen and keys on an element move the camera.
 * @param {Camera} camera
 * @param {HTMLElement} on
 */
export function control(camera, on) {
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  const height = () => Math.max(1, on.clientHeight);

  on.addEventListener('pointerdown', (event) => {
    on.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  on.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, now);
    if (other) {
      const size = (/** @type {{x: number, y: number}} */ p) =>
        Math.hypot(p.x - other.x, p.y - other.y);
      camera.pan(dx / 2 / height(), -dy / 2 / height());
      if (size(now) > 0) camera.zoom(size(before) / size(now));
    } else if (event.shiftKey || event.ctrlKey || event.buttons & 6)
      camera.pan(dx / height(), -dy / height());
    else camera.orbit((dx / height()) * 3, (dy / height()) * 3);
  });
  const end = (/** @type {PointerEvent} */ event) => pointers.delete(event.pointerId);
  on.addEventListener('pointerup', end);
  on.addEventListener('pointercancel', end);
  on.addEventListener('contextmenu', (event) => event.preventDefault());
  on.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      camera.zoom(Math.exp(Math.min(200, Math.max(-200, event.deltaY)) * 0.0015));
    },
    { passive: false },
  );
  on.addEventListener('keydown', (event) => {
    const step = 0.1;
    /** @type {{[key: string]: () => void}} */
    const turn = {
      ArrowLeft: () => camera.orbit(-step, 0),
      ArrowRight: () => camera.orbit(step, 0),
      ArrowUp: () => camera.orbit(0, step),
      ArrowDown: () => camera.orbit(0, -step),
    };
    const move = {
      ArrowLeft: () => camera.pan(step / 2, 0),
      ArrowRight: () => camera.pan(-step / 2, 0),
      ArrowUp: () => camera.pan(0, -step / 2),
      ArrowDown: () => camera.pan(0, step / 2),
    };
    const zoom = {
      '+': () => camera.zoom(0.9),
      '=': () => camera.zoom(0.9),
      '-': () => camera.zoom(1.1),
    };
    const act = /** @type {{[key: string]: () => void}} */ ({
      ...(event.shiftKey ? move : turn),
      ...zoom,
    })[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
}
