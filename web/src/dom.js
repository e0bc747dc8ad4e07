/** Elements of the page. Texts from results only ever become text nodes. */

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {{[name: string]: string | number | boolean | null | undefined | ((event: any) => void)}} Attributes
 */

/**
 * An element with attributes; `on...` are listeners, false and null are left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined)
      made.setAttribute(name, value === true ? '' : String(value));
  }
  append(made, children);
  return made;
}

/**
 * @param {Element} to
 * @param {Child[]} children
 */
export function append(to, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    to.append(child instanceof Node ? child : String(child));
  }
}

const SVG = 'http://www.w3.org/2000/svg';

/** Drawings of buttons, 24 units wide. */
const drawings = {
  play: 'M7 4v16l13-8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  first: 'M5 4h3v16H5zM20 4v16L9 12z',
  last: 'M16 4h3v16h-3zM4 4v16l11-8z',
  back: 'M13 4v16L2 12zM16 8h4v8h-4z',
  forward: 'M11 4v16l11-8zM4 8h4v8H4z',
  loop: 'M12 5V1l6 5-6 5V7a5 5 0 1 0 5 5h2a7 7 0 1 1-7-7z',
  fit: 'M3 3h7v2H5v5H3zM14 3h7v7h-2V5h-5zM3 14h2v5h5v2H3zM19 14h2v7h-7v-2h5z',
  theme: 'M12 2a10 10 0 1 0 0 20V2z',
  help: 'M9 8a3 3 0 1 1 4.6 2.5c-.9.6-1.6 1.2-1.6 2.5v1h-2v-1c0-2.3 1.3-3.3 2.4-4A1 1 0 1 0 11 8zM10 17h3v3h-3z',
};

/** @typedef {keyof typeof drawings} Drawing */

/**
 * @param {Drawing} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', drawings[name]);
  svg.append(path);
  return svg;
}

/**
 * A button with a drawing, or with its label as text.
 * @param {string} label
 * @param {() => void} press
 * @param {{drawing?: Drawing, text?: string, pressed?: boolean, key?: string}} [options]
 */
export function button(label, press, options = {}) {
  const title = options.key ? `${label} (${options.key})` : label;
  return element(
    'button',
    {
      type: 'button',
      'aria-label': label,
      title,
      'aria-pressed': options.pressed === undefined ? null : String(options.pressed),
      onclick: press,
    },
    options.drawing ? icon(options.drawing) : (options.text ?? label),
  );
}

/**
 * @param {Element} control
 * @param {boolean} pressed
 */
export function setPressed(control, pressed) {
  control.setAttribute('aria-pressed', String(pressed));
}

/**
 * A list of choices.
 * @param {string} label
 * @param {[value: string, text: string][]} choices
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
export function select(label, choices, chosen, choose) {
  const made = element('select', { 'aria-label': label, title: label });
  for (const [value, text] of choices)
    made.append(element('option', { value, selected: value === chosen }, text));
  made.addEventListener('change', () => choose(made.value));
  return made;
}

/**
 * Hands a file to the browser's downloads.
 * @param {string} name
 * @param {Blob} blob
 */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** @param {string} name what stands on the page */
export function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
