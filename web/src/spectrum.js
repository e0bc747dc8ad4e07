/** Amplitudes over frequency of a record whose rows are equally far apart. */

import uPlot from 'uplot';

import { append, element, select, style } from './dom.js';
import { derivative, number, shortened } from './words.js';

/**
 * The transform of n = 2^k complex numbers, in place.
 * @param {Float64Array} re
 * @param {Float64Array} im
 */
function transform(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    const angle = (-2 * Math.PI) / size;
    for (let k = 0; k < size / 2; k++) {
      const [c, s] = [Math.cos(angle * k), Math.sin(angle * k)];
      for (let i = k; i < n; i += size) {
        const j = i + size / 2;
        const [x, y] = [re[j] * c - im[j] * s, re[j] * s + im[j] * c];
        [re[j], im[j]] = [re[i] - x, im[i] - y];
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

/**
 * Amplitudes with Hann's window, the mean taken off: a sine of amplitude a gives a line of height a.
 * @param {Float64Array} times
 * @param {Float64Array} values
 * @returns {{frequency: number[], amplitude: number[]} | null} null where rows are not equally far apart
 */
export function spectrum(times, values) {
  const n = times.length;
  const step = (times[n - 1] - times[0]) / (n - 1);
  if (n < 8 || times.some((t, i) => i > 0 && Math.abs(t - times[i - 1] - step) > 1e-3 * step))
    return null;
  const size = 2 ** Math.ceil(Math.log2(8 * n)); // lines lie closely: none is met aslant
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  const mean = values.reduce((sum, x) => sum + x, 0) / n;
  let weight = 0;
  for (let i = 0; i < n; i++) {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / n);
    weight += window;
    re[i] = window * (values[i] - mean);
  }
  transform(re, im);
  const frequency = Array.from({ length: size / 2 }, (_, k) => k / (size * step));
  return { frequency, amplitude: frequency.map((_, k) => (2 * Math.hypot(re[k], im[k])) / weight) };
}

/** The tab: one record of the first result. @param {import('./data.js').Result} result */
export function spectrumTab(result) {
  const root = element('div', {});
  const host = element('div', { class: 'curves' });
  const said = element('p', { class: 'note', role: 'status' });
  const columns = result.columns.slice(1).filter((c) => !derivative(c.name));
  /** @type {uPlot | null} */
  let plot = null;
  const show = (/** @type {number} */ i) => {
    plot?.destroy();
    plot = null;
    const column = columns[i];
    const found = spectrum(result.first, column.values);
    const text = (/** @type {string} */ words) => (said.textContent = words);
    if (!found) {
      text('The rows are not equally far apart in time: there is no spectrum of them.');
      return;
    }
    const { frequency, amplitude } = found;
    const top = amplitude.reduce((most, x, k) => (x > amplitude[most] ? k : most), 0);
    text(
      `Largest line: ${number(amplitude[top], 5)} ${column.unit} at ${number(frequency[top], 5)} Hz.`,
    );
    const axis = { stroke: style('--text'), grid: { stroke: style('--grid'), width: 1 } };
    plot = new uPlot(
      {
        width: Math.max(200, host.clientWidth || 600),
        height: 240,
        legend: { show: false },
        scales: { x: { time: false } },
        series: [{}, { stroke: style('--accent'), width: 1.5 }],
        axes: [
          { ...axis, label: 'frequency / Hz' },
          { ...axis, label: column.unit, size: 70, values: (_, t) => t.map((x) => number(x, 5)) },
        ],
      },
      [frequency, amplitude],
      host,
    );
  };
  const choices = columns.map(
    (c, i) => /** @type {[string, string]} */ ([String(i), shortened(c.name, 60)]),
  );
  const list = select('Record of the spectrum', choices, '0', (value) => show(Number(value)));
  append(root, [list, said, host]);
  if (columns.length) requestAnimationFrame(() => show(0));
  return root;
}
