/** Results of all kinds: several, unfinished, without poses, of CSV; and a browser without WebGL. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  address,
  browser,
  compareNumbers,
  example,
  folder,
  nutate,
  outcome,
  readCsv,
  run,
  runTests,
  test,
} from './common.mjs';

/** @param {import('./browser.mjs').Page} page */
const notices = (page) => page.value(`document.querySelector('.notices')?.textContent ?? ''`);

test('two methods over each other', async () => {
  run('run', example('heavy_top'), '-o', 'a.nc', '--quiet');
  run(
    'run',
    example('heavy_top'),
    '--method',
    'rkmk-dopri5',
    '--step',
    '1e-3',
    '-o',
    'b.nc',
    '--quiet',
  );
  run('report', 'a.nc', 'b.nc', '-o', 'both.html');
  const page = await browser.page();
  await page.open(address('both.html'));
  await compareNumbers(page, run('convert', 'a.nc', '-o', '-'), 0);
  await compareNumbers(page, run('convert', 'b.nc', '-o', '-'), 1);
  const curves = await page.value('nutate.plots.panels[0].shown.length');
  const title = await page.value('nutate.plots.panels[0].title');
  await page.press(`Difference to the first result in the plot of ${title}`);
  const differences = await page.value(
    'nutate.plots.panels[0].shown.map((c) => [c.name, Array.from(c.values)])',
  );
  assert.equal(differences.length, curves / 2);
  const [a, b] = ['a', 'b'].map((name) => readCsv(run('convert', `${name}.nc`, '-o', '-')).columns);
  const [name, values] = differences[0];
  const [x, y] = [a.get(name) ?? [], b.get(name) ?? []];
  values.forEach((/** @type {number} */ d, /** @type {number} */ i) =>
    assert.ok(Math.abs(d - (y[i] - x[i])) < 1e-12, `${name} ${i}: ${d}`),
  );
  assert.equal(await page.value('nutate.stage.mechanisms.length'), 2);
  await page.press('Last row');
  const with2 = await page.pixels();
  await page.press('Overlay the other results in the view');
  assert.notEqual((await page.pixels()).hash, with2.hash);
  await page.value(`document.getElementById('result-1').click()`);
  assert.equal(await page.value('nutate.plots.panels[1].shown.every((c) => c.result === 0)'), true);
  assert.ok(
    (await page.value(`document.getElementById('panel-summary').textContent`)).includes(
      'rkmk-dopri5',
    ),
  );
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('different mechanisms are said', async () => {
  run('run', example('double_pendulum'), '-o', 'other.nc', '--quiet');
  const { status, said } = outcome('report', 'a.nc', 'other.nc', '-o', 'unlike.html');
  assert.equal(status, 0);
  assert.match(said, /different mechanisms/);
  const page = await browser.page();
  await page.open(address('unlike.html'));
  assert.match(await notices(page), /of another mechanism/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a run that was killed', async () => {
  const child = spawn(
    nutate,
    ['run', example('heavy_top'), '--duration', '5000', '-o', 'killed.nc', '--quiet'],
    { cwd: folder },
  );
  const path = join(folder, 'killed.nc');
  while (!existsSync(path) || statSync(path).size < 20000)
    await new Promise((r) => setTimeout(r, 10));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  run('report', 'killed.nc', '-o', 'killed.html');
  const page = await browser.page();
  await page.open(address('killed.html'));
  assert.match(await notices(page), /killed\.nc is not finished: it ends at .* its run at 5000 s/);
  assert.ok((await page.value('nutate.results[0].rows')) > 10);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('a run that was interrupted keeps its page', async () => {
  const child = spawn(
    nutate,
    ['run', example('heavy_top'), '--duration', '5000', '-o', 'stopped.html'],
    { cwd: folder },
  );
  await new Promise((r) => setTimeout(r, 600));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  assert.equal(await ended, 130);
  assert.ok(!existsSync(join(folder, 'stopped.html.part.nc')), 'nothing is left beside it');
  const page = await browser.page();
  await page.open(address('stopped.html'), 60000);
  assert.match(await notices(page), /interrupted/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('the page alone says that full data were not kept', async () => {
  const { status, said } = outcome('run', example('heavy_top'), '-o', 'alone.html');
  assert.equal(status, 0);
  assert.match(said, /shown in alone\.html; full data are not kept/);
  const page = await browser.page();
  await page.open(address('alone.html'));
  assert.match(
    await page.value(`document.getElementById('panel-summary').textContent`),
    /full data were not kept/,
  );
  await page.close();
});

test('without poses, and CSV', async () => {
  run(
    'run',
    example('heavy_top'),
    '--set',
    'output.poses=false',
    '-o',
    'bare.nc',
    '-o',
    'bare.csv',
    '--quiet',
  );
  const page = await browser.page();
  for (const [file, words] of /** @type {[string, RegExp][]} */ ([
    ['bare.nc', /holds no poses/],
    ['bare.csv', /bare\.csv is CSV/],
  ])) {
    run('report', file, '-o', 'bare.html');
    await page.open(address('bare.html'));
    assert.match(await notices(page), words);
    assert.equal(await page.value('nutate.stage'), null);
    await compareNumbers(page, readFileSync(join(folder, 'bare.csv'), 'utf8'));
    await page.press('One row on');
    assert.equal(
      await page.value('nutate.player.time'),
      await page.value('nutate.player.times[1]'),
    );
    assert.deepEqual(page.problems, []);
  }
  const text = readFileSync(join(folder, 'bare.csv'), 'utf8');
  writeFileSync(join(folder, 'torn.csv'), text.slice(0, text.length - 40));
  run('report', 'torn.csv', '-o', 'torn.html');
  await page.open(address('torn.html'));
  assert.equal(await page.value('nutate.results[0].rows'), text.trimEnd().split('\n').length - 2);
  await page.close();
});

test('derivatives', async () => {
  run(
    'sens',
    example('heavy_top'),
    '--param',
    'm',
    '--param',
    'arm',
    '-o',
    'sens.nc',
    '-o',
    'sens.html',
    '--quiet',
  );
  const page = await browser.page();
  await page.open(address('sens.html'));
  await page.press('Last row');
  await page.press('Sensitivities');
  const lines = await page.value(
    `[...document.querySelectorAll('#panel-sensitivities-0 tbody tr')].map((r) => [...r.children].map((c) => c.textContent))`,
  );
  const { names, columns } = readCsv(run('convert', 'sens.nc', '-o', '-'));
  assert.equal(lines.length, names.filter((n) => /^d\(.*\)\/d\((m|arm)\)$/.test(n)).length);
  const parts = lines.map((/** @type {string[]} */ l) => Number.parseFloat(l[3]));
  assert.deepEqual(
    parts,
    [...parts].sort((a, b) => b - a),
    'sorted by what they change',
  );
  const [of, parameter, change] = lines[0];
  const value = { m: 15, arm: 1 }[/** @type {'m' | 'arm'} */ (parameter)] ?? NaN;
  const derivative = (columns.get(`d(${of})/d(${parameter})`) ?? []).at(-1) ?? NaN;
  const wanted = 0.01 * value * derivative;
  assert.ok(
    Math.abs(Number.parseFloat(change) - wanted) <= 1e-4 * Math.abs(wanted),
    `${change} ${wanted}`,
  );
  const panels = await page.value('nutate.plots.panels.length');
  await page.value(`document.querySelector('#panel-sensitivities-0 tbody button').click()`);
  assert.equal(await page.value('nutate.plots.panels.length'), panels + 1);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('derivatives in a parameter that is an expression, of a page alone', async () => {
  writeFileSync(
    join(folder, 'push.yaml'),
    `nutate: 1
parameters: {half: 3, a: 2*half}
gravity: [0, 0, 0]
bodies: {ball: {mass: 1, point: true}}
forces: {push: {type: force, on: ball, value: [a, 0, 0]}}
simulation: {duration: 1, step: 0.01}
output: {every: 0.1, record: [ball.position]}
`,
  );
  run('sens', 'push.yaml', '--param', 'a', '-o', 'push.html', '--quiet');
  const page = await browser.page();
  await page.open(address('push.html'));
  await page.press('Last row');
  await page.press('Sensitivities');
  const line = await page.value(
    `[...document.querySelector('#panel-sensitivities-0 tbody tr').children].map((c) => c.textContent)`,
  );
  assert.deepEqual(line.slice(0, 3), ['ball.position.x', 'a', '0.03 m'], 'of x = a t^2 / 2');
  assert.deepEqual(await page.value('nutate.labels'), ['push']);
  assert.doesNotMatch(await page.value('document.body.innerText'), /[.]part/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

await runTests();
