/** Curves in tabs: over whatever axis, redrawn as the cursor moves. */

import uPlot from 'uplot';

import { curves, dashes } from './colors.js';
import { element, style } from './dom.js';
import { number } from './words.js';

/**
 * @typedef {{label: string, values: ArrayLike<number>, color?: number, dash?: number}} Curve
 * @typedef {{at: number, label: string}} Mark a line across, at a place of the axis
 */

/** The colour of a curve in the theme that is shown. @param {number} i */
export function colorOf(i) {
  const colors = document.documentElement.dataset.theme === 'dark' ? curves.dark : curves.light;
  return colors[i % colors.length];
}

/** @param {uPlot} plot @param {Mark[]} marks */
function drawMarks(plot, marks) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = style('--mark');
  ctx.setLineDash([4, 4]);
  ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
  marks.forEach((mark, i) => {
    const x = plot.valToPos(mark.at, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(mark.label, x + 3, bbox.top + (12 + 12 * (i % 3)) * uPlot.pxRatio);
  });
  ctx.restore();
}

/**
 * Curves over one axis, with a legend; `set` gives other values for the same curves.
 * @param {string} label for a screen reader
 * @param {{x: string, y: string, at: ArrayLike<number>, curves: Curve[], marks?: Mark[],
 *   height?: number, scattered?: boolean, filled?: boolean, words?: string[]}} what labels of the axes,
 *   places, curves; points alone, areas below curves; texts that whole places stand for
 * @returns {{root: HTMLElement, set: (curves: Curve[]) => void}}
 */
export function chart(
  label,
  { x, y, at, curves: shown, marks = [], height = 210, scattered, filled, words },
) {
  const host = element('div', { class: 'curves', role: 'img', 'aria-label': label });
  const legend = element('ul', { class: 'legend' });
  const root = element('div', { class: 'chart' }, host, legend);
  const axis = {
    stroke: style('--text'),
    grid: { stroke: style('--grid'), width: 1 },
    ticks: { stroke: style('--grid') },
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
    values: (/** @type {uPlot} */ _, /** @type {number[]} */ ticks) =>
      ticks.map((t) => number(t, 5)),
  };
  const finite = (/** @type {number} */ v) => (Number.isFinite(v) ? v : null);
  const data = (/** @type {Curve[]} */ all) =>
    /** @type {uPlot.AlignedData} */ (
      /** @type {unknown} */ ([
        Array.from(at),
        ...all.map((c) => Array.from(/** @type {ArrayLike<number>} */ (c.values), finite)),
      ])
    );
  const color = (/** @type {Curve} */ c, /** @type {number} */ i) => colorOf(c.color ?? i);
  const plot = new uPlot(
    {
      width: 420,
      height,
      legend: { show: false },
      cursor: { drag: { x: true, y: false } },
      scales: { x: { time: false } },
      series: [
        {},
        ...shown.map((c, i) => ({
          stroke: color(c, i),
          width: c.dash ? 1 : 1.5,
          dash: dashes[(c.dash ?? 0) % dashes.length],
          fill: filled ? `${color(c, i)}55` : undefined,
          paths: scattered ? () => null : undefined,
          points: {
            show: scattered || (at.length < 40 && !c.dash),
            size: scattered ? 4 : undefined,
          },
        })),
      ],
      axes: [
        {
          ...axis,
          label: x,
          labelSize: 18,
          size: 34,
          ...(words
            ? {
                values: (/** @type {uPlot} */ _, /** @type {number[]} */ ticks) =>
                  ticks.map((t) => words[t] ?? ''),
              }
            : {}),
        },
        { ...axis, label: y, labelSize: 18, size: 66 },
      ],
      hooks: { draw: [(self) => drawMarks(self, marks)] },
    },
    data(shown),
    host,
  );
  shown.forEach((c, i) => {
    if (!c.label) return;
    const key = element('span', { class: 'key', 'aria-hidden': 'true' });
    key.style.borderTopColor = color(c, i);
    key.style.borderTopStyle = c.dash ? 'dashed' : 'solid';
    legend.append(element('li', {}, key, element('bdi', {}, c.label)));
  });
  new ResizeObserver(() => {
    const width = root.clientWidth;
    if (width > 0 && Math.abs(width - plot.width) > 1) plot.setSize({ width, height });
  }).observe(root);
  return { root, set: (all) => plot.setData(data(all)) };
}

/**
 * Calls `update` when the time has moved, at most once in a while, where the element is seen.
 * @param {HTMLElement} root
 * @param {import('./player.js').Player} player
 * @param {() => void} update
 */
export function follow(root, player, update) {
  let waits = false;
  let shown = NaN;
  player.listen(() => {
    if (waits || player.time === shown) return;
    waits = true;
    setTimeout(() => {
      waits = false;
      if (!root.isConnected || root.closest('[hidden]')) return;
      shown = player.time;
      update();
    }, 60);
  });
}
