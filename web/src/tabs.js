/** What stands below view and plots: one tab for each kind of account. */

import { element } from './dom.js';

/**
 * @typedef {{name: string, title: string, make: () => Node}} Tab
 */

export class Tabs {
  /** @param {Tab[]} tabs */
  constructor(tabs) {
    this.tabs = tabs;
    this.list = element('div', { role: 'tablist', 'aria-label': 'Accounts' });
    this.root = element(
      'section',
      { class: 'tabs', 'aria-label': 'Accounts of the result' },
      this.list,
    );
    this.buttons = tabs.map((tab, i) =>
      element(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${tab.name}`,
          'aria-controls': `panel-${tab.name}`,
          onclick: () => this.show(i),
          onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event, i),
        },
        tab.title,
      ),
    );
    this.list.append(...this.buttons);
    this.panels = tabs.map((tab) =>
      element('div', {
        role: 'tabpanel',
        id: `panel-${tab.name}`,
        'aria-labelledby': `tab-${tab.name}`,
        tabindex: 0,
        hidden: true,
      }),
    );
    this.root.append(...this.panels);
    this.show(0);
  }

  /** @param {KeyboardEvent} event @param {number} i */
  key(event, i) {
    const n = this.tabs.length;
    /** @type {{[key: string]: number}} */
    const to = { ArrowRight: (i + 1) % n, ArrowLeft: (i + n - 1) % n, Home: 0, End: n - 1 };
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.show(next);
    this.buttons[next].focus();
  }

  /** @param {number} i */
  show(i) {
    this.buttons.forEach((button, k) => {
      button.setAttribute('aria-selected', String(k === i));
      button.tabIndex = k === i ? 0 : -1;
      this.panels[k].hidden = k !== i;
    });
    this.shown = i;
    const panel = this.panels[i];
    if (!panel.hasChildNodes()) panel.append(this.tabs[i].make());
  }

  /** Makes them again, in other colours. */
  paint() {
    for (const panel of this.panels) panel.replaceChildren();
    this.show(this.shown ?? 0);
  }
}
