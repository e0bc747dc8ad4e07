/** Shapes of bodies as triangles. */

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  EdgesGeometry,
  ExtrudeGeometry,
  LatheGeometry,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  Shape as Outline,
  SphereGeometry,
  Vector2,
} from 'three';

/** @typedef {import('./mechanism.js').Shape} Shape */

const AROUND = 32; // corners of a circle

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
 * @returns {BufferGeometry | null}
 */
function geometryOf(shape, all) {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case 'box':
      return new BoxGeometry(a, b, c);
    case 'sphere':
      return new SphereGeometry(a, AROUND, AROUND / 2).rotateX(Math.PI / 2);
    case 'ellipsoid':
      return new SphereGeometry(1, AROUND, AROUND / 2).rotateX(Math.PI / 2).scale(a, b, c);
    case 'cylinder':
      return new CylinderGeometry(a, a, b, AROUND).rotateX(Math.PI / 2);
    case 'cone':
      return new ConeGeometry(a, b, AROUND).rotateX(Math.PI / 2);
    case 'capsule':
      return new CapsuleGeometry(a, b, 4, 12).rotateX(Math.PI / 2);
    case 'tube': {
      const h = c / 2;
      const ring = [
        [b, -h],
        [a, -h],
        [a, h],
        [b, h],
        [b, -h],
      ].map(([x, y]) => new Vector2(x, y));
      return new LatheGeometry(ring, AROUND).rotateX(Math.PI / 2).toNonIndexed();
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
 * @param {Shape} shape
 * @param {import('./mechanism.js').Mesh[]} meshesOfScene
 * @param {{color?: string, opacity?: number, edges?: boolean}} look
 */
export function solid(shape, meshesOfScene, look = {}) {
  const geometry = geometryOf(shape, meshesOfScene);
  if (!geometry) return null;
  if (shape.kind === 'tube') geometry.computeVertexNormals();
  const mesh = new Mesh(geometry, material(look.color ?? shape.color, look.opacity));
  const [w, x, y, z] = shape.orientation;
  mesh.position.set(...shape.at);
  mesh.quaternion.set(x, y, z, w);
  mesh.updateMatrix();
  mesh.matrixAutoUpdate = false;
  if (look.edges && shape.kind !== 'mesh') mesh.add(edges(geometry));
  return mesh;
}

const edgeLook = new LineBasicMaterial({ color: '#000000', transparent: true, opacity: 0.35 });

/** Lines where faces meet at a corner. @param {BufferGeometry} geometry */
function edges(geometry) {
  const lines = new LineSegments(new EdgesGeometry(geometry, 40), edgeLook);
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
