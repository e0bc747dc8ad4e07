/**
 * Pictures of mechanisms from pages: node tools/picture.mjs PAGE.html PICTURE.png SHARE TURNS ..., four for
 * each: the view at this share of the time, alone, turned by so many tenths of a radian, as PNG. Exit status 77 without a browser.
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
for (let i = 0; i + 3 < words.length; i += 4) {
  const [share, turns] = [Number(words[i + 2]), Number(words[i + 3])];
  const data = await takeView(page, pathToFileURL(words[i]).href, share, turns);
  writeFileSync(words[i + 1], Buffer.from(data, 'base64'));
}
await browser.close();
