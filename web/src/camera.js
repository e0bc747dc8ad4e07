/**
 * Where the mechanism is looked at from: a point on a sphere about a target, z up. The same for the
 * view in three dimensions and the drawing in two.
 */

const STEEPEST = Math.PI / 2 - 1e-4;

/** @typedef {[number, number, number]} Vector */

export class Camera {
  constructor() {
    /** @type {Vector} */
    this.target = [0, 0, 0];
    this.distance = 5;
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

  /** Towards the eye, to the right and upward: unit vectors. */
  axes() {
    const [ca, sa] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    return {
      back: /** @type {Vector} */ ([ce * ca, ce * sa, se]),
      right: /** @type {Vector} */ ([-sa, ca, 0]),
      up: /** @type {Vector} */ ([-se * ca, -se * sa, ce]),
    };
  }

  /** @returns {Vector} */
  eye() {
    const { back } = this.axes();
    return [0, 1, 2].map((k) => this.target[k] + this.distance * back[k]);
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
   * Sees all of a sphere.
   * @param {Vector} centre
   * @param {number} radius
   * @param {number} shape width over height
   */
  fit(centre, radius, shape) {
    this.target = [...centre];
    const half = Math.min(this.angle / 2, Math.atan(Math.tan(this.angle / 2) * shape));
    this.distance = Math.max(1e-9, radius) / Math.sin(half);
    this.tell();
  }

  /** @param {'x' | 'y' | 'z' | '-x' | '-y' | '-z' | 'iso'} axis the direction to look from */
  along(axis) {
    const places = {
      x: [0, 0],
      '-x': [Math.PI, 0],
      y: [Math.PI / 2, 0],
      '-y': [-Math.PI / 2, 0],
      z: [-Math.PI / 2, STEEPEST],
      '-z': [-Math.PI / 2, -STEEPEST],
      iso: [-Math.PI / 3, Math.PI / 8],
    };
    [this.azimuth, this.elevation] = places[axis];
    this.tell();
  }
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
      const size = (/** @type {{x: number, y: number}} */ p) => Math.hypot(p.x - other.x, p.y - other.y);
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
    const zoom = { '+': () => camera.zoom(0.9), '=': () => camera.zoom(0.9), '-': () => camera.zoom(1.1) };
    const act = /** @type {{[key: string]: () => void}} */ ({ ...(event.shiftKey ? move : turn), ...zoom })[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
}
