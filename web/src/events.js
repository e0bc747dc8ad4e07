/** The table of events that stands beside a result: what happened, when, and what it cost. */

import { table } from './accounts.js';
import { append, button, element } from './dom.js';
import { number, quantity, shortened } from './words.js';

/**
 * @typedef {import('./data.js').Result} Result
 * @typedef {{time: number, cells: string[]}} Event
 * @typedef {{heads: string[], list: Event[], whole: boolean}} Events
 */

const MOST_LINES = 2000;
/** @type {{[head: string]: string}} */
const units = { time: 's', energy_before: 'J', energy_after: 'J', energy_lost: 'J' };

/**
 * The lines of the file, those with as many cells as its head.
 * @param {string} text
 * @param {boolean} whole
 * @returns {Events}
 */
export function readEvents(text, whole) {
  const [head, ...lines] = text.split('\n').filter(Boolean);
  const heads = head ? head.split(',') : [];
  const list = lines
    .map((line) => line.split(','))
    .filter((cells) => cells.length === heads.length)
    .map((cells) => ({ time: Number(cells[0]), cells }))
    .filter((event) => Number.isFinite(event.time));
  return { heads, list, whole };
}

/**
 * Whether events are of this result: at times that it has, or will have when it is finished.
 * @param {Events} events
 * @param {Result} result
 */
export function belong(events, result) {
  const end = Number.parseFloat(result.attributes.end ?? '');
  const last = Math.max(result.first[result.rows - 1], Number.isFinite(end) ? end : -Infinity);
  const near = 1e-9 * Math.max(1, Math.abs(last));
  return events.list.every((e) => e.time >= result.first[0] - near && e.time <= last + near);
}

/** How often each happened, in words. @param {Events} events */
function counted(events) {
  const at = events.heads.indexOf('event');
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { cells } of events.list) counts.set(cells[at], (counts.get(cells[at]) ?? 0) + 1);
  return [...counts].map(([name, n]) => `${shortened(name)} ${n}`).join(', ');
}

/** @param {Result} result @param {(time: number) => void} seek */
export function eventsTab(result, seek) {
  const root = element('div', {});
  const events = /** @type {Events} */ (result.events);
  const { heads, list } = events;
  const lost = heads.indexOf('energy_lost');
  const sum = lost < 0 ? NaN : list.reduce((all, e) => all + Number(e.cells[lost]), 0);
  append(root, [
    element(
      'p',
      {},
      element('bdi', {}, `${list.length} events: ${counted(events) || 'none'}.`),
      Number.isFinite(sum) ? ` They took ${quantity(sum, 'J', 5)} in all.` : '',
      ' Dashed lines mark them in plots.',
    ),
    table(
      'Events',
      heads.map((h) => (units[h] ? `${h.replaceAll('_', ' ')} / ${units[h]}` : h)),
      list.slice(0, MOST_LINES).map(({ time, cells }) =>
        cells.map((cell, k) => {
          if (k === 0)
            return button(`Go to ${number(time, 9)} s`, () => seek(time), {
              text: number(time, 12),
            });
          return heads[k] === 'event' ? cell : number(Number(cell), 9);
        }),
      ),
    ),
    list.length > MOST_LINES || !events.whole
      ? element(
          'p',
          { class: 'note' },
          `The first ${Math.min(list.length, MOST_LINES)} events are shown${events.whole ? ` of ${list.length}` : ': the file holds more than a page takes'}.`,
        )
      : null,
  ]);
  return root;
}
