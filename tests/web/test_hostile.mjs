/** Crafted titles, names and files: shown as text, never executed; and results that are broken. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { address, browser, folder, outcome, run, runTests, test } from './common.mjs';

const evil = [
  '</script><script>window.hit = 1</script>',
  '<img src=x onerror="window.hit = 2">',
  '"\'><svg onload=window.hit=3>',
  '<!--<script>',
  ']]>&lt;&#60;${window.hit = 4}',
  '\u202Eright to left\u202C עברית',
  `${'long '.repeat(2000)}end`,
];

/** A model with this title; names of objects are as YAML allows. @param {string} title */
const model = (title) =>
  [
    'nutate: 1',
    `title: ${JSON.stringify(title)}`,
    `bodies: {top: {mass: 1, inertia: [1, 1, 1]}} # ${title.replace(/\n/g, ' ')}`,
    'simulation: {duration: 0.1, step: 0.01}',
    'output: {record: [top.position]}',
    '',
  ].join('\n');

test('crafted titles', async () => {
  const page = await browser.page();
  for (const title of evil) {
    writeFileSync(join(folder, 'evil.yaml'), model(title));
    run('run', 'evil.yaml', '-o', 'evil.nc', '-o', 'evil.html', '--quiet');
    await page.open(address('evil.html'));
    assert.equal(await page.value('window.hit'), undefined, title.slice(0, 60));
    assert.equal(await page.value('document.title'), title.trim().replace(/\s+/g, ' '));
    assert.equal(await page.value(`document.querySelector('h1').getAttribute('title')`), title);
    await page.press('Model');
    const lines = await page.value(
      `[...document.querySelectorAll('.lines code')].map((c) => c.textContent)`,
    );
    assert.ok(
      lines.some((/** @type {string} */ l) => l.includes(title.replace(/\n/g, ' '))),
      'the model is shown as it is',
    );
    assert.ok(
      await page.value('document.documentElement.scrollWidth <= innerWidth'),
      'the page does not grow',
    );
    assert.deepEqual(page.problems, []);
  }
  await page.close();
});

test('crafted columns and file names', async () => {
  const names = evil.map((name) => name.replace(/[,"\n]/g, ''));
  const rows = [0, 1, 2].map((t) => [t, ...names.map((_, i) => i + t)].join(','));
  const file = '<img src=x onerror=window.hit=5>.csv';
  writeFileSync(join(folder, file), `${['time', ...names].join(',')}\n${rows.join('\n')}\n`);
  run('report', file, '-o', 'columns.html');
  const page = await browser.page();
  await page.open(address('columns.html'));
  const shown = await page.value('nutate.results[0].columns.map((c) => c.name)');
  assert.deepEqual(shown, ['time', ...names]);
  for (const name of names)
    await page.value(`void nutate.plots.add(${JSON.stringify(name)}, [${JSON.stringify(name)}])`);
  await page.settle();
  for (const tab of ['Summary', 'Accuracy', 'Model']) await page.press(tab);
  assert.equal(await page.value('window.hit'), undefined);
  assert.equal(await page.value(`document.querySelectorAll('img, iframe, object').length`), 0);
  assert.deepEqual(page.problems, []);
  await page.close();
});

/** The result evil.nc with bytes in place of others of the same length. @param {string} from @param {string} to @param {string} name */
function patch(from, to, name) {
  assert.equal(Buffer.byteLength(from), Buffer.byteLength(to));
  const bytes = readFileSync(join(folder, 'evil.nc'));
  const at = bytes.indexOf(from);
  assert.ok(at > 0, from);
  Buffer.from(to).copy(bytes, at);
  writeFileSync(join(folder, `${name}.nc`), bytes);
}

test('crafted names of bodies', async () => {
  writeFileSync(join(folder, 'evil.yaml'), model('names').replaceAll('top', 'abcdefgh'));
  run('run', 'evil.yaml', '-o', 'evil.nc', '--quiet');
  const bytes = readFileSync(join(folder, 'evil.nc'));
  for (let at = bytes.indexOf('abcdefgh'); at >= 0; at = bytes.indexOf('abcdefgh', at + 1))
    Buffer.from('<b>x</b>').copy(bytes, at);
  writeFileSync(join(folder, 'bodies.nc'), bytes);
  run('report', 'bodies.nc', '-o', 'bodies.html');
  const page = await browser.page();
  await page.open(address('bodies.html'));
  assert.deepEqual(await page.value('nutate.results[0].bodies'), ['<b>x</b>']);
  assert.equal(await page.value(`document.querySelector('.tree .name').textContent`), '<b>x</b>');
  assert.equal(await page.value(`document.querySelectorAll('b').length`), 0);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('an older version, a lost model, a broken scene', async () => {
  writeFileSync(join(folder, 'evil.yaml'), model('old'));
  run('run', 'evil.yaml', '-o', 'evil.nc', '--quiet');
  const page = await browser.page();
  const notices = async (/** @type {string} */ name) => {
    run('report', `${name}.nc`, '-o', `${name}.html`);
    await page.open(address(`${name}.html`));
    assert.deepEqual(page.problems, []);
    return page.value(`document.querySelector('.notices').textContent`);
  };
  patch('result_version', 'result_varsion', 'version');
  assert.match(await notices('version'), /of another version of nutate/);
  patch('"scene": 1', '"scene": 9', 'scene');
  assert.match(await notices('scene'), /does not say what its bodies look like/);
  patch('\0\0\0\x05model\0\0\0', '\0\0\0\x05midel\0\0\0', 'lost');
  assert.match(await notices('lost'), /does not hold the text of its model/);
  patch('\0\0\0\x05scene\0\0\0', '\0\0\0\x05szene\0\0\0', 'unlike');
  assert.match(await notices('unlike'), /they are drawn by its model/);
  assert.equal(await page.value('nutate.stage.mechanisms[0].hasScene'), true);
  await page.close();
});

test('numbers that are none, names that collide', async () => {
  writeFileSync(join(folder, 'nan.csv'), 'time,a,b,b\n0,1,2,3\n1,nan,2,3\n2,inf,3,4\n3,4,5,6\n');
  const { status, said } = outcome('report', 'nan.csv', '-o', 'nan.html');
  if (status !== 0) {
    assert.equal(status, 4);
    assert.match(said, /nan\.csv:3/);
  } else {
    const page = await browser.page();
    await page.open(address('nan.html'));
    const notices = await page.value(`document.querySelector('.notices').textContent`);
    assert.match(notices, /values that are no numbers, in a/);
    assert.match(notices, /two columns named b/);
    assert.deepEqual(page.problems, []);
    await page.close();
  }
  writeFileSync(join(folder, 'twice.csv'), 'time,b,b\n0,2,3\n1,2,3\n');
  run('report', 'twice.csv', '-o', 'twice.html');
  const page = await browser.page();
  await page.open(address('twice.html'));
  assert.match(
    await page.value(`document.querySelector('.notices').textContent`),
    /two columns named b/,
  );
  await page.close();
});

test('wrong use of the command', async () => {
  const cases = /** @type {[string[], number, RegExp][]} */ ([
    [['report'], 2, /needs RESULT/],
    [['report', 'evil.nc'], 2, /needs -o FILE\.html/],
    [['report', 'evil.nc', '-o', 'evil.pdf'], 2, /ends in \.html/],
    [['report', 'none.nc', '-o', 'none.html'], 4, /none\.nc.*cannot be opened/],
    [['report', 'evil.yaml', '-o', 'none.html'], 4, /evil\.yaml/],
    [['report', 'evil.nc', '-o', 'no/folder.html'], 4, /cannot be written/],
    [['report', 'evil.nc', '-o', 'a.html', '--frames', '0'], 2, /whole number/],
    [['run', 'evil.yaml', '-o', 'a.html', '--resume'], 2, /expected -o FILE\.nc/],
  ]);
  for (const [words, wanted, text] of cases) {
    const { status, said } = outcome(...words);
    assert.equal(status, wanted, `${words.join(' ')}: ${said}`);
    assert.match(said, text);
  }
});

await runTests();
