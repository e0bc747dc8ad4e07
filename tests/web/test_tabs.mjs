/** Tabs on results of all kinds: events, bearings, beams, orbits, sweeps; and why a run failed. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  address,
  browser,
  example,
  folder,
  outcome,
  readCsv,
  run,
  runTests,
  test,
} from './common.mjs';

/** @param {import('./browser.mjs').Page} page */
const notices = (page) => page.value(`document.querySelector('.notices')?.textContent ?? ''`);

/** The cells of a table by its label. @param {import('./browser.mjs').Page} page @param {string} label */
const cells = (page, label) =>
  page.value(
    `[...document.querySelectorAll('table[aria-label="${label}"] tbody tr')].map((r) => [...r.children].map((c) => c.textContent))`,
  );

test('events', async () => {
  const outputs = ['door.nc', 'door.csv', 'door.html'].flatMap((name) => ['-o', name]);
  run('run', example('slamming_door'), ...outputs, '--quiet');
  const page = await browser.page();
  const lines = readFileSync(join(folder, 'door.events.csv'), 'utf8').trimEnd().split('\n');
  for (const name of ['door', 'again', 'csv']) {
    if (name === 'again') run('report', 'door.nc', '-o', 'again.html');
    if (name === 'csv') run('report', 'door.csv', '-o', 'csv.html');
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
  // of another run, torn, and with what is neither number nor name
  const events = (/** @type {string} */ rows) =>
    writeFileSync(join(folder, 'door.events.csv'), `${lines[0]}\n${rows}`);
  events('99,slam,1,1,0\n');
  run('report', 'door.csv', '-o', 'stray.html');
  await page.open(address('stray.html'));
  assert.match(await notices(page), /table of events beside door\.csv is of another run/);
  events('0.5,slam,2,1,1\n0.6,sla');
  run('report', 'door.csv', '-o', 'torn.html');
  await page.open(address('torn.html'));
  await page.press('Events');
  assert.deepEqual(await cells(page, 'Events'), [['0.5', 'slam', '2', '1', '1']]);
  assert.deepEqual(page.problems, []);
  events('0.5,</script><b>x</b>,2,1,1\n');
  const { status, said } = outcome('report', 'door.csv', '-o', 'evil.html');
  assert.equal(status, 0);
  assert.match(said, /door\.events\.csv:2:5: expected a number, got '<\/script>/);
  await page.open(address('evil.html'));
  assert.match(await notices(page), /door\.events\.csv is not shown: line 2, column 5: expected/);
  const rows = readFileSync(join(folder, 'door.csv'), 'utf8').trimEnd().split('\n').length - 1;
  assert.equal(await page.value('nutate.results[0].rows'), rows, 'the rest is shown');
  assert.equal(await page.value(`document.querySelectorAll('.notices b').length`), 0);
  assert.deepEqual(page.problems, []);
  // cut short in the middle of its head
  writeFileSync(
    join(folder, 'door.events.nc'),
    readFileSync(join(folder, 'door.events.nc')).subarray(0, 300),
  );
  const cut = outcome('report', 'door.nc', '-o', 'cut.html');
  assert.equal(cut.status, 0);
  assert.match(cut.said, /warning: door\.events\.nc: is damaged.*; it is not shown/);
  await page.open(address('cut.html'));
  assert.match(await notices(page), /door\.events\.nc is not shown: is damaged/);
  assert.ok(await page.value('nutate.results[0].poses !== null'), 'the motion is shown');
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
  const message = /at t = .*have no value: force push/.exec(said)?.[0] ?? '';
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

/** Numbers of a result by column. @param {string} name */
const columnsOf = (name) => readCsv(run('convert', name, '-o', '-')).columns;
const near = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ relative) =>
  Math.abs(a - b) <= relative * Math.max(Math.abs(a), Math.abs(b));

test('bearings: loads of balls, curves, a spectrum with what passes', async () => {
  const balls = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const records = balls.flatMap((k) => [`b.ball${k}.outer.force`, `b.ball${k}.inner.force`]);
  run(
    'run',
    example('ball_bearing'),
    ...['--set', `output.record=[b.cage.speed, ${records.join(', ')}]`],
    ...['-o', 'ball.nc', '--quiet'],
  );
  run('report', 'ball.nc', '-o', 'ball.html');
  const columns = columnsOf('ball.nc');
  const page = await browser.page();
  await page.open(address('ball.html'));
  await page.press('Bearings');
  await page.press('Last row');
  const last = columns.get('b.ball1.outer.force')?.at(-1) ?? NaN;
  await page.until(
    `Math.abs(Number(document.querySelector('table[aria-label="Loads of b"] td').textContent) - ${last}) < 1e-4 * ${last}`,
  );
  const shown = await cells(page, 'Loads of b');
  assert.equal(shown.length, balls.length);
  shown.forEach((/** @type {string[]} */ line, /** @type {number} */ i) => {
    const [outer, inner] = ['outer', 'inner'].map(
      (race) => columns.get(`b.ball${i + 1}.${race}.force`) ?? [],
    );
    const wanted = [
      outer.at(-1) ?? NaN,
      inner.at(-1) ?? NaN,
      Math.max(...outer),
      outer.reduce((a, x) => a + x, 0) / outer.length,
    ];
    wanted.forEach((x, k) => assert.ok(near(Number(line[1 + k]), x, 1e-4), `${line} ${x}`));
  });
  assert.equal(await page.value(`document.querySelectorAll('.rose .ball').length`), balls.length);
  // the cage turns as the record says; balls pass n times as often
  const rates = new Map(
    (await cells(page, 'Frequencies of b')).map((/** @type {string[]} */ r) => [
      r[2],
      Number(r[1]),
    ]),
  );
  const speed = columns.get('b.cage.speed') ?? [];
  const cage = speed.reduce((a, x) => a + x, 0) / speed.length / (2 * Math.PI);
  const shaft = 1000 / 6;
  const [of, around, outside, inside] = ['shaft', 'cage', 'BPFO', 'BPFI'].map(
    (name) => rates.get(name) ?? NaN,
  );
  assert.ok(near(of, shaft, 1e-3), `shaft ${of}`);
  assert.ok(near(around, cage, 0.05), `cage ${around}, by its record ${cage}`);
  assert.ok(near(outside, 9 * around, 1e-4) && near(inside, 9 * (of - around), 1e-4));
  const panels = await page.value('nutate.plots.panels.length');
  await page.press('Plot loads of b on its outer race');
  assert.equal(await page.value('nutate.plots.panels.length'), panels + 1);
  assert.equal(await page.value('nutate.plots.panels.at(-1).shown.length'), balls.length);
  assert.match(
    await page.value(`document.querySelector('#panel-bearings-0 [role=status]').textContent`),
    /Largest line: .* at .* Hz/,
  );
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('beams: deflection and what sections bear', async () => {
  const record = 'bar.tip.position, bar.root.force, bar.root.moment, bar.tip.force';
  run(
    'static',
    example('bend_45'),
    ...['--set', `output.record=[${record}]`],
    '-o',
    'bend.nc',
    '--quiet',
  );
  run('report', 'bend.nc', '-o', 'bend.html');
  const columns = columnsOf('bend.nc');
  const page = await browser.page();
  await page.open(address('bend.html'));
  await page.press('Beams');
  const [root, tip] = (await cells(page, 'Ends of bar')).map((/** @type {string[]} */ r) =>
    r.slice(1).map(Number),
  );
  assert.deepEqual(root.slice(0, 3), [0, 0, 0]);
  const start = [100 * (1 - Math.cos(Math.PI / 4)), 100 * Math.sin(Math.PI / 4), 0];
  ['x', 'y', 'z'].forEach((axis, k) => {
    const of = (/** @type {string} */ name) => columns.get(`bar.${name}.${axis}`)?.[0] ?? NaN;
    const moved = of('tip.position') - start[k];
    assert.ok(Math.abs(tip[k] - moved) < 2e-2, `tip ${axis}: ${tip[k]}, by its record ${moved}`);
    assert.ok(Math.abs(root[3 + k] - of('root.force')) < 1e-2, `force ${axis}`);
    assert.ok(Math.abs(root[6 + k] - of('root.moment')) < 0.1, `moment ${axis}`);
    assert.ok(Math.abs(tip[3 + k] - of('tip.force')) < 1e-2, `force at the tip ${axis}`);
  });
  assert.equal(await page.value(`document.querySelectorAll('#panel-beams-0 .u-over').length`), 3);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('orbits: in motion, with their multipliers', async () => {
  run('orbit', example('limit_cycle'), '--free', '-o', 'orbit.nc', '--quiet');
  run('report', 'orbit.nc', '-o', 'orbit.html');
  const page = await browser.page();
  await page.open(address('orbit.html'));
  await page.until('nutate.player.time > 0.1'); // it moves by itself, again and again
  assert.equal(await page.value('nutate.player.playing && nutate.player.loops'), true);
  await page.press('Orbit');
  const said = await page.value(`document.getElementById('panel-orbit-0').textContent`);
  assert.match(said, /Period 6\.66328\d* s: .*stable/);
  const found = columnsOf('orbit.multipliers.nc');
  const shown = await cells(page, 'multipliers');
  assert.equal(shown.length, found.get('re')?.length);
  shown.forEach((/** @type {string[]} */ line, /** @type {number} */ i) =>
    assert.ok(near(Number(line[2]), found.get('re')?.[i] ?? NaN, 1e-8)),
  );
  const dots = await page.value(
    `[...document.querySelectorAll('.plane circle:not(.ring)')].map((c) => c.getAttribute('class'))`,
  );
  assert.deepEqual(dots.sort(), ['inside', 'plain']);
  assert.deepEqual(page.problems, []);
  await page.close();
});

/** A plan of a grid, with rows that fail; made, run and collected. @param {string} name @param {string[]} more lines */
function sweepOf(name, more) {
  const model = example('heavy_top');
  const head = ['sweep: 1', `model: ${JSON.stringify(model)}`, 'set: {simulation.duration: 0.05}'];
  writeFileSync(join(folder, `${name}.yaml`), [...head, ...more, ''].join('\n'));
  run('sweep', `${name}.yaml`, '-o', name, '--quiet');
  run('sweep', '--collect', name, '-o', `${name}.nc`, '-o', `${name}.csv`, '--quiet');
  run('report', `${name}.nc`, '-o', `${name}.html`);
}

test('sweeps: a grid with rows that failed', async () => {
  sweepOf('grid', [
    'vary: {m: [12, 15, -1], arm: [0.9, 1, 1.1, 1.2], method: [generalized-alpha, bdf]}',
    'keep: {final: [top.position], maximum: [pivot.force.z]}',
  ]);
  const lines = readFileSync(join(folder, 'grid.csv'), 'utf8').trimEnd().split('\n');
  const heads = lines[0].split(',');
  const rows = lines.slice(1).map((l) => l.split(','));
  const page = await browser.page();
  await page.open(address('grid.html'));
  const shown = await page.value(
    'nutate.results[0].columns.map((c) => [c.name, Array.from(c.values, (v) => c.texts ? c.texts[v] : v)])',
  );
  assert.deepEqual(
    shown.map((/** @type {[string, any[]]} */ c) => c[0]),
    heads,
  );
  shown.forEach((/** @type {[string, any[]]} */ [name, values], /** @type {number} */ k) =>
    values.forEach((value, i) => {
      const wanted = name === 'method' ? rows[i][k] : Number(rows[i][k]);
      assert.ok(
        Object.is(value, wanted) || (value === null && Number.isNaN(wanted)) || value === wanted,
        `${name} ${i}: ${value} ${wanted}`,
      );
    }),
  );
  const said = () => page.value(`document.querySelector('.sweep [role=status]').textContent`);
  assert.match(await said(), /24 rows; 8 of them failed; top\.position\.x\.final from/);
  // the map: a click shows the row below it
  const box = await page.value(`(() => {
    const b = document.querySelector('.map').getBoundingClientRect();
    return { x: b.x, y: b.y, width: b.width, height: b.height };
  })()`);
  await page.click(box.x + (110 / 640) * box.width, box.y + (360 / 420) * box.height);
  const first = await cells(page, 'Chosen row');
  const row = rows.find(
    (r) => r[1] === '12' && Number(r[2]) === 0.9 && r[3] === 'generalized-alpha',
  );
  assert.deepEqual(first.slice(0, 3), [
    ['m', '12'],
    ['arm', '0.9'],
    ['method', 'generalized-alpha'],
  ]);
  assert.ok(near(Number.parseFloat(first[3][1]), Number(row?.[5]), 1e-8));
  await page.value(`document.querySelector('.map').focus()`);
  await page.key('ArrowUp');
  assert.equal((await cells(page, 'Chosen row'))[1][1], '1');
  const choose = (/** @type {string} */ label, /** @type {string} */ value) =>
    page.value(`(() => {
      const list = document.querySelector('select[aria-label="${label}"]');
      list.value = '${value}';
      list.dispatchEvent(new Event('change'));
    })()`);
  await choose('Second axis', '-1');
  assert.equal(await page.value(`document.querySelectorAll('.map').length`), 0);
  assert.equal(
    await page.value(`document.querySelector('.chart .legend').textContent`),
    'arm = 0.9arm = 1arm = 1.1arm = 1.2',
  );
  await choose('Quantity', '3');
  assert.match(await said(), /pivot\.force\.z\.maximum from/);
  await page.press('Light or dark');
  await page.press('Failures');
  const failures = await cells(page, 'Failures');
  assert.equal(failures.length, 8);
  assert.match(failures[0].at(-1), /mass -1 kg/);
  await page.press('Plan');
  assert.match(await page.value(`document.getElementById('panel-plan').textContent`), /vary/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('sweeps: whole series of rows', async () => {
  sweepOf('series', [
    'vary: {m: [12, 15, -1], arm: 0.9..1.2:4}',
    'keep: {series: [top.position, energy.total], thin: 2, final: [top.position]}',
  ]);
  const [head, ...lines] = readFileSync(join(folder, 'series.series.csv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((l) => l.split(','));
  const page = await browser.page();
  await page.open(address('series.html'));
  for (const name of ['time', 'top.position.y', 'energy.total']) {
    const shown = await page.value(`nutate.sweep.seriesOf('${name}', 6)`);
    const wanted = lines.filter((l) => l[0] === '6').map((l) => Number(l[head.indexOf(name)]));
    assert.equal(shown.length, wanted.length);
    shown.forEach((/** @type {number} */ x, /** @type {number} */ k) =>
      assert.ok(near(x, wanted[k], 1e-6 * Math.max(1, Math.abs(wanted[k]))), `${name}: ${x}`),
    );
  }
  const drawn = () =>
    page.value(`(() => {
      const of = [...document.querySelectorAll('.curves')].at(-1);
      return [of.getAttribute('aria-label'), of.nextSibling.textContent];
    })()`);
  const labels = [12, 15].flatMap((m) => [0.9, 1, 1.1, 1.2].map((arm) => `m = ${m}, arm = ${arm}`));
  assert.deepEqual(await drawn(), ['top.position.x over time of 8 of 8 rows', labels.join('')]);
  await page.value(`(() => {
    const list = document.querySelector('select[aria-label="Series"]');
    list.value = '3';
    list.dispatchEvent(new Event('change'));
  })()`);
  assert.match((await drawn())[0], /^energy\.total over time/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('sweeps: samples, and CSV', async () => {
  sweepOf('samples', [
    'vary: {m: {mean: 15, deviation: 1}, arm: {low: 0.9, high: 1.1}}',
    'design: latin_hypercube',
    'samples: 40',
    'keep: {final: [energy.total]}',
  ]);
  run('report', 'samples.csv', '-o', 'table.html');
  const energies = columnsOf('samples.nc').get('energy.total.final') ?? [];
  const mean = energies.reduce((a, x) => a + x, 0) / energies.length;
  const page = await browser.page();
  for (const name of ['samples', 'table']) {
    await page.open(address(`${name}.html`));
    const said = await page.value(`document.querySelector('.sweep [role=status]').textContent`);
    assert.match(said, /^40 rows; energy\.total\.final from/);
    assert.ok(near(Number(/mean (\S+),/.exec(said)?.[1]), mean, 1e-5), said);
    assert.equal(await page.value('nutate.sweep.grid'), false);
    assert.deepEqual(page.problems, []);
  }
  const { nodes } = await page.send('Accessibility.getFullAXTree');
  const nameless = nodes.filter(
    (/** @type {any} */ n) =>
      !n.ignored &&
      ['button', 'combobox', 'tab', 'image', 'img', 'toolbar'].includes(n.role?.value) &&
      !n.name?.value?.trim(),
  );
  assert.deepEqual(nameless, []);
  await page.close();
});

await runTests();
