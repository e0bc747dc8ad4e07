/** The page: puts results, view, plots and accounts together. */

import { accuracy, list, model, notices, sensitivities, summary, tableBeside } from './accounts.js';
import { nearestRow, readResults } from './data.js';
import { beamsOf, beamsTab } from './beams.js';
import { bearingsOf, bearingsTab } from './bearings.js';
import { append, button, element, select } from './dom.js';
import { eventsTab } from './events.js';
import { derivative, shortened } from './words.js';
import { ModeMotion, hasModes } from './modes.js';
import { isOrbit, orbitTab } from './orbits.js';
import { Player } from './player.js';
import { Plots } from './plots.js';
import { Stage } from './stage.js';
import { spectrumTab } from './spectrum.js';
import { SweepView, failuresTab, isSweep, partsOf } from './sweep.js';
import { Tabs } from './tabs.js';
import { transport } from './transport.js';
import { Tree } from './tree.js';

/** @typedef {import('./data.js').Result} Result */

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The theme that is shown: that of the system until the button chooses. */
function theme() {
  return document.documentElement.dataset.theme ?? 'light';
}

/** @param {string} [chosen] */
function setTheme(chosen) {
  document.documentElement.dataset.theme = chosen ?? (dark.matches ? 'dark' : 'light');
}

/** Short names of results, each another. @param {Result[]} results */
function labelsOf(results) {
  const names = results.map((r) => r.file.replace(/\.(nc|csv|html)$/, ''));
  return names.map((name, i) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${i + 1})`,
  );
}

/** @param {Result[]} results */
function differences(results) {
  const [first] = results;
  const said = [];
  for (const other of results.slice(1)) {
    if (!first.poses || !other.poses) continue;
    if (first.bodies.join('\n') !== other.bodies.join('\n'))
      said.push(
        `${other.file} is of another mechanism than ${first.file}: only records of the same name are compared.`,
      );
    else if (first.attributes.model_sha256 !== other.attributes.model_sha256)
      said.push(`The model files of ${other.file} and ${first.file} differ.`);
  }
  return said;
}

/** @param {Result} r @returns {boolean} rows are times of one motion */
function isMotion(r) {
  return r.first.every((t, i) => i === 0 || t > r.first[i - 1]);
}

/**
 * The page of a sweep, of the first one where there are several.
 * @param {Result} result
 * @param {Result[]} others
 */
function buildSweep(result, others) {
  const title = result.file.replace(/\.(nc|csv)$/, '');
  document.title = title;
  const view = new SweepView(result);
  const tabs = new Tabs([
    { name: 'summary', title: 'Summary', make: () => summary([result], [title]) },
    ...(partsOf(result).status.some((s) => s > 0)
      ? [{ name: 'failures', title: 'Failures', make: () => failuresTab(result) }]
      : []),
    {
      name: 'rows',
      title: 'Rows',
      make: () => tableBeside({ ...result, table: 'Rows' }, () => {}),
    },
    { name: 'plan', title: 'Plan', make: () => model(result) },
  ]);
  let chosen = false;
  const paint = () => {
    view.paint();
    tabs.paint();
  };
  const switchTheme = button(
    'Light or dark',
    () => {
      chosen = true;
      setTheme(theme() === 'dark' ? 'light' : 'dark');
      paint();
    },
    { drawing: 'theme' },
  );
  dark.addEventListener('change', () => {
    if (chosen) return;
    setTheme();
    paint();
  });
  const said = [
    ...notices(result),
    ...others.map((r) => `${r.file} is not shown: the table of a sweep is shown alone.`),
  ];
  append(document.body, [
    element(
      'header',
      { class: 'top' },
      element('h1', { title, dir: 'auto' }, shortened(title, 120)),
      element('p', { class: 'sub' }, 'sweep'),
      element('div', { class: 'tools' }, switchTheme),
    ),
    said.length
      ? element('div', { class: 'notices', role: 'note', 'aria-label': 'Notices' }, list(said))
      : null,
    element('main', { class: 'whole' }, view.root),
    tabs.root,
    element('footer', {}, licences()),
  ]);
  return { results: [result], sweep: view, tabs };
}

/** @param {Result[]} results */
function build(results) {
  const sweep = results.find(isSweep);
  if (sweep)
    return buildSweep(
      sweep,
      results.filter((r) => r !== sweep),
    );
  const labels = labelsOf(results);
  const [first] = results;
  const span = results.reduce((a, b) => (b.first[b.rows - 1] > a.first[a.rows - 1] ? b : a));
  const modes = hasModes(first) ? new ModeMotion(first) : null;
  const rows = new Player(span.first);
  const player = modes ? new Player(modes.result.first) : rows;
  const moving = modes
    ? [modes.result]
    : results.filter((r) => r.poses && isMotion(r) && !hasModes(r));
  const title = first.attributes.title || labels.join(', ');
  document.title = title;

  const plots = new Plots(results, labels, rows);
  const actions = {
    mark: (/** @type {string | null} */ name) => stage?.mark(name),
    hide: (/** @type {string} */ name, /** @type {boolean} */ hidden) => stage?.hide(name, hidden),
    follow: (/** @type {string} */ name) => stage?.follow(name),
  };
  const stage = moving.length ? new Stage(moving, player, (name) => tree.choose(name)) : null;
  const tree = new Tree(first, stage?.mechanisms[0] ?? null, actions);
  if (stage) stage.tellFollowed = (/** @type {string | null} */ name) => tree.showFollowed(name);
  rows.listen(() => tree.move(rows.time));
  const bar = transport(player, modes ? 's' : first.columns[0].unit || 's');

  if (modes) bar.root.append(modeChooser(modes, rows, () => stage?.ask()));
  const said = [...results.flatMap(notices), ...differences(results)];
  const heading = element('h1', { title, dir: 'auto' }, shortened(title, 120));
  const header = element('header', { class: 'top' }, heading);
  const sub = [
    first.attributes.method,
    first.attributes.frame && `${first.attributes.frame} frame`,
    first.attributes.model_file,
  ];
  header.append(
    element('p', { class: 'sub' }, element('bdi', {}, sub.filter(Boolean).join(' · '))),
  );
  const paint = () => {
    plots.paint(theme());
    stage?.paint();
    tabs.paint();
  };
  let chosen = false;
  const switchTheme = button(
    'Light or dark',
    () => {
      chosen = true;
      setTheme(theme() === 'dark' ? 'light' : 'dark');
      paint();
    },
    { drawing: 'theme', key: 'd' },
  );
  const help = keysDialog();
  header.append(
    element(
      'div',
      { class: 'tools' },
      switchTheme,
      button('Keys', () => help.showModal(), { drawing: 'help', key: '?' }),
    ),
  );
  if (results.length > 1) header.append(chooser(results, labels, plots, stage));

  const left = element(
    'aside',
    { class: 'side', 'aria-label': 'Parts of the mechanism' },
    tree.root,
  );
  const middle = element('div', { class: 'middle' });
  if (stage) middle.append(stage.root);
  middle.append(bar.root);
  const right = element('section', { class: 'right', 'aria-label': 'Plots' }, plots.root);
  const main = element('main', { class: stage ? '' : 'still' }, left, middle, right);
  const tabs = new Tabs(tabsOf(results, labels, plots, player));
  const notice = said.length
    ? element('div', { class: 'notices', role: 'note', 'aria-label': 'Notices' }, list(said))
    : null;
  const foot = element('footer', {}, licences());
  append(document.body, [header, notice, main, tabs.root, foot, help]);
  plots.theme = theme();
  plots.begin();
  dark.addEventListener('change', () => {
    if (chosen) return;
    setTheme();
    paint();
  });
  keys(player, stage, bar, () => switchTheme.click(), help);
  if (modes || isOrbit(first)) player.play();
  return { results, labels, player, rows, plots, stage, tree, tabs };
}

/**
 * @param {Result[]} results
 * @param {string[]} labels
 * @param {Plots} plots
 * @param {Player} player
 */
function tabsOf(results, labels, plots, player) {
  const [first] = results;
  const tabs = [
    { name: 'summary', title: 'Summary', make: () => summary(results, labels) },
    { name: 'accuracy', title: 'Accuracy', make: () => accuracy(results, labels, plots) },
  ];
  results.forEach((result, i) => {
    const of = results.length > 1 ? `, ${labels[i]}` : '';
    if (result.columns.some((c) => derivative(c.name)))
      tabs.push({
        name: `sensitivities-${i}`,
        title: `Sensitivities${of}`,
        make: () => sensitivities(result, plots),
      });
    if (result.events)
      tabs.push({
        name: `events-${i}`,
        title: `Events${of}`,
        make: () => eventsTab(result, (time) => player.seek(time)),
      });
    const bearings = bearingsOf(result);
    if (bearings.length)
      tabs.push({
        name: `bearings-${i}`,
        title: `Bearings${of}`,
        make: () => bearingsTab(result, bearings, plots),
      });
    const beams = result.poses && !hasModes(result) ? beamsOf(result) : [];
    if (beams.length)
      tabs.push({
        name: `beams-${i}`,
        title: `Beams${of}`,
        make: () => beamsTab(result, beams, player),
      });
    if (isOrbit(result))
      tabs.push({
        name: `orbit-${i}`,
        title: `Orbit${of}`,
        make: () =>
          orbitTab(
            result,
            result.tables.find((t) => t.table === 'multipliers'),
          ),
      });
    for (const t of result.tables.filter((t) => t.table !== 'multipliers' || !isOrbit(result)))
      tabs.push({
        name: `${t.table}-${i}`,
        title: t.table[0].toUpperCase() + t.table.slice(1) + of,
        make: () => tableBeside(t, (time) => player.seek(time)),
      });
  });
  if (first.columns[0].name === 'time' && first.columns.length > 1 && first.every === 1)
    tabs.push({ name: 'spectrum', title: 'Spectrum', make: () => spectrumTab(first) });
  if (first.columns[0].name !== 'time')
    tabs.push({
      name: 'rows',
      title: 'Rows',
      make: () => tableBeside({ ...first, table: 'Rows' }, () => {}),
    });
  const texts = new Set(results.map((r) => r.attributes.model));
  results.forEach((result, i) => {
    if (i === 0 || texts.size > 1)
      tabs.push({
        name: `model-${i}`,
        title: texts.size > 1 ? `Model, ${labels[i]}` : 'Model',
        make: () => model(result),
      });
  });
  return tabs;
}

/**
 * Which mode is in motion; the cursor of the plots follows.
 * @param {ModeMotion} modes
 * @param {Player} rows
 * @param {() => void} draw
 */
function modeChooser(modes, rows, draw) {
  const choices = [...modes.modes.first.keys()].map(
    (i) => /** @type {[string, string]} */ ([String(i), modes.words(i)]),
  );
  const list = select('Mode', choices, '0', (value) => rows.seek(rows.times[Number(value)]));
  rows.listen(() => {
    const row = nearestRow(rows.times, rows.time);
    list.value = String(row);
    modes.choose(row);
    draw();
  });
  return list;
}

/**
 * Which results are shown.
 * @param {Result[]} results
 * @param {string[]} labels
 * @param {Plots} plots
 * @param {Stage | null} stage
 */
function chooser(results, labels, plots, stage) {
  const box = element('fieldset', { class: 'results' }, element('legend', {}, 'Results'));
  results.forEach((result, i) => {
    const check = element('input', { type: 'checkbox', checked: true, id: `result-${i}` });
    check.addEventListener('change', () => plots.show(i, check.checked));
    box.append(
      element(
        'label',
        { for: `result-${i}`, title: result.file },
        check,
        element('bdi', {}, shortened(labels[i], 30)),
      ),
    );
  });
  if (stage && stage.mechanisms.length > 1) {
    const overlay = button(
      'Overlay the other results in the view',
      () => {
        const shown = overlay.getAttribute('aria-pressed') !== 'true';
        overlay.setAttribute('aria-pressed', String(shown));
        stage.showGhosts(shown);
      },
      { text: 'overlay', pressed: true },
    );
    box.append(overlay);
  }
  return box;
}

function keysDialog() {
  const all = [
    ['space', 'play, pause'],
    ['← →', 'one row back or on; in the view they turn it'],
    ['Home, End', 'first, last row'],
    ['f', 'fit the view'],
    ['x y z i', 'look along an axis; the first view'],
    ['p', 'perspective or not'],
    ['t', 'paths'],
    ['l', 'loop'],
    ['d', 'light or dark'],
    [
      'mouse',
      'drag to turn, with shift to move, wheel to zoom; in plots drag to zoom, click to set the time, double click to see all',
    ],
    [
      'fingers',
      'one turns the view, two move and zoom it; a tap chooses; along a plot one moves the cursor',
    ],
  ];
  const words = element('dl', { class: 'values' });
  for (const [key, what] of all) append(words, [element('dt', {}, key), element('dd', {}, what)]);
  const dialog = element('dialog', { 'aria-label': 'Keys' }, element('h2', {}, 'Keys'), words);
  dialog.append(button('Close', () => dialog.close()));
  return dialog;
}

/** The licences of what the page is made of stand in an element of it. */
function licences() {
  const text = document.getElementById('licences')?.textContent ?? '';
  return element('details', {}, element('summary', {}, 'Licences'), element('pre', {}, text));
}

/**
 * @param {Player} player
 * @param {Stage | null} stage
 * @param {{toggleLoop: () => void}} bar
 * @param {() => void} switchTheme
 * @param {HTMLDialogElement} help
 */
function keys(player, stage, bar, switchTheme, help) {
  /** @type {{[key: string]: () => void}} */
  const acts = {
    ' ': () => player.toggle(),
    ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    Home: () => player.seek(player.start),
    End: () => player.seek(player.end),
    l: () => bar.toggleLoop(),
    d: switchTheme,
    '?': () => help.showModal(),
  };
  if (stage)
    Object.assign(acts, {
      f: () => stage.fit(),
      x: () => stage.along([1, 0, 0]),
      y: () => stage.along([0, -1, 0]),
      z: () => stage.along([0, 0, 1]),
      i: () => stage.along(stage.first.from),
      p: () => stage.togglePerspective(),
      t: () => stage.toggleTrails(),
    });
  addEventListener('keydown', (event) => {
    const on = /** @type {HTMLElement} */ (event.target);
    const typing = on.closest?.('input, select, textarea, dialog');
    const pressing = event.key === ' ' && on.closest?.('button, summary, a');
    const act = acts[event.key];
    if (!act || typing || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}

async function start() {
  const state = document.getElementById('state');
  setTheme();
  try {
    const results = await readResults();
    if (results.length === 0) throw new Error('the page holds no results');
    const page = build(results);
    state?.remove();
    Object.assign(window, { nutate: page });
    document.documentElement.dataset.ready = 'true';
  } catch (error) {
    if (state)
      state.textContent = `The page cannot be shown: ${error instanceof Error ? error.message : error}`;
    throw error;
  }
}

start();
