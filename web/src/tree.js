/** Bodies, joints and forces: to hide, to highlight, to read. */

import { nearestRow } from './data.js';
import { append, element } from './dom.js';
import { derivative, quantity, shortened } from './words.js';

/**
 * @typedef {{mark: (name: string | null) => void, hide: (name: string, hidden: boolean) => void,
 *   follow: (body: string) => void}} Actions
 */

const words = {
  bodies: 'Bodies',
  joints: 'Joints',
  forces: 'Forces',
  contacts: 'Contacts',
  bearings: 'Bearings',
  beams: 'Beams',
  whole: 'Whole model',
};

export class Tree {
  /**
   * @param {import('./data.js').Result} result
   * @param {import('./mechanism.js').Mechanism | null} mechanism
   * @param {Actions} actions
   */
  constructor(result, mechanism, actions) {
    this.result = result;
    this.mechanism = mechanism;
    this.actions = actions;
    /** @type {string | null} */
    this.chosen = null;
    this.time = NaN;
    /** @type {Map<string, HTMLElement>} */
    this.items = new Map();
    this.values = element('dl', {
      class: 'values',
      'aria-live': 'off',
      'aria-label': 'Values of what is chosen, at the cursor',
    });
    this.root = element('div', { class: 'tree' });
    for (const [section, names] of this.sections()) this.addSection(section, names);
    this.root.append(this.values);
  }

  /** @returns {Map<keyof typeof words, string[]>} */
  sections() {
    /** @type {Map<keyof typeof words, string[]>} */
    const sections = new Map();
    const put = (/** @type {keyof typeof words} */ section, /** @type {string} */ name) => {
      const names = sections.get(section) ?? [];
      if (!names.includes(name)) names.push(name);
      sections.set(section, names);
    };
    const { mechanism } = this;
    if (mechanism) {
      mechanism.scene.bodies.forEach((body, i) => i > 0 && put('bodies', body.name));
      for (const e of mechanism.scene.elements)
        put(/** @type {keyof typeof words} */ (e.section), e.name);
    } else for (const body of this.result.bodies) put('bodies', body);
    const known = new Set([...sections.values()].flat());
    for (const column of this.result.columns.slice(1)) {
      const name = (derivative(column.name)?.of ?? column.name).split('.')[0];
      if (!known.has(name)) put('whole', name);
    }
    return sections;
  }

  /**
   * @param {keyof typeof words} section
   * @param {string[]} names
   */
  addSection(section, names) {
    const list = element('ul', {});
    const drawn = section !== 'whole' && this.mechanism !== null;
    for (const name of names) {
      const shown =
        drawn &&
        element('input', {
          type: 'checkbox',
          checked: true,
          'aria-label': `Show ${name}`,
          title: `Show ${name}`,
        });
      if (shown) shown.addEventListener('change', () => this.actions.hide(name, !shown.checked));
      const choose = element(
        'button',
        {
          type: 'button',
          class: 'name',
          'aria-pressed': 'false',
          title: name,
          onclick: () => this.choose(this.chosen === name ? null : name),
        },
        element('bdi', {}, shortened(name, 32)),
      );
      const item = element('li', {});
      append(item, [shown, choose]);
      if (section === 'bodies' && drawn)
        item.append(
          element(
            'button',
            {
              type: 'button',
              class: 'follow',
              'aria-label': `Follow ${name}`,
              'aria-pressed': 'false',
              title: `Follow ${name}`,
              onclick: () => this.actions.follow(name),
            },
            '◎',
          ),
        );
      item.addEventListener('pointerenter', () => this.actions.mark(name));
      item.addEventListener('pointerleave', () => this.actions.mark(this.chosen));
      list.append(item);
      this.items.set(name, item);
    }
    const open = names.length <= 30;
    this.root.append(
      element(
        'details',
        { open },
        element('summary', {}, `${words[section] ?? section} (${names.length})`),
        list,
      ),
    );
  }

  /** @param {string | null} name */
  choose(name) {
    this.chosen = name;
    for (const [key, item] of this.items) {
      const pressed = key === name;
      item.classList.toggle('chosen', pressed);
      item.querySelector('.name')?.setAttribute('aria-pressed', String(pressed));
      if (pressed) item.closest('details')?.setAttribute('open', '');
      if (pressed) item.scrollIntoView({ block: 'nearest' });
    }
    this.actions.mark(name);
    this.rows = this.describe(name);
    this.values.replaceChildren(...this.rows.flatMap((row) => [row.term, row.value]));
    this.time = NaN;
  }

  /** @param {string | null} followed */
  showFollowed(followed) {
    for (const [key, item] of this.items)
      item.querySelector('.follow')?.setAttribute('aria-pressed', String(key === followed));
  }

  /** What is known of it at a time. @param {string | null} name */
  describe(name) {
    /** @type {{term: HTMLElement, value: HTMLElement, at: (row: number) => string}[]} */
    const rows = [];
    if (name === null) return rows;
    const put = (/** @type {string} */ word, /** @type {(row: number) => string} */ at) =>
      rows.push({
        term: element('dt', { title: word }, element('bdi', {}, shortened(word, 36))),
        value: element('dd', {}),
        at,
      });
    const body = this.result.bodies.indexOf(name);
    const poses = this.result.poses;
    if (body >= 0 && poses)
      ['x', 'y', 'z'].forEach((axis, k) =>
        put(`position ${axis}`, (row) =>
          quantity(poses.positions[(3 * body + k) * this.result.rows + row], 'm', 5),
        ),
      );
    const kind = this.mechanism?.scene.elements.find((e) => e.name === name);
    if (kind) put('type', () => kind.type);
    for (const column of this.result.columns.slice(1))
      if (column.name === name || column.name.startsWith(`${name}.`))
        put(column.name === name ? name : column.name.slice(name.length + 1), (row) =>
          quantity(column.values[row], column.unit, 9),
        );
    if (rows.length === 0) put('values', () => 'nothing is recorded of it');
    return rows;
  }

  /** @param {number} time */
  move(time) {
    if (!this.rows || this.time === time) return;
    this.time = time;
    const row = nearestRow(this.result.first, time);
    for (const { value, at } of this.rows) {
      const text = at(row);
      if (value.textContent !== text) value.textContent = text;
    }
  }
}
