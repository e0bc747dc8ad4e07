/** The mechanism in three dimensions. */

import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  OrthographicCamera,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';

import { ghosts } from './colors.js';
import { style } from './dom.js';
import { Links } from './links.js';
import { solid } from './solids.js';

/**
 * @typedef {import('./mechanism.js').Mechanism} Mechanism
 * @typedef {{name: string, object: Group, update: () => void}} Part
 */

const MOST_EDGED = 60; // shapes that are drawn finely, with their edges
const MOST_POINTS = 1500; // of a path
const SLOW = 45; // ms between frames, from where on the picture is made coarser

/** Whether triangles are drawn by the processor: then edges are not smoothed. */
function drawsSlowly() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const known = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && known ? String(gl.getParameter(known.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class View3D {
  /**
   * Throws where the browser has no WebGL.
   * @param {HTMLCanvasElement} canvas
   * @param {Mechanism[]} mechanisms the first is the one that is followed
   * @param {import('./camera.js').Camera} camera
   */
  constructor(canvas, mechanisms, camera) {
    this.canvas = canvas;
    this.mechanisms = mechanisms;
    this.camera = camera;
    this.renderer = new WebGLRenderer({ canvas, antialias: !drawsSlowly() });
    this.scene = new Scene();
    this.lenses = { near: new PerspectiveCamera(), far: new OrthographicCamera() };
    for (const lens of Object.values(this.lenses)) lens.up.set(0, 0, 1);
    /** @type {Part[]} */
    this.parts = [];
    /** @type {Set<string>} */
    this.hidden = new Set();
    /** @type {string | null} */
    this.marked = null;
    this.extent = mechanisms[0].extent();
    this.sharpness = 1;
    this.ghostsShown = true;
    this.trailsShown = true;
    this.lights();
    this.ground = this.grid();
    this.scene.add(this.ground);
    mechanisms.forEach((mechanism, i) => this.build(mechanism, i));
    this.paint();
  }

  lights() {
    this.scene.add(new AmbientLight(0xffffff, 1.3));
    this.sun = new DirectionalLight(0xffffff, 1.9);
    this.scene.add(this.sun, this.sun.target);
  }

  /** A grid across gravity, below all that moves, and an arrow along it. */
  grid() {
    const { near } = this.extent;
    const { center } = near;
    const g = new Vector3(...this.mechanisms[0].scene.gravity);
    const down = new Vector3(...this.camera.base[2]).negate();
    const step = 10 ** Math.round(Math.log10(near.radius / 3));
    const n = Math.min(150, Math.ceil(((this.extent.travels ? 6 : 1.5) * near.radius) / step));
    this.step = step;
    const points = [];
    for (let i = -n; i <= n; i++) {
      points.push(i * step, -n * step, 0, i * step, n * step, 0);
      points.push(-n * step, i * step, 0, n * step, i * step, 0);
    }
    if (g.length() > 0) {
      const [l, h] = [0.3 * near.radius, 0.05 * near.radius];
      const x = -n * step;
      points.push(x, x, l, x, x, 0, x, x, 0, x + h, x, 2 * h, x, x, 0, x - h, x, 2 * h);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    const lines = new LineSegments(geometry, new LineBasicMaterial());
    lines.quaternion.setFromUnitVectors(new Vector3(0, 0, -1), down);
    lines.position.set(...center).addScaledVector(down, this.depth(down) + 0.02 * near.radius);
    return lines;
  }

  /** How far all that is seen reaches from its middle along a direction. @param {Vector3} down */
  depth(down) {
    const { low, high } = this.extent.travels ? this.extent : this.extent.near;
    return [down.x, down.y, down.z].reduce(
      (sum, d, k) => sum + (Math.abs(d) * (high[k] - low[k])) / 2,
      0,
    );
  }

  /**
   * @param {Mechanism} mechanism
   * @param {number} number of the result
   */
  build(mechanism, number) {
    const shapes = mechanism.scene.bodies.reduce((n, b) => n + b.shapes.length, 0);
    const around = shapes <= MOST_EDGED ? 32 : 14;
    const look =
      number === 0
        ? { around, edges: shapes <= MOST_EDGED }
        : { around, color: ghosts[(number - 1) % ghosts.length], opacity: 0.45 };
    const { scene } = mechanism;
    scene.bodies.forEach((body, i) => {
      const object = new Group();
      const made = solid(body.shapes, scene.meshes, look);
      if (made) object.add(made);
      const [p, q] = [mechanism.positions, mechanism.orientations];
      const update = () => {
        object.position.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
        object.quaternion.set(q[4 * i + 1], q[4 * i + 2], q[4 * i + 3], q[4 * i]);
      };
      this.keep(body.name, object, update, number);
    });
    const links = new Links(mechanism, look);
    for (const e of scene.elements) {
      const drawn = links.draw(e);
      if (drawn) this.keep(e.name, drawn.object, drawn.update, number);
    }
    for (const trail of scene.trails)
      this.trail(mechanism, trail, 'color' in look ? look.color : undefined);
  }

  /**
   * @param {string} name
   * @param {Group} object
   * @param {() => void} update
   * @param {number} number
   */
  keep(name, object, update, number) {
    object.userData = { name, number };
    this.scene.add(object);
    this.parts.push({ name, object, update });
  }

  /**
   * @param {Mechanism} mechanism
   * @param {import('./mechanism.js').Spot} trail
   * @param {string | undefined} color
   */
  trail(mechanism, trail, color) {
    const path = mechanism.path(trail.body, trail.at, MOST_POINTS);
    const points = path.length / 3;
    const { rows } = mechanism.result;
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(path, 3));
    const body = mechanism.scene.bodies[trail.body];
    const line = new Line(geometry, new LineBasicMaterial({ color: color ?? body.color }));
    line.frustumCulled = false;
    const object = new Group();
    object.add(line);
    const update = () => {
      object.visible = object.visible && this.trailsShown;
      const passed = rows > 1 ? (mechanism.row + mechanism.part) / (rows - 1) : 0;
      geometry.setDrawRange(0, Math.round(passed * (points - 1)) + 1);
    };
    object.userData = { name: body.name, number: 0, trail: true };
    this.scene.add(object);
    this.parts.push({ name: body.name, object, update });
  }

  /** Colours of the page. */
  paint() {
    this.scene.background = new Color(style('--canvas'));
    /** @type {LineBasicMaterial} */ (this.ground.material).color = new Color(style('--grid'));
  }

  /** @param {number} width @param {number} height in CSS pixels */
  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio) * this.sharpness);
    this.renderer.setSize(width, height, false);
    const lens = this.lenses.near;
    lens.aspect = width / Math.max(1, height);
    this.shape = lens.aspect;
  }

  /** Keeps the motion fluent where drawing is slow. @param {number} passed ms since the frame before */
  adapt(passed) {
    if (passed > SLOW && passed < 1000) this.late = (this.late ?? 0) + 1;
    else this.late = Math.max(0, (this.late ?? 0) - 1);
    if (this.late < 6 || this.sharpness < 0.5) return;
    this.late = 0;
    this.sharpness *= 0.75;
    this.resize(this.canvas.clientWidth, this.canvas.clientHeight);
  }

  lens() {
    const { camera } = this;
    const eye = camera.eye();
    const reach = camera.distance + 20 * this.extent.radius;
    const lens = camera.perspective ? this.lenses.near : this.lenses.far;
    lens.position.set(...eye);
    if (lens instanceof PerspectiveCamera) {
      lens.fov = (camera.angle * 180) / Math.PI;
      lens.near = Math.max(camera.distance * 0.01, reach * 1e-6);
    } else {
      const half = camera.halfHeight;
      [lens.top, lens.bottom] = [half, -half];
      [lens.right, lens.left] = [half * (this.shape ?? 1), -half * (this.shape ?? 1)];
      lens.near = -reach;
    }
    lens.far = reach;
    const { up } = camera.axes();
    lens.up.set(...up);
    lens.lookAt(...camera.target);
    lens.updateProjectionMatrix();
    lens.updateMatrixWorld();
    const { back, right } = camera.axes();
    for (let k = 0; k < 3; k++)
      this.sun?.position.setComponent(
        k,
        eye[k] + camera.distance * (0.5 * up[k] + 0.4 * right[k] + 0.1 * back[k]),
      );
    this.sun?.target.position.set(...camera.target);
    this.sun?.target.updateMatrixWorld();
    return lens;
  }

  draw() {
    for (const part of this.parts) {
      const { number } = part.object.userData;
      part.object.visible = !this.hidden.has(part.name) && (number === 0 || this.ghostsShown);
      if (part.object.visible) part.update();
    }
    if (this.extent.travels) this.moveGround();
    this.renderer.render(this.scene, this.lens());
  }

  /** The grid goes with what travels, by whole steps. */
  moveGround() {
    const step = this.step ?? 1;
    const { center } = this.extent.near;
    const way = new Vector3(...this.camera.target).sub(new Vector3(...center));
    for (const axis of [new Vector3(1, 0, 0), new Vector3(0, 1, 0)]) {
      axis.applyQuaternion(this.ground.quaternion);
      const steps = Math.round(way.dot(axis) / step);
      const before = this.ground.userData[`${axis.x} ${axis.y} ${axis.z}`] ?? 0;
      this.ground.position.addScaledVector(axis, (steps - before) * step);
      this.ground.userData[`${axis.x} ${axis.y} ${axis.z}`] = steps;
    }
  }

  /** @param {string | null} name of what is to stand out */
  mark(name) {
    if (this.marked === name) return;
    this.marked = name;
    for (const part of this.parts)
      part.object.traverse((o) => {
        const painted = /** @type {any} */ (o).material;
        if (painted?.emissive)
          painted.emissive.set(part.name === name && name !== null ? '#6a5a00' : '#000000');
      });
  }

  /**
   * The name of what is seen at a place of the canvas.
   * @param {number} x from -1 to 1
   * @param {number} y
   * @returns {string | null}
   */
  nameAt(x, y) {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.lens());
    ray.params.Line.threshold = 0.005 * this.camera.distance;
    const objects = this.parts
      .filter((p) => p.object.visible && !p.object.userData.trail)
      .map((p) => p.object);
    const [hit] = ray.intersectObjects(objects, true);
    /** @type {import('three').Object3D | null} */
    let object = hit?.object ?? null;
    while (object && !object.userData.name) object = object.parent;
    return object?.userData.name ?? null;
  }
}
