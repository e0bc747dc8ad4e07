/** Play, pause, step, scrub, speed. */

import { append, button, element, icon, select, setPressed } from './dom.js';
import { number } from './words.js';

/**
 * @param {import('./player.js').Player} player
 * @param {string} unit of the time
 */
export function transport(player, unit) {
  const time = element('output', { class: 'time', 'aria-label': 'Time' });
  const slider = element('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 'any',
    value: 0,
    'aria-label': 'Time',
    class: 'scrub',
  });
  const play = button('Play', () => player.toggle(), { drawing: 'play', key: 'space' });
  const loop = button('Loop', () => toggleLoop(), {
    drawing: 'loop',
    pressed: player.loops,
    key: 'l',
  });
  const toggleLoop = () => {
    player.loops = !player.loops;
    setPressed(loop, player.loops);
  };
  const speeds = /** @type {[string, string][]} */ (
    [0.001, 0.01, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100].map((s) => [
      String(s),
      s === 1 ? 'real time' : `${s} ×`,
    ])
  );
  const whole = player.duration / 10;
  if (whole > 0) speeds.push([String(whole), 'all in 10 s']);
  const speed = select('Speed', speeds, '1', (value) => (player.speed = Number(value)));
  slider.addEventListener('input', () => {
    player.pause();
    player.seek(player.start + Number(slider.value) * player.duration);
  });
  const root = element('div', { class: 'transport', role: 'toolbar', 'aria-label': 'Motion' });
  append(root, [
    button('First row', () => player.seek(player.start), { drawing: 'first', key: 'Home' }),
    button('One row back', () => player.step(-1), { drawing: 'back', key: '←' }),
    play,
    button('One row on', () => player.step(1), { drawing: 'forward', key: '→' }),
    button('Last row', () => player.seek(player.end), { drawing: 'last', key: 'End' }),
    slider,
    time,
    speed,
    loop,
  ]);
  let playing = false;
  const show = () => {
    const text = `${number(player.time, 7)} ${unit}`;
    time.textContent = text;
    slider.value = String(player.duration > 0 ? (player.time - player.start) / player.duration : 0);
    slider.setAttribute('aria-valuetext', text);
    if (playing === player.playing) return;
    playing = player.playing;
    play.replaceChildren(icon(playing ? 'pause' : 'play'));
    play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
  };
  player.listen(show);
  show();
  return { root, toggleLoop, speed };
}
