/**
 * Results as they stand in the page: descriptions as JSON, numbers packed by src/output/report*.c
 * as base64 of gzip.
 */

import { belong, readEvents } from './events.js';

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {string} unit
 * @property {string} meaning
 * @property {Float64Array} values [rows]
 * @property {Float64Array} [low] [rows] smallest value from this row to the next
 * @property {Float64Array} [high]
 * @property {string[]} [texts] that values 0, 1, ... stand for
 *
 * @typedef {object} Poses
 * @property {Float64Array} positions [3 bodies][rows] m, ground axes
 * @property {Float64Array} orientations [4 bodies][rows] w x y z
 *
 * @typedef {{name: string, unit: string, items: string[], components: number, quantum: number}}
 *   ArrayWords a quantum of 0: 24 bits of each number
 *
 * @typedef {object} Result
 * @property {number} number
 * @property {string} file
 * @property {string} table '' or 'events', of a table beside a result
 * @property {string} format
 * @property {number} all rows in the file
 * @property {number} every how many of them one shown row stands for
 * @property {number} rows shown
 * @property {boolean} exact columns hold what the file holds, else 24 bits of it
 * @property {Column[]} columns
 * @property {Column[]} own the account of each row
 * @property {Float64Array} first the first column, time
 * @property {string[]} bodies
 * @property {ArrayWords[]} packed what blocks hold
 * @property {{[name: string]: Float64Array}} arrays [items][components][rows]
 * @property {Poses | null} poses
 * @property {number} length m
 * @property {{[name: string]: string}} attributes
 * @property {{[name: string]: string}} account
 * @property {string} [made] the scene of its model, where the result has none
 * @property {[number, string][]} [failures] rows of a sweep, and what went wrong in them
 * @property {Result[]} tables
 * @property {import('./events.js').Events | null} events
 * @property {boolean} stray events stood beside it that are of another run
 * @property {{file: string, why: string}[]} missing tables beside it that cannot be read
 */

/**
 * @param {string} text
 * @returns {Promise<Uint8Array>}
 */
async function unpack(text) {
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Whole numbers of channels: the first value and second differences, zigzag, seven bits a byte. */
class Channels {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** The next number: exact up to 2^53. */
  next() {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128) return byte & 1 ? -(byte + 1) / 2 : byte / 2;
    let all = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = bytes[this.at++];
      all += (byte & 127) * scale;
    }
    return all % 2 ? -(all + 1) / 2 : all / 2;
  }

  /**
   * @param {Float64Array} into
   * @param {number} from
   * @param {number} n
   * @param {number} quantum
   */
  read(into, from, n, quantum) {
    let value = 0;
    let slope = 0;
    for (let i = 0; i < n; i++) {
      slope += this.next();
      value += slope;
      into[from + i] = value * quantum;
    }
  }
}

/**
 * Numbers of the order of 32-bit floats become those floats.
 * @param {Float64Array} values
 */
function floats(values) {
  const bits = new Uint32Array(1);
  const float = new Float32Array(bits.buffer);
  for (let i = 0; i < values.length; i++) {
    const order = values[i];
    bits[0] = order < 0 ? -order + 2147483648 : order;
    values[i] = float[0];
  }
}

/**
 * @param {Result} result
 * @param {Uint8Array} bytes
 */
function readColumns(result, bytes) {
  const { rows, columns } = result;
  const channels = new Channels(bytes);
  const kinds = result.every > 1 ? /** @type {const} */ (['values', 'low', 'high']) : ['values'];
  let at = 0;
  for (const kind of /** @type {('values' | 'low' | 'high')[]} */ (kinds))
    for (const column of columns) {
      const values = new Float64Array(rows);
      if (result.exact) {
        const raw = new Uint8Array(values.buffer);
        for (let byte = 0; byte < 8; byte++, at += rows)
          for (let i = 0; i < rows; i++) raw[8 * i + byte] = bytes[at + i];
      } else {
        channels.read(values, 0, rows, 1);
        floats(values);
      }
      column[kind] = values;
    }
}

/**
 * @param {Result} result
 * @param {string} name
 * @param {Uint8Array} bytes
 */
function readArray(result, name, bytes) {
  const words = result.packed.find((array) => array.name === name);
  if (!words) return;
  const { rows } = result;
  const channels = new Channels(bytes);
  const n = words.items.length * words.components;
  const values = new Float64Array(n * rows);
  for (let i = 0; i < n; i++) channels.read(values, i * rows, rows, words.quantum || 1);
  if (!words.quantum) floats(values);
  result.arrays[name] = values;
}

/**
 * The account of errors that a result has of every row, as columns beside those of the file: under
 * names that the file does not have.
 * @param {Result} result
 * @returns {Column[]}
 */
function ownColumns(result) {
  const { rows, columns, arrays, attributes } = result;
  /** @type {Column[]} */
  const own = [];
  const put = (
    /** @type {string} */ name,
    /** @type {string} */ unit,
    /** @type {string} */ meaning,
    /** @type {Float64Array | undefined} */ values,
  ) => {
    const known = values?.some((x) => Number.isFinite(x)) ?? false;
    if (values && known && !columns.some((c) => c.name === name))
      own.push({ name, unit, meaning, values });
  };
  const part = (/** @type {string} */ name, /** @type {number} */ i) =>
    arrays[name]?.subarray(i * rows, (i + 1) * rows);
  const total = part('run.energy', 2);
  const work = part('run.energy', 3);
  put('energy.kinetic', 'J', 'kinetic energy', part('run.energy', 0));
  put('energy.potential', 'J', 'potential energy', part('run.energy', 1));
  put('energy.total', 'J', 'total energy', total);
  if (attributes.work === 'followed') put('energy.work', 'J', 'work of loads', work);
  if (total && work && attributes.work !== 'not followed')
    put(
      'energy_drift',
      'J',
      'change of energy without the work of loads',
      total.map((e, i) => e - total[0] - (work[i] - work[0])),
    );
  put('constraint_drift.positions', 'm', 'largest constraint equation', part('run.drift', 0));
  put('constraint_drift.velocities', 'm/s', 'largest constraint equation', part('run.drift', 1));
  put('step_size', 's', 'size of the last step', part('run.steps', 0));
  put('steps', '1', 'steps so far', part('run.steps', 1));
  put('rejected_steps', '1', 'rejected steps so far', part('run.steps', 2));
  put('iterations', '1', 'iterations so far', part('run.steps', 3));
  return own;
}

/** @param {Result} result */
function setPoses(result) {
  const positions = result.arrays['bodies.position'];
  const orientations = result.arrays['bodies.orientation'];
  const words = result.packed.find((array) => array.name === 'bodies.position');
  result.bodies = words?.items ?? [];
  result.poses = positions && orientations ? { positions, orientations } : null;
  if (!result.poses) result.bodies = [];
}

/**
 * All results of the page, each with its tables.
 * @returns {Promise<Result[]>}
 */
export async function readResults() {
  /** @type {Map<string, Result>} */
  const parts = new Map();
  for (const script of document.querySelectorAll('script.part')) {
    const part = JSON.parse(script.textContent ?? '');
    part.tables = [];
    part.events = null;
    part.stray = false;
    part.missing = [];
    part.arrays = {};
    parts.set(part.table ? `${part.number}.${part.table}` : String(part.number), part);
  }
  const blocks = [...document.querySelectorAll('script.block')];
  await Promise.all(
    blocks.map(async (script) => {
      const { of, holds } = /** @type {HTMLElement} */ (script).dataset;
      const result = parts.get(of ?? '');
      const bytes = await unpack(script.textContent ?? '');
      script.remove();
      if (result && holds === 'columns') readColumns(result, bytes);
      else if (result) readArray(result, holds ?? '', bytes);
    }),
  );
  const results = [];
  for (const part of parts.values()) {
    if (part.rows === 1 && !part.table && part.columns[0].name !== 'time')
      part.columns.unshift({ name: 'state', unit: '1', meaning: '', values: new Float64Array(1) });
    // a run for the page alone had its rows in a file that is gone
    if (part.account?.kept === '0') part.file = part.file.replace(/\.part\.nc$/, '');
    part.first = part.columns[0].values;
    setPoses(part);
    part.own = ownColumns(part);
    if (part.table) parts.get(String(part.number))?.tables.push(part);
    else results.push(part);
  }
  for (const script of document.querySelectorAll('script.events')) {
    const { number, text, whole } = JSON.parse(script.textContent ?? '');
    const result = results.find((r) => r.number === number);
    const events = readEvents(text, whole);
    if (result && belong(events, result)) result.events = events;
    else if (result) result.stray = true;
  }
  for (const script of document.querySelectorAll('script.missing')) {
    const { number, file, why } = JSON.parse(script.textContent ?? '');
    results.find((r) => r.number === number)?.missing.push({ file, why });
  }
  return results.sort((a, b) => a.number - b.number);
}

/**
 * The last row at or before a time: 0 to rows - 1.
 * @param {Float64Array} times ascending
 * @param {number} t
 */
export function rowAt(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The row that is nearest to a time.
 * @param {Float64Array} times
 * @param {number} t
 */
export function nearestRow(times, t) {
  const i = rowAt(times, t);
  return i + 1 < times.length && times[i + 1] - t < t - times[i] ? i + 1 : i;
}

/**
 * Values at times of another result, linear between rows; NaN outside.
 * @param {Float64Array} times
 * @param {Float64Array} values
 * @param {Float64Array} at
 */
export function interpolate(times, values, at) {
  const last = times.length - 1;
  return at.map((t) => {
    if (last < 0 || t < times[0] || t > times[last]) return NaN;
    const i = Math.min(rowAt(times, t), Math.max(0, last - 1));
    const step = times[i + 1] - times[i];
    if (last === 0 || !(step > 0)) return values[i];
    return values[i] + ((values[i + 1] - values[i]) * (t - times[i])) / step;
  });
}
