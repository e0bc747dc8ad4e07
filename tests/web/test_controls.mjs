/** What each control of the page does, by mouse, touch of keys, and to a screen reader. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { address, browser, example, folder, run, runTests, test } from './common.mjs';

/** @type {import('./browser.mjs').Page} */
let page;
const time = () => page.value('nutate.player.time');
const rowTime = (/** @type {number} */ i) => page.value(`nutate.player.times.at(${i})`);
const choose = (/** @type {string} */ label, /** @type {string} */ value) =>
  page.value(`(() => {
    const list = document.querySelector('select[aria-label="${label}"]');
    list.value = ${JSON.stringify(value)};
    list.dispatchEvent(new Event('change'));
  })()`);

/** The place of an element's middle. @param {string} selector */
const middle = (selector) =>
  page.value(`(() => {
    const e = document.querySelector(${JSON.stringify(selector)});
    e.scrollIntoView({ block: 'center' });
    const b = e.getBoundingClientRect();
    return { x: b.x + b.width / 2, y: b.y + b.height / 2, left: b.left, top: b.top, width: b.width, height: b.height };
  })()`);

/** Waits for a file of the downloads. @param {string} name */
async function downloaded(name) {
  const path = join(folder, name);
  for (let i = 0; i < 200 && !existsSync(path); i++) await new Promise((r) => setTimeout(r, 20));
  assert.ok(existsSync(path), `${name} is downloaded`);
  await new Promise((r) => setTimeout(r, 100));
  return readFileSync(path);
}

test('opens', async () => {
  run('run', example('slider_crank'), '-o', 'run.nc', '-o', 'page.html', '--quiet');
  page = await browser.page({ downloads: folder });
  await page.open(address('page.html'));
});

test('rows: first, back, on, last', async () => {
  await page.press('One row on');
  assert.equal(await time(), await rowTime(1));
  await page.press('One row on');
  await page.press('One row back');
  assert.equal(await time(), await rowTime(1));
  await page.press('Last row');
  assert.equal(await time(), await rowTime(-1));
  await page.press('First row');
  assert.equal(await time(), await rowTime(0));
});

test('play at real time, pause, scrub', async () => {
  await page.press('Play');
  const at = () => page.value('[nutate.player.time, nutate.player.before / 1000]');
  await page.until('nutate.player.before > 0');
  const [t0, clock0] = await at();
  await new Promise((r) => setTimeout(r, 700));
  const [t1, clock1] = await at();
  await page.press('Pause');
  assert.ok(clock1 > clock0);
  const duration = await page.value('nutate.player.duration');
  const off = (((t1 - t0 - (clock1 - clock0)) % duration) + duration) % duration; // it goes round
  assert.ok(Math.min(off, duration - off) < 1e-9, `${t1 - t0} s shown in ${clock1 - clock0} s`);
  const stopped = await time();
  await new Promise((r) => setTimeout(r, 100));
  assert.equal(await time(), stopped);
  await page.value(`(() => {
    const slider = document.querySelector('.scrub');
    slider.value = 0.5;
    slider.dispatchEvent(new Event('input'));
  })()`);
  const [a, b] = [await rowTime(0), await rowTime(-1)];
  assert.ok(Math.abs((await time()) - (a + b) / 2) < 1e-9);
});

test('speed and loop', async () => {
  await choose('Speed', '100');
  await page.press('Loop');
  await page.press('Play');
  await page.until('!nutate.player.playing');
  assert.equal(await time(), await rowTime(-1), 'stops at the end');
  await page.press('Loop');
  await page.press('Play');
  await new Promise((r) => setTimeout(r, 300));
  assert.equal(await page.value('nutate.player.playing'), true, 'goes round');
  await page.press('Pause');
  await choose('Speed', '1');
  await page.press('First row');
});

test('view: fit, axes, zoom, perspective, paths, follow', async () => {
  const seen = new Set([(await page.pixels()).hash]);
  for (const label of [
    'Look along x',
    'Look along y',
    'Look along z',
    'First view',
    'Zoom in',
    'Perspective',
  ]) {
    await page.press(label);
    const { hash } = await page.pixels();
    if (label !== 'First view') assert.ok(!seen.has(hash), `${label} changes the picture`);
    seen.add(hash);
  }
  const axes = await page.value('nutate.stage.camera.axes()');
  await page.press('Look along z');
  const back = await page.value('nutate.stage.camera.axes().back');
  assert.ok(Math.abs(back[2]) > 0.999, 'looks along z');
  assert.notDeepEqual(axes.back, back);
  await page.press('Zoom out');
  const near = await page.value('nutate.stage.camera.distance');
  await page.press('Fit the view');
  assert.notEqual(await page.value('nutate.stage.camera.distance'), near);
  await page.press('Last row');
  const withPaths = await page.pixels();
  await page.press('Paths');
  assert.notEqual((await page.pixels()).hash, withPaths.hash);
  await page.press('Paths');
  const body = await page.value('nutate.results[0].bodies[0]');
  await choose('Follow a body', body);
  await page.settle();
  const at = await page.value(
    'nutate.stage.mechanisms[0].place(1, nutate.stage.mechanisms[0].scene.bodies[1].center)',
  );
  assert.deepEqual(await page.value('nutate.stage.camera.target'), at);
  await choose('Follow a body', '');
  await page.press('Perspective');
  await page.press('First view');
});

test('mouse: turn, move, zoom, names', async () => {
  const box = await middle('.frame canvas');
  const before = await page.value(
    '[nutate.stage.camera.azimuth, nutate.stage.camera.distance, ...nutate.stage.camera.target]',
  );
  await page.mouse('mousePressed', box.x, box.y, { button: 'left', buttons: 1, clickCount: 1 });
  await page.mouse('mouseMoved', box.x + 60, box.y + 10, { button: 'left', buttons: 1 });
  await page.mouse('mouseReleased', box.x + 60, box.y + 10, { button: 'left' });
  assert.notEqual(await page.value('nutate.stage.camera.azimuth'), before[0]);
  await page.mouse('mousePressed', box.x, box.y, {
    button: 'left',
    buttons: 1,
    clickCount: 1,
    modifiers: 8,
  });
  await page.mouse('mouseMoved', box.x + 60, box.y + 10, {
    button: 'left',
    buttons: 1,
    modifiers: 8,
  });
  await page.mouse('mouseReleased', box.x + 60, box.y + 10, { button: 'left', modifiers: 8 });
  assert.notDeepEqual(await page.value('nutate.stage.camera.target'), before.slice(2));
  await page.mouse('mouseWheel', box.x, box.y, { deltaX: 0, deltaY: 120 });
  await page.settle();
  assert.ok((await page.value('nutate.stage.camera.distance')) > before[1]);
  await page.press('First view');
  // a place of the canvas where something stands
  const hit = await page.value(`(() => {
    for (let y = -0.9; y < 0.95; y += 0.05)
      for (let x = -0.9; x < 0.95; x += 0.05) {
        const name = nutate.stage.view.nameAt(x, y);
        if (name && nutate.results[0].bodies.includes(name)) return { x, y, name };
      }
  })()`);
  assert.ok(hit, 'a body is seen');
  const [px, py] = [
    box.left + ((hit.x + 1) / 2) * box.width,
    box.top + ((1 - hit.y) / 2) * box.height,
  ];
  await page.mouse('mouseMoved', px, py);
  await page.until(`!document.querySelector('.tip').hidden`);
  assert.equal(await page.value(`document.querySelector('.tip').textContent`), hit.name);
  await page.click(px, py);
  await page.until(`nutate.tree.chosen === ${JSON.stringify(hit.name)}`);
});

test('parts: choose, read, hide', async () => {
  const body = await page.value('nutate.results[0].bodies[0]');
  await page.value(`nutate.tree.choose(${JSON.stringify(body)})`);
  await page.press('Last row');
  const shown = await page.value(`document.querySelector('.tree .values').textContent`);
  const x = await page.value('nutate.results[0].poses.positions[nutate.results[0].rows - 1]');
  assert.ok(
    shown.includes('position x') && shown.includes(String(Number(x.toPrecision(4))).slice(0, 5)),
    shown,
  );
  const before = await page.pixels();
  const box = `document.querySelector('input[aria-label="Show ${body}"]')`;
  await page.value(`${box}.click()`);
  assert.notEqual((await page.pixels()).hash, before.hash);
  await page.value(`${box}.click()`);
  assert.equal((await page.pixels()).hash, before.hash);
  const joint = await page.value(
    `nutate.stage.mechanisms[0].scene.elements.find((e) => e.section === 'joints').name`,
  );
  assert.ok(
    await page.value(`document.querySelector('input[aria-label="Show ${joint}"]') !== null`),
  );
});

test('plots: cursor, zoom, records, pictures, numbers', async () => {
  const title = await page.value('nutate.plots.panels[0].title');
  const over = await middle('.panel .u-over');
  await page.click(over.left + over.width / 2, over.y);
  await page.settle();
  const [a, b] = await page.value('((s) => [s.min, s.max])(nutate.plots.panels[0].plot.scales.x)');
  const t = await time();
  assert.ok(Math.abs(t - (a + b) / 2) < 0.02 * (b - a), `click at the middle: ${t}`);
  const legend = await page.value(`document.querySelector('.legend output').textContent`);
  const value = await page.value(`(() => {
    const { time, values } = nutate.plots.panels[0].shown[0];
    let best = 0;
    time.forEach((x, i) => { if (Math.abs(x - nutate.player.time) < Math.abs(time[best] - nutate.player.time)) best = i; });
    return values[best];
  })()`);
  assert.ok(
    Math.abs(Number.parseFloat(legend) - value) <= 1e-8 * Math.abs(value),
    `${legend} ${value}`,
  );

  await page.mouse('mousePressed', over.left + 0.2 * over.width, over.y, {
    button: 'left',
    buttons: 1,
    clickCount: 1,
  });
  await page.mouse('mouseMoved', over.left + 0.6 * over.width, over.y, {
    button: 'left',
    buttons: 1,
  });
  await page.mouse('mouseReleased', over.left + 0.6 * over.width, over.y, {
    button: 'left',
    clickCount: 1,
  });
  await page.settle();
  for (const i of [0, 1]) {
    const [c, d] = await page.value(
      `((s) => [s.min, s.max])(nutate.plots.panels[${i}].plot.scales.x)`,
    );
    assert.ok(c > a && d < b, `panel ${i} is zoomed: ${c} to ${d}`);
  }
  await page.press(`Show all of the plot of ${title}`);
  const whole = await page.value('((s) => [s.min, s.max])(nutate.plots.panels[1].plot.scales.x)');
  assert.deepEqual(whole, [a, b]);

  await page.press(`Save the plot of ${title} as PNG`);
  const png = await downloaded(`${title}.png`);
  assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  await page.press(`Save the numbers of the plot of ${title} as CSV`);
  const csv = (await downloaded(`${title}.csv`)).toString();
  const names = await page.value('nutate.plots.panels[0].names');
  assert.equal(csv.split('\n')[0], ['time', ...names].join(','));
  const numbers = run('convert', 'run.nc', '-o', '-').split('\n');
  const k = numbers[0].split(',').indexOf(names[0]);
  assert.equal(Number(csv.split('\n')[5].split(',')[1]), Number(numbers[5].split(',')[k]));

  const count = await page.value('nutate.plots.panels.length');
  const last = await page.value('[...nutate.plots.families.keys()].at(-1)');
  await choose('Add a plot', last);
  const record = await page.value('[...nutate.plots.records.keys()].at(-1)');
  await choose(`Add a record to the plot of ${title}`, record);
  assert.ok((await page.value('nutate.plots.panels[0].names')).includes(record));
  await page.press(`Close the plot of ${title}`);
  assert.ok((await page.value('nutate.plots.panels.length')) <= count);
});

test('keys', async () => {
  await page.value('document.activeElement.blur()');
  await page.key('Home');
  assert.equal(await time(), await rowTime(0));
  await page.key('ArrowRight');
  assert.equal(await time(), await rowTime(1));
  await page.key('ArrowLeft');
  await page.key('End');
  assert.equal(await time(), await rowTime(-1));
  await page.key(' ');
  assert.equal(await page.value('nutate.player.playing'), true);
  await page.key(' ');
  assert.equal(await page.value('nutate.player.playing'), false);
  const before = await page.value('nutate.stage.camera.perspective');
  await page.key('p');
  assert.notEqual(await page.value('nutate.stage.camera.perspective'), before);
  await page.key('p');
  for (const key of ['x', 'y', 'z', 'f', 'i', 't', 't']) await page.key(key);
  await page.key('l');
  assert.equal(await page.value('nutate.player.loops'), false);
  await page.key('l');
  await page.value(`document.querySelector('.frame canvas').focus()`);
  const azimuth = await page.value('nutate.stage.camera.azimuth');
  await page.key('ArrowLeft');
  assert.notEqual(await page.value('nutate.stage.camera.azimuth'), azimuth);
  await page.key('?');
  assert.equal(await page.value(`document.querySelector('dialog').open`), true);
  await page.press('Close');
  assert.equal(await page.value(`document.querySelector('dialog').open`), false);
});

test('light and dark', async () => {
  const color = () => page.value('getComputedStyle(document.body).backgroundColor');
  const pixels = await page.pixels();
  const light = await color();
  await page.press('Light or dark');
  assert.notEqual(await color(), light);
  assert.notEqual((await page.pixels()).hash, pixels.hash);
  await page.key('d');
  assert.equal(await color(), light);
});

test('tabs', async () => {
  const tabs = await page.value(
    `[...document.querySelectorAll('[role=tab]')].map((t) => t.textContent)`,
  );
  assert.deepEqual(tabs.slice(0, 2), ['Summary', 'Accuracy']);
  for (const tab of tabs) {
    await page.press(tab);
    const shown = await page.value(
      `[...document.querySelectorAll('[role=tabpanel]')].filter((p) => !p.hidden).map((p) => p.textContent.length)`,
    );
    assert.equal(shown.length, 1);
    assert.ok(shown[0] > 10, `${tab} is not empty`);
  }
  await page.press('Model');
  const lines = await page.value(
    `[...document.querySelectorAll('.lines code')].map((c) => c.textContent)`,
  );
  const text = readFileSync(example('slider_crank'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((/** @type {string} */ l) => l.trimEnd()),
    text.map((l) => l.trimEnd()),
  );
  await page.value(`document.querySelector('[role=tab][aria-selected=true]').focus()`);
  await page.key('Home');
  assert.equal(
    await page.value(`document.querySelector('[role=tab][aria-selected=true]').textContent`),
    'Summary',
  );
  const summary = await page.value(`document.getElementById('panel-summary').textContent`);
  for (const word of ['Method', 'Steps', 'Rejected', 'Iterations', 'Time on the clock', '1e-4'])
    assert.ok(summary.includes(word), word);
});

test('every control has a name for a screen reader', async () => {
  const { nodes } = await page.send('Accessibility.getFullAXTree');
  const roles = [
    'button',
    'checkbox',
    'combobox',
    'slider',
    'tab',
    'link',
    'textbox',
    'tabpanel',
    'image',
    'img',
    'toolbar',
    'DisclosureTriangle',
    'table',
    'region',
  ];
  const controls = nodes.filter(
    (/** @type {any} */ n) => !n.ignored && roles.includes(n.role?.value),
  );
  assert.ok(controls.length > 30);
  const nameless = controls.filter((/** @type {any} */ n) => !n.name?.value?.trim());
  assert.deepEqual(
    nameless.map((/** @type {any} */ n) => n.role.value),
    [],
  );
});

test('readable on a phone', async () => {
  await page.size(390, 844, true);
  await page.settle();
  await page.until('document.documentElement.scrollWidth <= 390');
  const small = await page.value(
    `[...document.querySelectorAll('.transport button')].filter((b) => b.offsetHeight < 36).length`,
  );
  assert.equal(small, 0, 'buttons are large enough for a finger');
});

test('fingers: turn, zoom, move, choose, go along a plot', async () => {
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
  const camera = () =>
    page.value(
      '(({ azimuth, distance, target }) => ({ azimuth, distance, target }))(nutate.stage.camera)',
    );
  await page.press('First view');
  const box = await middle('.frame canvas');
  const line = (/** @type {number} */ dx, /** @type {number} */ dy, x = box.x, y = box.y) =>
    /** @type {[number, number][]} */ (
      [0, 1, 2, 3].map((i) => [x + (i * dx) / 3, y + (i * dy) / 3])
    );
  const first = await camera();
  await page.touch([line(60, 0)]);
  const turned = await camera();
  assert.ok(turned.azimuth < first.azimuth - 0.1, 'one finger turns the view');
  assert.equal(turned.distance, first.distance);
  await page.touch([line(-40, 0, box.x - 20), line(40, 0, box.x + 20)]);
  const closer = await camera();
  const ratio = closer.distance / turned.distance;
  assert.ok(Math.abs(ratio - 1 / 3) < 0.02, `two fingers three times as far apart zoom: ${ratio}`);
  assert.equal(closer.azimuth, turned.azimuth);
  await page.touch([line(0, 50, box.x - 30), line(0, 50, box.x + 30)]);
  const moved = await camera();
  assert.notDeepEqual(moved.target, closer.target, 'two fingers side by side move the view');
  assert.ok(Math.abs(moved.distance / closer.distance - 1) < 1e-9);
  await page.press('First view');
  const hit = await page.value(`(() => {
    for (let y = -0.9; y < 0.95; y += 0.05)
      for (let x = -0.9; x < 0.95; x += 0.05) {
        const name = nutate.stage.view.nameAt(x, y);
        if (name && nutate.results[0].bodies.includes(name)) return { x, y, name };
      }
  })()`);
  await page.value('nutate.tree.choose(null)');
  const again = await middle('.frame canvas');
  const px = again.left + ((hit.x + 1) / 2) * again.width;
  const py = again.top + ((1 - hit.y) / 2) * again.height;
  await page.touch([[[px, py]]]);
  await page.until(`nutate.tree.chosen === ${JSON.stringify(hit.name)}`);
  const over = await middle('.panel .u-over');
  const [a, b] = await page.value('((s) => [s.min, s.max])(nutate.plots.panels[0].plot.scales.x)');
  await page.touch([line(0.5 * over.width, 0, over.left + 0.25 * over.width, over.y)]);
  const part = ((await time()) - a) / (b - a);
  assert.ok(Math.abs(part - 0.75) < 0.02, `the cursor follows a finger: ${part}`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

await runTests();
