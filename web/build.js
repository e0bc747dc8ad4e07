/**
 * Bundles the page: node build.js MODULES OUTPUT, MODULES the folder with three, uplot and esbuild.
 * The results are put in later, at the place that page.html marks.
 */

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [modules, output] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(modules, 'package.json'));
/** @type {typeof import('esbuild')} */
const esbuild = require('esbuild');

const read = (/** @type {string} */ path) => readFileSync(path, 'utf8');
const hash = (/** @type {string} */ text) =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  minify: true,
  write: false,
  nodePaths: [modules],
  target: 'es2022',
  charset: 'utf8',
};
const script = await esbuild.build({
  ...common,
  entryPoints: [join(here, 'src/main.js')],
  format: 'iife',
  legalComments: 'none',
});
const style = await esbuild.build({
  ...common,
  stdin: {
    contents: `${read(join(modules, 'uplot/dist/uPlot.min.css'))}\n${read(join(here, 'style.css'))}`,
    loader: 'css',
  },
});

/** @param {import('esbuild').BuildResult} made */
const first = (made) => made.outputFiles?.[0].text ?? '';

// An end of a script or a comment within it would end it in the page.
const code = first(script).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--').trim();
const css = first(style).trim();
const licences = ['three', 'uplot']
  .map((name) => {
    const { version } = JSON.parse(read(join(modules, name, 'package.json')));
    return `${name} ${version}\n\n${read(join(modules, name, 'LICENSE')).trim()}`;
  })
  .join('\n\n\n');
const policy = [
  "default-src 'none'",
  `script-src ${hash(code)}`,
  `style-src ${hash(css)}`,
  'img-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const parts = { POLICY: policy, STYLE: css, LICENCES: licences, SCRIPT: code };
const page = read(join(here, 'page.html')).replace(
  /@(POLICY|STYLE|LICENCES|SCRIPT)@/g,
  (_, name) => parts[/** @type {keyof typeof parts} */ (name)],
);
writeFileSync(output, page);
