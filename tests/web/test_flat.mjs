/** A browser without WebGL: the motion in two dimensions, and why. */

import assert from 'node:assert/strict';

import { address, browser, example, run, runTests, test } from './common.mjs';

test('without WebGL', async () => {
  run('run', example('four_bar'), '-o', 'four.html', '--quiet');
  const page = await browser.page();
  await page.open(address('four.html'));
  assert.match(
    await page.value(`document.querySelector('.reason').textContent`),
    /two dimensions.*no WebGL/,
  );
  const first = await page.pixels();
  assert.ok(first.colors > 5);
  await page.press('Play');
  await page.until('nutate.player.time > 0.2');
  await page.press('Pause');
  assert.notEqual((await page.pixels()).hash, first.hash);
  await page.press('Look along x');
  assert.ok((await page.value('nutate.plots.panels.length')) > 0);
  const problems = page.problems.filter((p) => !/WebGL/.test(p));
  assert.deepEqual(problems, []);
  await page.close();
});

await runTests(['--disable-3d-apis']);
