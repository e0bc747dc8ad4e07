/** The page of modes: each in motion about its state. */

import assert from 'node:assert/strict';

import { address, browser, compareNumbers, example, run, runTests, test } from './common.mjs';

test('modes of a bicycle', async () => {
  run('modes', example('bicycle'), '--about', 'steady', '-o', 'modes.nc', '--quiet');
  run('report', 'modes.nc', '-o', 'modes.html');
  const page = await browser.page();
  await page.open(address('modes.html'));
  await compareNumbers(page, run('convert', 'modes.nc', '-o', '-'));
  await page.until('nutate.player.time > 0.2'); // it moves by itself
  await page.press('Pause');
  await page.press('First row');
  const modes = await page.value(
    `[...document.querySelector('select[aria-label=Mode]').options].length`,
  );
  assert.equal(modes, await page.value('nutate.results[0].rows'));
  const shape = async (/** @type {number} */ mode) => {
    await page.value(`(() => {
      const list = document.querySelector('select[aria-label=Mode]');
      list.value = '${mode}';
      list.dispatchEvent(new Event('change'));
    })()`);
    await page.settle();
    return page.value('Array.from(nutate.stage.mechanisms[0].positions)');
  };
  const state = await page.value(
    `(({ poses, bodies, rows }) => bodies.flatMap((_, b) => [0, 1, 2].map((k) => poses.positions[(3 * b + k) * rows])))(nutate.results[0])`,
  );
  for (const mode of [4, 5]) {
    const at = await shape(mode);
    const length = await page.value('nutate.results[0].length');
    const bodies = await page.value('nutate.results[0].bodies');
    for (const [b, body] of bodies.entries())
      for (const [k, axis] of ['x', 'y', 'z'].entries()) {
        const moved = await page.value(
          `nutate.results[0].columns.find((c) => c.name === '${body}.position.${axis}').values[${mode}]`,
        );
        const wanted = state[3 * b + k] + 0.15 * length * moved;
        assert.ok(
          Math.abs(at[3 + 3 * b + k] - wanted) < 1e-3 * length,
          `${body} ${axis} of mode ${mode}`,
        );
      }
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

await runTests();
