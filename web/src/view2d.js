/** A drawing of the motion in two dimensions, for browsers without WebGL. */

import { style } from './dom.js';
import { shapeRadius } from './mechanism.js';
import { ghosts } from './colors.js';

/** @typedef {import('./mechanism.js').Mechanism} Mechanism */

export class View2D {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Mechanism[]} mechanisms
   * @param {import('./camera.js').Camera} camera
   */
  constructor(canvas, mechanisms, camera) {
    this.canvas = canvas;
    this.mechanisms = mechanisms;
    this.camera = camera;
    const context = canvas.getContext('2d');
    if (!context) throw new Error('the browser draws nothing');
    this.context = context;
    this.extent = mechanisms[0].extent();
    /** @type {Set<string>} */
    this.hidden = new Set();
    /** @type {string | null} */
    this.marked = null;
    this.ghostsShown = true;
    this.trailsShown = true;
    this.paths = mechanisms.map((m) => m.scene.trails.map((t) => m.path(t.body, t.at)));
    this.ratio = 1;
    this.axes = camera.axes();
  }

  paint() {}

  adapt() {}

  /** @param {number} width @param {number} height in CSS pixels */
  resize(width, height) {
    this.ratio = Math.min(2, window.devicePixelRatio);
    this.canvas.width = Math.max(1, Math.round(width * this.ratio));
    this.canvas.height = Math.max(1, Math.round(height * this.ratio));
  }

  /**
   * Pixels of a point, and of a length there; null behind the eye.
   * @param {ArrayLike<number>} at
   */
  project(at) {
    const { camera, canvas } = this;
    const { back, right, up } = this.axes;
    let [x, y, depth] = [0, 0, camera.distance];
    for (let k = 0; k < 3; k++) {
      const d = at[k] - camera.target[k];
      x += d * right[k];
      y += d * up[k];
      depth -= d * back[k];
    }
    if (camera.perspective && depth <= 0.01 * camera.distance) return null;
    const scale =
      (canvas.height / (2 * camera.halfHeight)) *
      (camera.perspective ? camera.distance / depth : 1);
    return { x: canvas.width / 2 + x * scale, y: canvas.height / 2 - y * scale, scale };
  }

  /**
   * @param {ArrayLike<number>[]} points
   * @param {string} color
   * @param {number} width
   */
  line(points, color, width) {
    const { context } = this;
    context.strokeStyle = color;
    context.lineWidth = width * this.ratio;
    context.beginPath();
    let drawing = false;
    for (const point of points) {
      const at = this.project(point);
      if (at && drawing) context.lineTo(at.x, at.y);
      else if (at) context.moveTo(at.x, at.y);
      drawing = at !== null;
    }
    context.stroke();
  }

  draw() {
    const { context, canvas } = this;
    this.axes = this.camera.axes();
    context.fillStyle = style('--canvas');
    context.fillRect(0, 0, canvas.width, canvas.height);
    this.mechanisms.forEach((mechanism, i) => {
      if (i === 0 || this.ghostsShown) this.drawMechanism(mechanism, i);
    });
  }

  /** @param {Mechanism} m @param {number} number */
  drawMechanism(m, number) {
    const tint = number === 0 ? null : ghosts[(number - 1) % ghosts.length];
    if (this.trailsShown)
      m.scene.trails.forEach((trail, i) => {
        const body = m.scene.bodies[trail.body];
        if (this.hidden.has(body.name)) return;
        const path = this.paths[number][i];
        const points = [];
        for (let row = 0; row <= m.row; row++) points.push(path.subarray(3 * row, 3 * row + 3));
        this.line(points, tint ?? body.color, 1);
      });
    m.scene.bodies.forEach((body, i) => {
      if (this.hidden.has(body.name)) return;
      const color = this.marked === body.name ? style('--mark') : (tint ?? body.color);
      for (const shape of body.shapes) this.outline(m, i, shape, color);
    });
    for (const e of m.scene.elements) {
      if (this.hidden.has(e.name) || e.points.length === 0) continue;
      const color = this.marked === e.name ? style('--mark') : (tint ?? style('--text'));
      const now = e.load === null ? null : m.load(e.load);
      if (now) continue;
      this.line(
        e.points.map((p) => m.place(p.body, p.at)),
        color,
        e.draw === 'beam' ? 4 : 2,
      );
      const at = this.project(m.place(e.points[0].body, e.points[0].at));
      if (at) this.dot(at, 3, color);
    }
  }

  /** @param {{x: number, y: number}} at @param {number} radius @param {string} color */
  dot(at, radius, color) {
    this.context.fillStyle = color;
    this.context.beginPath();
    this.context.arc(at.x, at.y, radius * this.ratio, 0, 2 * Math.PI);
    this.context.fill();
  }

  /**
   * @param {Mechanism} m
   * @param {number} body
   * @param {import('./mechanism.js').Shape} shape
   * @param {string} color
   */
  outline(m, body, shape, color) {
    const corners = (/** @type {number[]} */ p) => {
      const [w, x, y, z] = shape.orientation;
      const [tx, ty, tz] = [
        2 * (y * p[2] - z * p[1]),
        2 * (z * p[0] - x * p[2]),
        2 * (x * p[1] - y * p[0]),
      ];
      return m.place(body, [
        shape.at[0] + p[0] + w * tx + y * tz - z * ty,
        shape.at[1] + p[1] + w * ty + z * tx - x * tz,
        shape.at[2] + p[2] + w * tz + x * ty - y * tx,
      ]);
    };
    const [a, b, c] = shape.size;
    if (shape.kind === 'box') {
      const corner = (/** @type {number} */ i) =>
        corners([((i & 1) - 0.5) * a, (((i >> 1) & 1) - 0.5) * b, ((i >> 2) - 0.5) * c]);
      for (const way of [
        [0, 1, 3, 2, 0, 4, 5, 7, 6, 4],
        [1, 5],
        [3, 7],
        [2, 6],
      ])
        this.line(way.map(corner), color, 1.5);
    } else if (['cylinder', 'capsule', 'cone', 'tube'].includes(shape.kind)) {
      const half = (shape.kind === 'tube' ? c : b) / 2;
      const circle = (/** @type {number} */ z) =>
        [...Array(25).keys()].map((i) =>
          corners([a * Math.cos((i * Math.PI) / 12), a * Math.sin((i * Math.PI) / 12), z]),
        );
      this.line(circle(-half), color, 1.5);
      if (shape.kind !== 'cone') this.line(circle(half), color, 1.5);
      const tip = shape.kind === 'cone' ? 0 : a;
      for (const s of [-1, 1])
        this.line([corners([s * a, 0, -half]), corners([s * tip, 0, half])], color, 1.5);
    } else {
      const at = this.project(corners([0, 0, 0]));
      if (!at) return;
      this.context.strokeStyle = color;
      this.context.lineWidth = 1.5 * this.ratio;
      this.context.beginPath();
      this.context.arc(at.x, at.y, Math.max(2, shapeRadius(shape) * at.scale), 0, 2 * Math.PI);
      this.context.stroke();
    }
  }

  /** @param {string | null} name */
  mark(name) {
    this.marked = name;
  }

  /**
   * The body whose place is nearest to a place of the canvas.
   * @param {number} x from -1 to 1
   * @param {number} y
   * @returns {string | null}
   */
  nameAt(x, y) {
    this.axes = this.camera.axes();
    const [px, py] = [((x + 1) / 2) * this.canvas.width, ((1 - y) / 2) * this.canvas.height];
    let [best, nearest] = [/** @type {string | null} */ (null), 15 * this.ratio];
    const m = this.mechanisms[0];
    m.scene.bodies.forEach((body, i) => {
      const at = i > 0 && this.project(m.place(i, body.center));
      const far = at ? Math.hypot(at.x - px, at.y - py) : Infinity;
      if (far < nearest) [best, nearest] = [body.name, far];
    });
    return best;
  }
}
