/**
 * Pictures of mechanisms from pages: node tools/picture.mjs PAGE.html PICTURE.png SHARE ..., three for
 * each: the view at this share of the time, alone, as PNG. Exit status 77 without a browser.
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Browser, findBrowser } from '../tests/web/browser.mjs';

const [width, height] = [480, 320];

const path = findBrowser();
if (!path) {
  console.error('absent: a browser (chromium-headless-shell)');
  process.exit(77);
}
const browser = new Browser(path);
const page = await browser.page({ width: 1000, height: 800 });
const words = process.argv.slice(2);
for (let i = 0; i + 2 < words.length; i += 3) {
  await page.open(pathToFileURL(words[i]).href, 120000);
  await page.value(`(() => {
    const slider = document.querySelector('.scrub');
    slider.value = ${Number(words[i + 2])};
    slider.dispatchEvent(new Event('input'));
    document.querySelector('.frame').style.cssText =
      'position: fixed; inset: 0 auto auto 0; width: ${width}px; height: ${height}px; z-index: 99';
  })()`);
  await page.settle();
  await page.press('Fit the view');
  for (let k = 0; k < 1; k++) await page.press('Zoom in');
  await page.settle();
  const clip = { x: 0, y: 0, width, height, scale: 1 };
  const { data } = await page.send('Page.captureScreenshot', { format: 'png', clip });
  writeFileSync(words[i + 1], Buffer.from(data, 'base64'));
}
await browser.close();
