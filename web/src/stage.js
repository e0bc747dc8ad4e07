/** The view of the mechanism with its controls. */

import { Camera, control, firstLook } from './camera.js';
import { append, button, element, select, setPressed } from './dom.js';
import { Mechanism } from './mechanism.js';
import { shortened } from './words.js';
import { View2D } from './view2d.js';
import { View3D } from './view3d.js';

/** @typedef {import('./data.js').Result} Result */

export class Stage {
  /**
   * @param {Result[]} results with poses
   * @param {import('./player.js').Player} player
   * @param {(name: string | null) => void} choose
   */
  constructor(results, player, choose) {
    this.player = player;
    this.mechanisms = results.map((result) => new Mechanism(result));
    this.camera = new Camera();
    this.first = firstLook(this.mechanisms[0].scene);
    this.camera.stand(this.first.up);
    this.camera.look(this.first.from);
    this.canvas = element('canvas', {
      tabindex: 0,
      role: 'img',
      'aria-label':
        'The mechanism in motion. Arrow keys turn it, with shift they move it, plus and minus zoom.',
    });
    this.tip = element('div', { class: 'tip', role: 'status', hidden: true });
    this.frame = element('div', { class: 'frame' }, this.canvas, this.tip);
    this.root = element('section', { class: 'stage', 'aria-label': 'Motion' }, this.frame);
    this.view = this.open();
    /** @type {string | null} */
    this.followed = null;
    /** @type {((name: string | null) => void) | null} told which body is followed */
    this.tellFollowed = null;
    /** @type {string | null} */
    this.pointed = null;
    this.due = false;
    this.root.append(this.tools());
    control(this.camera, this.canvas);
    this.camera.listen(() => this.ask());
    player.listen(() => this.ask());
    new ResizeObserver(() => this.resize()).observe(this.frame);
    this.pointing(choose);
    this.fitted = false;
  }

  /** WebGL, or without it a drawing in two dimensions and the reason. */
  open() {
    if (new URLSearchParams(location.search).get('view') !== '2d') {
      try {
        return new View3D(this.canvas, this.mechanisms, this.camera);
      } catch (error) {
        this.reason = error instanceof Error ? error.message : String(error);
      }
    } else this.reason = 'the address asks for it';
    const fresh = /** @type {HTMLCanvasElement} */ (this.canvas.cloneNode(false));
    this.canvas.replaceWith(fresh);
    this.canvas = fresh;
    this.frame.append(
      element(
        'p',
        { class: 'reason', role: 'note' },
        `Drawn in two dimensions, for this browser shows no WebGL here: ${this.reason}`,
      ),
    );
    return new View2D(fresh, this.mechanisms, this.camera);
  }

  tools() {
    const bar = element('div', { class: 'tools', role: 'toolbar', 'aria-label': 'View' });
    this.lens = button('Perspective', () => this.togglePerspective(), {
      text: 'persp',
      pressed: true,
      key: 'p',
    });
    this.trails = button('Paths', () => this.toggleTrails(), {
      text: 'paths',
      pressed: true,
      key: 't',
    });
    append(bar, [
      button('Fit the view', () => this.fit(), { drawing: 'fit', key: 'f' }),
      button('Look along x', () => this.along([1, 0, 0]), { text: 'x', key: 'x' }),
      button('Look along y', () => this.along([0, -1, 0]), { text: 'y', key: 'y' }),
      button('Look along z', () => this.along([0, 0, 1]), { text: 'z', key: 'z' }),
      button('First view', () => this.along(this.first.from), { text: '⌂', key: 'i' }),
      button('Zoom in', () => this.camera.zoom(0.8), { text: '+' }),
      button('Zoom out', () => this.camera.zoom(1.25), { text: '−' }),
      this.lens,
      this.trails,
    ]);
    const names = this.mechanisms[0].scene.bodies.slice(1).map((b) => b.name);
    this.followList = select(
      'Follow a body',
      [['', 'follow …'], ...names.map((n) => /** @type {[string, string]} */ ([n, shortened(n)]))],
      '',
      (name) => this.follow(name || null),
    );
    bar.append(this.followList);
    return bar;
  }

  togglePerspective() {
    this.camera.perspective = !this.camera.perspective;
    if (this.lens) setPressed(this.lens, this.camera.perspective);
    this.camera.tell();
  }

  toggleTrails() {
    this.view.trailsShown = !this.view.trailsShown;
    if (this.trails) setPressed(this.trails, this.view.trailsShown);
    this.ask();
  }

  /** Sees all; without what flies far away, and where all goes far, what is followed. */
  fit() {
    const { extent } = this.view;
    const seen = extent.travels && !this.followed ? extent : extent.near;
    this.camera.fit(seen, this.frame.clientWidth / Math.max(1, this.frame.clientHeight));
  }

  /** Looks from a direction, at all. @param {import('./camera.js').Vector} from */
  along(from) {
    this.camera.look(from);
    this.fit();
  }

  /** The camera goes where a body goes. @param {string | null} name */
  follow(name) {
    this.followed = name === this.followed ? null : name;
    if (this.followList) this.followList.value = this.followed ?? '';
    this.tellFollowed?.(this.followed);
    if (!this.followed) this.camera.target = [...this.view.extent.center];
    this.camera.tell();
  }

  /** @param {string | null} name */
  mark(name) {
    this.view.mark(name);
    this.ask();
  }

  /** @param {string} name @param {boolean} hidden */
  hide(name, hidden) {
    if (hidden) this.view.hidden.add(name);
    else this.view.hidden.delete(name);
    this.ask();
  }

  /** @param {boolean} shown all results but the first */
  showGhosts(shown) {
    this.view.ghostsShown = shown;
    this.ask();
  }

  paint() {
    this.view.paint();
    this.ask();
  }

  resize() {
    const { clientWidth, clientHeight } = this.frame;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.view.resize(clientWidth, clientHeight);
    if (!this.fitted) {
      this.fitted = true;
      if (this.view.extent.travels && !this.followed) this.follow(this.view.extent.travels);
      this.fit();
    }
    this.ask();
  }

  /** Draws once before the next picture of the browser. */
  ask() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame((now) => this.draw(now));
  }

  /** @param {number} now ms */
  draw(now) {
    this.due = false;
    for (const mechanism of this.mechanisms) mechanism.seek(this.player.time);
    if (this.followed) {
      const [m] = this.mechanisms;
      const body = m.scene.bodies.findIndex((b) => b.name === this.followed);
      if (body > 0) this.camera.target = m.place(body, m.scene.bodies[body].center);
    }
    this.view.draw();
    if (this.player.playing && this.before) this.view.adapt(now - this.before);
    this.before = this.player.playing ? now : 0;
    this.frames = (this.frames ?? 0) + 1;
  }

  /** @param {(name: string | null) => void} choose */
  pointing(choose) {
    let down = { x: 0, y: 0 };
    const place = (/** @type {PointerEvent} */ event) => {
      const box = this.canvas.getBoundingClientRect();
      return {
        x: (2 * (event.clientX - box.left)) / box.width - 1,
        y: 1 - (2 * (event.clientY - box.top)) / box.height,
      };
    };
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons) return;
      const { x, y } = place(event);
      const name = this.view.nameAt(x, y);
      this.tip.hidden = name === null;
      if (name === null) return;
      if (this.pointed !== name) this.tip.textContent = shortened(name, 80);
      this.pointed = name;
      this.tip.style.left = `${event.offsetX + 14}px`;
      this.tip.style.top = `${event.offsetY + 10}px`;
    });
    this.canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
    this.canvas.addEventListener('pointerdown', (event) => {
      // a second finger makes it another gesture
      down = event.isPrimary ? { x: event.clientX, y: event.clientY } : { x: NaN, y: NaN };
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (!(Math.hypot(event.clientX - down.x, event.clientY - down.y) <= 4) || event.button > 0)
        return;
      const { x, y } = place(event);
      choose(this.view.nameAt(x, y));
    });
  }
}
