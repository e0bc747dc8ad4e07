/**
 * Pictures of mechanisms from pages: node tools/picture.mjs PAGE.html PICTURE.png SHARE ..., three for
 * each: the view at this share of the time, alone, as PNG. Exit status 77 without a browser.
 */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Browser, findBrowser } from '../tests/web/browser.mjs';
import { takeView } from '../tests/web/view.mjs';

const path = findBrowser();
if (!path) {
  console.error('absent: a browser (chromium-headless-shell)');
  process.exit(77);
}
const browser = new Browser(path);
const page = await browser.page({ width: 1000, height: 800 });
const words = process.argv.slice(2);
for (let i = 0; i + 2 < words.length; i += 3) {
  const data = await takeView(page, pathToFileURL(words[i]).href, Number(words[i + 2]));
  writeFileSync(words[i + 1], Buffer.from(data, 'base64'));
}
await browser.close();
