/** What tests of the page share. */

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Browser, findBrowser } from './browser.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const [nutate, folder] = process.argv.slice(2);

/** @param {string[]} words of the command, without progress and summary */
export function run(...words) {
  return execFileSync(nutate, words, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The same beside what else is done. @param {string[]} words @returns {Promise<string>} */
export function start(...words) {
  return new Promise((resolve, reject) =>
    execFile(
      nutate,
      words,
      { cwd: folder, encoding: 'utf8', maxBuffer: 1e9 },
      (error, out, said) =>
        error ? reject(new Error(`${words.join(' ')}: ${said || error.message}`)) : resolve(out),
    ),
  );
}

/** @param {string[]} words @returns {{status: number | null, said: string}} */
export function outcome(...words) {
  const { status, stderr } = spawnSync(nutate, words, { cwd: folder, encoding: 'utf8' });
  return { status, said: stderr };
}

/** @param {string} name of a file in the folder of the test */
export function address(name) {
  return pathToFileURL(join(folder, name)).href;
}

/** @param {string} name of an example */
export function example(name) {
  return join(root, 'examples', name, `${name}.yaml`);
}

/**
 * Numbers of a CSV by column.
 * @param {string} text
 * @returns {{names: string[], columns: Map<string, number[]>}}
 */
export function readCsv(text) {
  const [head, ...lines] = text.trimEnd().split('\n');
  const names = head.split(',');
  const rows = lines.map((line) => line.split(',').map(Number));
  return { names, columns: new Map(names.map((name, i) => [name, rows.map((row) => row[i])])) };
}

/** @type {[string, () => Promise<void>][]} */
const tests = [];

/** @param {string} name @param {() => Promise<void>} body */
export function test(name, body) {
  tests.push([name, body]);
}

/** @type {Browser} */
export let browser;

/** Runs all tests; says which failed. @param {string[]} [flags] of the browser */
export async function runTests(flags = []) {
  const path = findBrowser();
  if (!path) {
    console.log('not run: no browser (chromium-headless-shell)');
    process.exit(77);
  }
  browser = new Browser(path, flags);
  let failed = 0;
  for (const [name, body] of tests) {
    const begun = performance.now();
    try {
      await body();
      console.log(`ok      ${name} (${Math.round(performance.now() - begun)} ms)`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${error instanceof Error ? error.stack : error}`);
    }
  }
  await browser.close();
  assert.ok(tests.length > 0);
  process.exitCode = failed > 0 ? 1 : 0;
}

/**
 * Columns of a result as they are in the page against its CSV.
 * @param {import('./browser.mjs').Page} page
 * @param {string} csv its text
 * @param {number} [number] of the result
 */
export async function compareNumbers(page, csv, number = 0) {
  const { names, columns } = readCsv(csv);
  const shown = await page.value(
    `nutate.results[${number}].columns.map((c) => ({ name: c.name, values: Array.from(c.values) }))`,
  );
  const { exact, every } = await page.value(
    `(({ exact, every }) => ({ exact, every }))(nutate.results[${number}])`,
  );
  assert.deepEqual(
    shown.map((/** @type {any} */ c) => c.name),
    names,
  );
  for (const { name, values } of shown) {
    const all = columns.get(name) ?? [];
    const kept = all.filter((_, i) => i % every === 0 || i === all.length - 1);
    assert.equal(values.length, kept.length, name);
    if (exact)
      kept.forEach((x, i) => assert.ok(values[i] === x, `${name} ${i}: ${values[i]} ${x}`)); // 0 is -0
    else
      kept.forEach((x, i) =>
        assert.ok(
          Math.abs(values[i] - x) <= 6e-8 * Math.abs(x) + 1e-38,
          `${name} ${i}: ${values[i]} ${x}`,
        ),
      );
  }
}
