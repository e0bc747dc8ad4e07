/** The time that view and plots show, and how it runs. */

import { rowAt } from './data.js';

export class Player {
  /** @param {Float64Array} times of the rows, ascending */
  constructor(times) {
    this.times = times;
    this.start = times[0] ?? 0;
    this.end = times[times.length - 1] ?? 0;
    this.time = this.start;
    this.speed = 1;
    this.playing = false;
    this.loops = true;
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.before = 0;
    /** @param {number} now */
    this.frame = (now) => this.advance(now);
  }

  get duration() {
    return this.end - this.start;
  }

  /** @param {() => void} listener called when time or state change */
  listen(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener();
  }

  /** @param {number} time */
  seek(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.tell();
  }

  /** @param {number} rows forward, or back where negative */
  step(rows) {
    this.pause();
    const i = rowAt(this.times, this.time);
    const between = this.time > this.times[i] && rows < 0 ? 1 : 0;
    const to = Math.min(this.times.length - 1, Math.max(0, i + rows + between));
    this.seek(this.times[to]);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing || !(this.duration > 0)) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.before = 0;
    this.tell();
    requestAnimationFrame(this.frame);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell();
  }

  /** @param {number} now ms */
  advance(now) {
    if (!this.playing) return;
    const passed = this.before ? (now - this.before) / 1000 : 0;
    this.before = now;
    let time = this.time + passed * this.speed;
    if (time > this.end && this.loops) time = this.start + ((time - this.start) % this.duration);
    if (time >= this.end && !this.loops) {
      this.playing = false;
      time = this.end;
    }
    this.seek(time);
    if (this.playing) requestAnimationFrame(this.frame);
  }
}
