/** Views of examples against their pictures, and a whole page against its own, within tolerances. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { address, browser, example, folder, root, run, runTests, test } from './common.mjs';
import { takeView } from './view.mjs';

const examples = ['heavy_top', 'slider_crank', 'four_bar', 'bend_45', 'flyball_governor'];
const shareOfTime = 0.35; // as tools/pictures draws them
const far = 40; // of 255 in any channel: another colour, not another rounding
const most = 0.015; // of all pixels that may be another colour: edges, drawn by another version

/**
 * The share of pixels that are another colour in two pictures of one size; or with blocks the
 * largest difference of mean colours, of 255, among blocks of so many pixels.
 * @param {import('./browser.mjs').Page} page
 * @param {string} a PNG as base64
 * @param {string} b
 * @param {number} [blocks]
 */
function compare(page, a, b, blocks = 0) {
  return page.value(`(async () => {
    const pixels = async (text) => {
      const image = new Image();
      image.src = 'data:image/png;base64,' + text;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const [x, y] = [await pixels('${a}'), await pixels('${b}')];
    if (x.width !== y.width || x.height !== y.height) return { share: 1, largest: 255 };
    let other = 0;
    const means = new Map();
    for (let i = 0; i < x.data.length; i += 4) {
      let d = 0;
      for (let k = 0; k < 3; k++) d = Math.max(d, Math.abs(x.data[i + k] - y.data[i + k]));
      if (d > ${far}) other++;
      if (!${blocks}) continue;
      const place = i / 4;
      const block = Math.floor((place % x.width) / ${blocks}) + 1000 * Math.floor(Math.floor(place / x.width) / ${blocks});
      const mean = means.get(block) ?? { sum: [0, 0, 0], n: 0 };
      for (let k = 0; k < 3; k++) mean.sum[k] += x.data[i + k] - y.data[i + k];
      mean.n++;
      means.set(block, mean);
    }
    const largest = Math.max(0, ...[...means.values()].flatMap(({ sum, n }) => sum.map((s) => Math.abs(s / n))));
    return { share: (4 * other) / x.data.length, largest };
  })()`);
}

const reference = (/** @type {string} */ name) =>
  readFileSync(join(root, 'examples', name, 'picture.png')).toString('base64');

test('views of examples look as their pictures do', async () => {
  const page = await browser.page({ width: 1000, height: 800 });
  for (const name of examples) {
    run('run', example(name), '-o', `${name}.nc`, '--quiet');
    run('report', `${name}.nc`, '-o', `${name}.html`, '--frames', '1000', '--quiet');
    const shot = await takeView(page, address(`${name}.html`), shareOfTime);
    writeFileSync(join(folder, `${name}.png`), Buffer.from(shot, 'base64'));
    const { share } = await compare(page, shot, reference(name));
    assert.ok(share < most, `${name}: ${(100 * share).toFixed(2)} % of the pixels differ`);
    const other = await compare(page, shot, reference('crane'));
    assert.ok(other.share > 2 * most, `${name} is told from another: ${other.share}`);
    console.log(`        ${name}: ${(100 * share).toFixed(3)} % of the pixels differ`);
  }
  await page.close();
});

// Fonts differ from machine to machine: means over blocks of 40 pixels are compared.
test('a whole page looks as its picture does', async () => {
  const page = await browser.page({ width: 1200, height: 800 });
  for (const theme of ['light', 'dark']) {
    const path = join(root, 'tests/web/reference', `${theme}.png`);
    await page.open(address('slider_crank.html'));
    if (theme === 'dark') await page.press('Light or dark');
    await page.value(`void nutate.player.seek(0.35 * nutate.player.end)`);
    await page.settle();
    const shot = (await page.picture()).toString('base64');
    writeFileSync(join(folder, `page_${theme}.png`), Buffer.from(shot, 'base64'));
    assert.ok(existsSync(path), `${path} is there`);
    const { largest } = await compare(page, shot, readFileSync(path).toString('base64'), 40);
    console.log(`        ${theme}: blocks differ by ${largest.toFixed(1)} of 255 at most`);
    assert.ok(largest < 45, `${theme}: a block of 40 pixels differs by ${largest.toFixed(0)}`);
  }
  assert.deepEqual(page.problems, []);
  await page.close();
});

await runTests();
