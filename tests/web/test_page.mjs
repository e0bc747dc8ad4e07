/** The page of the heavy top: what it shows, and what each of its controls does. */

import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  address,
  browser,
  compareNumbers,
  example,
  folder,
  run,
  runTests,
  test,
} from './common.mjs';

test('the page of a run', async () => {
  run('run', example('heavy_top'), '-o', 'run.nc', '-o', 'motion.html', '--quiet');
  assert.ok(statSync(join(folder, 'motion.html')).size < 1e6, 'under 1 MB');
  const page = await browser.page();
  await page.open(address('motion.html'));
  assert.deepEqual(page.problems, []);
  assert.deepEqual(
    page.requests.filter((url) => !url.startsWith('file:')),
    [],
  );
  await compareNumbers(page, run('convert', 'run.nc', '-o', '-'));
  const own = await page.value(`(() => {
    const [r] = nutate.results;
    const find = (name) => Array.from([...r.columns, ...r.own].find((c) => c.name === name).values);
    return { drift: find('energy_drift'), total: find('energy.total'), steps: find('steps'), size: find('step_size') };
  })()`);
  own.drift.forEach((/** @type {number} */ d, /** @type {number} */ i) =>
    assert.ok(
      Math.abs(d - (own.total[i] - own.total[0])) < 1e-6 * Math.abs(own.total[0]),
      `row ${i}`,
    ),
  );
  assert.deepEqual([own.steps[0], own.steps.at(-1)], [0, 2000]);
  assert.ok(Math.abs(own.size.at(-1) - 1e-3) < 1e-9);
  const first = await page.pixels();
  assert.ok(first.colors > 20, 'something is drawn');
  await page.press('Play');
  await page.until('nutate.player.time > 0.3');
  await page.press('Pause');
  const later = await page.pixels();
  assert.notEqual(later.hash, first.hash);
  assert.equal(await page.value('document.title'), 'Heavy top');
  await page.close();
});

test('a spectrum', async () => {
  const lines = ['time,a'];
  for (let i = 0; i < 1000; i++)
    lines.push(`${i / 1000},${7 + 3 * Math.sin(2 * Math.PI * 5 * (i / 1000))}`);
  writeFileSync(join(folder, 'sine.csv'), `${lines.join('\n')}\n`);
  run('report', 'sine.csv', '-o', 'sine.html');
  const page = await browser.page();
  await page.open(address('sine.html'));
  await page.press('Spectrum');
  await page.until(`document.querySelector('#panel-spectrum .note').textContent`);
  const said = await page.value(`document.querySelector('#panel-spectrum .note').textContent`);
  const [, amplitude, frequency] = /line: ([\d.]+) +at ([\d.]+) Hz/.exec(said) ?? [];
  assert.ok(Math.abs(Number(amplitude) - 3) < 0.01 && Math.abs(Number(frequency) - 5) < 0.3, said);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('the policy of the page', async () => {
  const text = readFileSync(join(folder, 'motion.html'), 'utf8');
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1] ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'sha256-[A-Za-z0-9+/=]+'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.doesNotMatch(text, /https?:\/\/[a-z.]*(npmjs|unpkg|jsdelivr)/);
  assert.match(text, /three 0[\s\S]*MIT/);
  assert.match(text, /uplot 1[\s\S]*MIT/);
});

await runTests();
