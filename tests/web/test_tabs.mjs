/** Tabs on results of all kinds: events, bearings, beams, orbits, sweeps; and why a run failed. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { address, browser, example, folder, outcome, run, runTests, test } from './common.mjs';

/** @param {import('./browser.mjs').Page} page */
const notices = (page) => page.value(`document.querySelector('.notices')?.textContent ?? ''`);

/** The cells of a table by its label. @param {import('./browser.mjs').Page} page @param {string} label */
const cells = (page, label) =>
  page.value(
    `[...document.querySelectorAll('table[aria-label="${label}"] tbody tr')].map((r) => [...r.children].map((c) => c.textContent))`,
  );

test('events', async () => {
  run('run', example('slamming_door'), '-o', 'door.nc', '-o', 'door.html', '--quiet');
  const page = await browser.page();
  const lines = readFileSync(join(folder, 'door.events.csv'), 'utf8').trimEnd().split('\n');
  for (const name of ['door', 'again', 'csv']) {
    if (name === 'again') run('report', 'door.nc', '-o', 'again.html');
    if (name === 'csv') {
      run('convert', 'door.nc', '-o', 'door.csv');
      run('report', 'door.csv', '-o', 'csv.html');
    }
    await page.open(address(`${name}.html`));
    await page.press('Events');
    const shown = await cells(page, 'Events');
    assert.equal(shown.length, lines.length - 1);
    lines.slice(1).forEach((line, i) => {
      const [t, event, ...energies] = line.split(',');
      assert.equal(shown[i][1], event);
      assert.ok(Math.abs(Number(shown[i][0]) - Number(t)) < 1e-10);
      energies.forEach((e, k) =>
        assert.ok(Math.abs(Number(shown[i][2 + k]) - Number(e)) <= 1e-8 * Math.abs(Number(e))),
      );
    });
    await page.value(`document.querySelector('table[aria-label=Events] tbody button').click()`);
    assert.equal(await page.value('nutate.player.time'), Number(lines[1].split(',')[0]));
    assert.equal(await page.value('nutate.plots.events.length'), lines.length - 1);
    assert.deepEqual(page.problems, []);
  }
  // of another run, torn, and of names that are none
  writeFileSync(join(folder, 'door.events.csv'), `${lines[0]}\n99,slam,1,1,0\n`);
  run('report', 'door.nc', '-o', 'stray.html');
  await page.open(address('stray.html'));
  assert.match(await notices(page), /table of events beside door\.nc is of another run/);
  writeFileSync(
    join(folder, 'door.events.csv'),
    `${lines[0]}\n0.5,</script><b>x</b>,2,1,1\nnonsense\n1,2\n0.6,sla`,
  );
  run('report', 'door.nc', '-o', 'evil.html');
  await page.open(address('evil.html'));
  await page.press('Events');
  assert.deepEqual(await cells(page, 'Events'), [['0.5', '</script><b>x</b>', '2', '1', '1']]);
  assert.equal(await page.value(`document.querySelectorAll('b').length`), 0);
  assert.deepEqual(page.problems, []);
  // a page alone leaves no table beside it
  run('run', example('slamming_door'), '-o', 'alone.html', '--quiet');
  assert.ok(!existsSync(join(folder, 'alone.html.part.events.csv')));
  await page.open(address('alone.html'));
  await page.press('Events');
  assert.equal((await cells(page, 'Events')).length, lines.length - 1);
  await page.close();
});

test('a run that failed says why', async () => {
  writeFileSync(
    join(folder, 'fails.yaml'),
    [
      'nutate: 1',
      'bodies: {top: {mass: 1, inertia: [1, 1, 1]}}',
      'forces: {push: {type: force, on: top, value: [1, 0, sqrt(0.3 - t)]}}',
      'simulation: {duration: 1, step: 0.01}',
      'output: {record: [top.position]}',
      '',
    ].join('\n'),
  );
  const { status, said } = outcome('run', 'fails.yaml', '-o', 'fails.html');
  assert.equal(status, 3);
  const message = /at t = .*not finite: force push/.exec(said)?.[0] ?? '';
  assert.ok(message, said);
  const page = await browser.page();
  await page.open(address('fails.html'));
  const shown = await notices(page);
  assert.ok(shown.includes('The run failed') && shown.includes(message), shown);
  await page.press('Accuracy');
  const warnings = await page.value(`document.getElementById('panel-accuracy').textContent`);
  assert.ok(warnings.includes(message), warnings);
  assert.ok((await page.value('nutate.results[0].rows')) > 20);
  assert.deepEqual(page.problems, []);
  await page.close();
});

await runTests();
