/** Size of a page and speed of its view, by software: 100 bodies, 10000 frames. */

import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { address, browser, folder, run, runTests, test } from './common.mjs';

const BODIES = 100;
const ROWS = 10000;
const YARDSTICK = 0.25; // s, of work that takes about as long on any processor of its kind

/** Pendulums side by side, each a little longer than the one before, swinging in space. */
function pendulums() {
  const bodies = [];
  const joints = [];
  for (let i = 0; i < BODIES; i++) {
    const [x, y] = [0.4 * (i % 10), 0.4 * Math.floor(i / 10)];
    const length = 0.5 + 0.01 * i;
    bodies.push(
      `  body${i}: {mass: 1, inertia: [0.01, 0.02, 0.03], position: [${x + length}, ${y}, 0], ` +
        `angular_velocity: [${(i % 7) - 3}, 0, ${(i % 5) / 5}]}`,
    );
    joints.push(`  j${i}: {type: spherical, between: [ground, body${i}], at: [${x}, ${y}, 0]}`);
  }
  return [
    'nutate: 1',
    'title: A hundred pendulums',
    'gravity: [0, 0, -9.81]',
    'bodies:',
    ...bodies,
    'joints:',
    ...joints,
    `simulation: {duration: ${(ROWS - 1) / 1000}, step: 1e-3, method: generalized-alpha}`,
    'output: {every: 1e-3, record: [energy, body99.position]}',
    '',
  ].join('\n');
}

test('size and time to open', async () => {
  writeFileSync(join(folder, 'many.yaml'), pendulums());
  run('run', 'many.yaml', '-o', 'many.nc', '-o', 'many.html', '--quiet');
  const size = statSync(join(folder, 'many.html')).size;
  console.log(
    `        ${(size / 1e6).toFixed(2)} MB of ${(statSync(join(folder, 'many.nc')).size / 1e6).toFixed(0)} MB`,
  );
  assert.ok(size < 6e6, `${size} bytes`);
  const page = await browser.page();
  const slow = await slowness(page);
  const before = await processor();
  const passed = await page.open(address('many.html'), 60000);
  const used = (await processor()) - before;
  assert.equal(await page.value('nutate.results[0].rows'), ROWS);
  assert.equal(await page.value('nutate.results[0].bodies.length'), BODIES);
  console.log(
    `        open after ${passed.toFixed(0)} ms, ${(1000 * used).toFixed(0)} ms of processors`,
  );
  assert.ok(
    passed < 2000 || used < 2 * slow,
    'opens within 2 s, of the clock or, on a busy or slow machine, of a processor like the yardstick',
  );

  await page.press('Play');
  const [frames, begun, worked] = [
    await page.value('nutate.stage.frames'),
    performance.now(),
    await processor(),
  ];
  await new Promise((r) => setTimeout(r, 3000));
  const shown = (await page.value('nutate.stage.frames')) - frames;
  const seconds = (performance.now() - begun) / 1000;
  const cost = ((await processor()) - worked) / shown;
  console.log(
    `        ${(shown / seconds).toFixed(1)} frames/s, ${(1000 * cost).toFixed(1)} ms of processors for each`,
  );
  assert.ok(
    shown / seconds >= 20 || cost <= 0.05 * slow,
    '20 frames/s, or what they take of a processor like the yardstick',
  );
  await page.press('Pause');

  // poses are as exact as the page says
  const error = await page.value(`(() => {
    const { packed } = nutate.results[0];
    return packed.map((p) => [p.name, p.quantum]);
  })()`);
  const length = await page.value('nutate.results[0].length');
  const quanta = Object.fromEntries(error);
  assert.ok(Math.abs(quanta['bodies.position'] - 1e-4 * length) < 1e-12 * length);
  assert.equal(quanta['bodies.orientation'], 5e-5);
  const lines = run('convert', 'many.nc', '-o', '-').trimEnd().split('\n');
  const heads = lines[0].split(',');
  for (const row of [0, 1234, ROWS - 1]) {
    const numbers = lines[row + 1].split(',').map(Number);
    for (const [k, axis] of ['x', 'y', 'z'].entries()) {
      const exact = numbers[heads.indexOf(`body99.position.${axis}`)];
      const seen = await page.value(
        `nutate.results[0].poses.positions[(3 * 99 + ${k}) * ${ROWS} + ${row}]`,
      );
      assert.ok(
        Math.abs(seen - exact) <= 0.51e-4 * length,
        `${axis} of row ${row}: ${seen} ${exact}`,
      );
    }
  }
  await page.close();
});

test('a long result is thinned, and its peaks are kept', async () => {
  run('report', 'many.nc', '-o', 'thin.html', '--frames', '500');
  const page = await browser.page();
  await page.open(address('thin.html'), 60000);
  const { rows, every } = await page.value(
    '(({ rows, every }) => ({ rows, every }))(nutate.results[0])',
  );
  assert.ok(rows <= 500 && every > 1);
  const text = run('convert', 'many.nc', '-o', '-').trimEnd().split('\n');
  const k = text[0].split(',').indexOf('energy.kinetic');
  const all = text.slice(1).map((line) => Number(line.split(',')[k]));
  const [low, high] = await page.value(
    `((c) => [Math.min(...c.low), Math.max(...c.high)])(nutate.results[0].columns.find((c) => c.name === 'energy.kinetic'))`,
  );
  const near = (/** @type {number} */ a, /** @type {number} */ b) =>
    Math.abs(a - b) <= 1e-7 * Math.abs(b);
  assert.ok(near(low, Math.min(...all)) && near(high, Math.max(...all)), `${low} ${high}`);
  const said = await page.value(`document.querySelector('.notices').textContent`);
  assert.match(said, /10000 rows every \d+th is shown/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

/**
 * How many times slower than a processor of 2023 at 3 GHz this machine does a fixed piece of work;
 * 1 where it is not slower. Counted in time of the processor, so that a busy machine is not slow.
 * @param {import('./browser.mjs').Page} page
 */
async function slowness(page) {
  const work = `(() => {
    const values = new Float64Array(1 << 16);
    let sum = 0;
    for (let pass = 0; pass < 2000; pass++)
      for (let i = 0; i < values.length; i++) {
        values[i] = Math.sqrt(values[i] + i * pass) + 0.5 * values[(i * 7919) & 65535];
        sum += values[i];
      }
    return sum;
  })()`;
  await page.value(work); // compiled now
  const before = await processor();
  await page.value(work);
  const used = (await processor()) - before;
  console.log(`        the yardstick takes ${(1000 * used).toFixed(0)} ms of a processor`);
  return Math.max(1, used / YARDSTICK);
}

/** Seconds of processors that the browser has used, in all its processes. */
async function processor() {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  return processInfo.reduce(
    (/** @type {number} */ sum, /** @type {any} */ p) => sum + p.cpuTime,
    0,
  );
}

await runTests();
