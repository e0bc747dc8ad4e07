/** Numbers and names as words. */

/**
 * A number with so many digits, without needless zeros.
 * @param {number} x
 * @param {number} [digits]
 */
export function number(x, digits = 6) {
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return trim(x.toExponential(digits - 1));
  return trim(x.toPrecision(digits));
}

/** @param {string} text */
function trim(text) {
  const [digits, power] = text.split('e');
  const short = digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
  return power ? `${short}e${Number(power)}` : short;
}

/**
 * @param {number} x
 * @param {string} unit
 * @param {number} [digits]
 */
export function quantity(x, unit, digits) {
  return unit && unit !== '1' ? `${number(x, digits)} ${unit}` : number(x, digits);
}

/**
 * A long name, cut in its middle.
 * @param {string} name
 * @param {number} [most]
 */
export function shortened(name, most = 40) {
  const characters = [...name];
  if (characters.length <= most) return name;
  const half = Math.floor((most - 1) / 2);
  return `${characters.slice(0, half).join('')}…${characters.slice(-half).join('')}`;
}

/**
 * The parameter and the column of a derivative's column, `d(top.position.x)/d(m)`.
 * @param {string} name
 */
export function derivative(name) {
  const found = /^d\((.*)\)\/d\((.*?)\)(\.[xyz])?$/s.exec(name);
  return found ? { of: found[1], parameter: found[2], component: found[3] ?? '' } : null;
}

/**
 * What a column is a component of: `top.position` of `top.position.x`.
 * @param {string} name
 */
export function family(name) {
  const found = /^(.*)\.([xyzw]|kinetic|potential|total|work|positions|velocities|[1-4])$/s.exec(
    name,
  );
  return found ? found[1] : name;
}

/**
 * A file name made of a title.
 * @param {string} text
 */
export function fileName(text) {
  return (
    text
      .replace(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^[._]+/, '')
      .slice(0, 60) || 'nutate'
  );
}
