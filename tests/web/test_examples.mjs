/** The report of every example, without a network: numbers, pictures, nothing on the console. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import {
  address,
  browser,
  compareNumbers,
  example,
  root,
  runTests,
  start,
  test,
} from './common.mjs';

/** Of examples that take long a beginning is enough here. @type {{[name: string]: string}} */
const shorter = { bearing_flaw: '0.002', rotor_on_bearings: '0.001', washing_machine: '2' };

const names = readdirSync(join(root, 'examples')).filter((name) => existsSync(example(name)));
assert.ok(names.length > 30);

/** Runs an example; its numbers as CSV. @param {string} name */
async function runExample(name) {
  const less = shorter[name] ? ['--duration', shorter[name]] : [];
  await start('run', example(name), '-o', `${name}.nc`, '-o', `${name}.html`, '--quiet', ...less);
  return start('convert', `${name}.nc`, '-o', '-');
}

/** What runs already, while the page of the one before is looked at. @type {Map<string, Promise<string>>} */
const ahead = new Map();

/** @param {string} name */
function begin(name) {
  if (!name || ahead.has(name)) return;
  const made = runExample(name);
  made.catch(() => {}); // said by the test that waits for it
  ahead.set(name, made);
}

/** One for all of them. @type {import('./browser.mjs').Page | undefined} */
let shared;

names.forEach((name, i) =>
  test(name, async () => {
    begin(name);
    const csv = await ahead.get(name);
    ahead.delete(name);
    begin(names[i + 1]);
    begin(names[i + 2]);
    const page = (shared ??= await browser.page({ width: 1000, height: 640 }));
    await page.open(address(`${name}.html`), 60000);
    await compareNumbers(page, csv ?? '');
    const seek = (/** @type {number} */ part) =>
      page.value(
        `nutate.player.seek(nutate.player.start + ${part} * nutate.player.duration), nutate.stage.camera.tell()`,
      );
    const first = await page.pixels();
    assert.ok(first.colors >= 12, `only ${first.colors} colours: nothing is drawn`);
    assert.equal(await page.value('nutate.stage.view.constructor.name !== undefined'), true);
    assert.equal(await page.value('Boolean(nutate.stage.reason)'), false, 'WebGL draws');
    await seek(0.37);
    const later = await page.pixels();
    await seek(0.83);
    const last = await page.pixels();
    for (const { colors } of [later, last])
      assert.ok(colors >= 12, `only ${colors} colours later: it has left the view`);
    if (name === 'bicycle')
      // it travels, and the view goes along
      assert.equal(
        await page.value('nutate.stage.followed'),
        await page.value('nutate.results[0].bodies[0]'),
      );
    const moves = await page.value(`(() => {
      const { poses, rows, length } = nutate.results[0];
      const least = { positions: 1e-3 * length, orientations: 1e-3 };
      return Object.entries(least).some(([name, most]) =>
        poses[name].some((x, i) => Math.abs(x - poses[name][i - (i % rows)]) > most));
    })()`);
    if (!moves) console.log('        rests');
    assert.ok(!moves || later.hash !== first.hash || last.hash !== first.hash, 'it moves');
    assert.deepEqual(page.problems, []);
    assert.deepEqual(
      page.requests.filter((url) => !url.startsWith('file:')),
      [],
    );
  }),
);

await runTests();
