/** Periodic motions: the period, in words how stable, and the multipliers about the unit circle. */

import { tableBeside } from './accounts.js';
import { append, element } from './dom.js';
import { number, quantity } from './words.js';

/** @typedef {import('./data.js').Result} Result */

const SVG = 'http://www.w3.org/2000/svg';

/** A result whose rows are one period. @param {Result} result */
export function isOrbit(result) {
  return Number.parseFloat(result.attributes.period ?? '') > 0;
}

/**
 * The multipliers in the complex plane: what a period makes of disturbances.
 * @param {Result} multipliers
 */
function plane(multipliers) {
  const values = (/** @type {string} */ name) =>
    Array.from(multipliers.columns.find((c) => c.name === name)?.values ?? []);
  const [re, im, trivial] = ['re', 'im', 'trivial'].map(values);
  const most = Math.max(1.2, ...re.map(Math.abs), ...im.map(Math.abs)) * 1.1;
  const picture = document.createElementNS(SVG, 'svg');
  picture.setAttribute('viewBox', '-100 -100 200 200');
  picture.setAttribute('class', 'plane');
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', 'Multipliers and the unit circle');
  const put = (
    /** @type {string} */ tag,
    /** @type {{[name: string]: string | number}} */ attributes,
  ) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    picture.append(made);
    return made;
  };
  put('line', { x1: -100, x2: 100, y1: 0, y2: 0, class: 'ring' });
  put('line', { y1: -100, y2: 100, x1: 0, x2: 0, class: 'ring' });
  put('circle', { r: 100 / most, class: 'ring' });
  re.forEach((x, i) => {
    const kind = trivial[i] ? 'plain' : Math.hypot(x, im[i]) > 1 ? 'outside' : 'inside';
    const point = put('circle', {
      cx: (100 * x) / most,
      cy: (-100 * im[i]) / most,
      r: 4,
      class: kind,
    });
    const title = document.createElementNS(SVG, 'title');
    title.textContent = `${number(x, 6)}${im[i] ? ` ${im[i] > 0 ? '+' : '−'} ${number(Math.abs(im[i]), 6)} i` : ''}`;
    point.append(title);
  });
  return picture;
}

/** @param {Result} result @param {Result | undefined} multipliers */
export function orbitTab(result, multipliers) {
  const root = element('div', {});
  const { attributes } = result;
  append(root, [
    element(
      'p',
      {},
      `Period ${quantity(Number.parseFloat(attributes.period), 's', 12)}${attributes.stability ? `: ${attributes.stability}` : ''}.`,
    ),
    multipliers
      ? element(
          'div',
          { class: 'beside' },
          plane(multipliers),
          tableBeside(multipliers, () => {}),
        )
      : element('p', { class: 'note' }, 'The table of its multipliers does not stand beside it.'),
    multipliers
      ? element(
          'p',
          { class: 'note' },
          'A disturbance is multiplied by these in a period: those outside the circle grow. Hollow ones are of the motion itself and of what every motion keeps.',
        )
      : null,
  ]);
  return root;
}
