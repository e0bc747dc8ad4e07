/** Shapes of bodies as triangles. */

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  EdgesGeometry,
  ExtrudeGeometry,
  LatheGeometry,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Quaternion,
  Shape as Outline,
  SphereGeometry,
  Vector2,
  Vector3,
} from 'three';

/** @typedef {import('./mechanism.js').Shape} Shape */

/**
 * @param {string} text base64
 */
function bytesOf(text) {
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  return bytes.buffer;
}

/** @type {WeakMap<object, BufferGeometry>} */
const meshes = new WeakMap();

/** @param {import('./mechanism.js').Mesh} mesh */
function meshGeometry(mesh) {
  let geometry = meshes.get(mesh);
  if (!geometry) {
    geometry = new BufferGeometry();
    geometry.setAttribute(
      'position',
      new BufferAttribute(new Float32Array(bytesOf(mesh.points)), 3),
    );
    geometry.setIndex(new BufferAttribute(new Uint32Array(bytesOf(mesh.corners)), 1));
    geometry = geometry.toNonIndexed();
    geometry.computeVertexNormals();
    meshes.set(mesh, geometry);
  }
  return geometry;
}

/** @param {[number, number][]} corners */
function outlineOf(corners) {
  return new Outline(corners.map(([x, y]) => new Vector2(x, y)));
}

/**
 * @param {Shape} shape
 * @param {import('./mechanism.js').Mesh[]} all
 * @param {number} around corners of a circle
 * @returns {BufferGeometry | null}
 */
function geometryOf(shape, all, around) {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case 'box':
      return new BoxGeometry(a, b, c);
    case 'sphere':
      return new SphereGeometry(a, around, around / 2).rotateX(Math.PI / 2);
    case 'ellipsoid':
      return new SphereGeometry(1, around, around / 2).rotateX(Math.PI / 2).scale(a, b, c);
    case 'cylinder':
      return new CylinderGeometry(a, a, b, around).rotateX(Math.PI / 2);
    case 'cone':
      return new ConeGeometry(a, b, around).rotateX(Math.PI / 2);
    case 'capsule':
      return new CapsuleGeometry(a, b, Math.ceil(around / 8), Math.ceil(around / 2)).rotateX(
        Math.PI / 2,
      );
    case 'tube': {
      const h = c / 2;
      const ring = [
        [b, -h],
        [a, -h],
        [a, h],
        [b, h],
        [b, -h],
      ].map(([x, y]) => new Vector2(x, y));
      return new LatheGeometry(ring, around).rotateX(Math.PI / 2).toNonIndexed();
    }
    case 'polygon': {
      const outline = outlineOf(shape.outline ?? []);
      return new ExtrudeGeometry(outline, { depth: a, bevelEnabled: false }).translate(
        0,
        0,
        -a / 2,
      );
    }
    case 'mesh': {
      const mesh = all[shape.mesh ?? -1];
      return mesh ? meshGeometry(mesh).clone().scale(a, a, a) : null;
    }
    default:
      return null;
  }
}

/**
 * A geometry in one piece with others.
 * @typedef {{geometry: BufferGeometry, matrix: Matrix4, color: string}} Piece
 */

/**
 * All pieces as one mesh, so that a body is drawn in one go.
 * @param {Piece[]} pieces
 * @param {number} [opacity]
 */
export function merge(pieces, opacity) {
  const plain = pieces.map(({ geometry, matrix }) => geometry.clone().applyMatrix4(matrix));
  const n = plain.reduce((sum, g) => sum + g.attributes.position.count, 0);
  const [positions, normals, colors] = [0, 0, 0].map(() => new Float32Array(3 * n));
  /** @type {number[]} */
  const index = [];
  let at = 0;
  plain.forEach((g, i) => {
    const { r, g: green, b } = new Color(pieces[i].color);
    const { count } = g.attributes.position;
    positions.set(g.attributes.position.array, 3 * at);
    normals.set(g.attributes.normal.array, 3 * at);
    for (let k = 0; k < count; k++) colors.set([r, green, b], 3 * (at + k));
    const corners = g.index ? g.index.array : [...Array(count).keys()];
    for (const corner of corners) index.push(at + corner);
    at += count;
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setAttribute('color', new BufferAttribute(colors, 3));
  geometry.setIndex(index);
  const paint = material('#ffffff', opacity);
  paint.vertexColors = true;
  return new Mesh(geometry, paint);
}

/**
 * The shapes of a body as one mesh; null where it has none.
 * @param {Shape[]} shapes
 * @param {import('./mechanism.js').Mesh[]} meshesOfScene
 * @param {{color?: string, opacity?: number, edges?: boolean, around?: number}} look
 */
export function solid(shapes, meshesOfScene, look = {}) {
  /** @type {Piece[]} */
  const pieces = [];
  const size = new Vector3(1, 1, 1);
  for (const shape of shapes) {
    const geometry = geometryOf(shape, meshesOfScene, look.around ?? 32);
    if (!geometry) continue;
    if (shape.kind === 'tube') geometry.computeVertexNormals();
    const [w, x, y, z] = shape.orientation;
    const matrix = new Matrix4().compose(
      new Vector3(...shape.at),
      new Quaternion(x, y, z, w),
      size,
    );
    pieces.push({ geometry, matrix, color: look.color ?? shape.color });
  }
  if (pieces.length === 0) return null;
  const mesh = merge(pieces, look.opacity);
  if (look.edges) mesh.add(edges(pieces.filter((_, i) => shapes[i].kind !== 'mesh')));
  return mesh;
}

const edgeLook = new LineBasicMaterial({ color: '#000000', transparent: true, opacity: 0.35 });

/** Lines where faces meet at a corner. @param {Piece[]} pieces */
function edges(pieces) {
  const corners = pieces.flatMap(({ geometry, matrix }) => [
    ...new EdgesGeometry(geometry, 40).applyMatrix4(matrix).attributes.position.array,
  ]);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners), 3));
  const lines = new LineSegments(geometry, edgeLook);
  lines.raycast = () => {};
  return lines;
}

/**
 * @param {string} color
 * @param {number} [opacity]
 */
export function material(color, opacity = 1) {
  const made = new MeshLambertMaterial({ color, transparent: opacity < 1, opacity });
  made.side = 2; // meshes may have their corners either way round
  return made;
}
