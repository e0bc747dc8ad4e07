/** A browser without a window, driven through its debugging protocol over a pipe. */

import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The path of the browser, null where there is none. */
export function findBrowser() {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = [
    process.env.NUTATE_BROWSER,
    ...names.flatMap((n) => folders.map((f) => join(f, n))),
  ];
  for (const path of paths) {
    try {
      if (path) {
        accessSync(path, constants.X_OK);
        return path;
      }
    } catch {
      // the next one
    }
  }
  return null;
}

const flags = [
  '--headless',
  '--remote-debugging-pipe',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
];

/**
 * @typedef {{id?: number, method?: string, params?: any, sessionId?: string, result?: any, error?: {message: string}}} Message
 */

export class Browser {
  /** @param {string} path @param {string[]} [more] flags */
  constructor(path, more = []) {
    this.folder = mkdtempSync(join(tmpdir(), 'nutate-browser-'));
    this.process = spawn(path, [...flags, ...more, `--user-data-dir=${this.folder}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.to = /** @type {import('node:stream').Writable} */ (this.process.stdio[3]);
    this.from = /** @type {import('node:stream').Readable} */ (this.process.stdio[4]);
    /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void, what: string}>} */
    this.waiting = new Map();
    /** @type {((message: Message) => void)[]} */
    this.listeners = [];
    this.count = 0;
    /** @type {Buffer[]} */
    let pieces = [];
    this.from.on('data', (/** @type {Buffer} */ data) => {
      let rest = data;
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        pieces.push(rest.subarray(0, end));
        this.receive(JSON.parse(Buffer.concat(pieces).toString('utf8')));
        pieces = [];
        rest = rest.subarray(end + 1);
      }
      if (rest.length) pieces.push(rest);
    });
    this.to.on('error', () => {});
    this.process.on('exit', (code) => {
      for (const { reject, what } of this.waiting.values())
        reject(new Error(`the browser ended (${code}) during ${what}`));
      this.waiting.clear();
    });
  }

  /** @param {Message} message */
  receive(message) {
    const call = message.id === undefined ? undefined : this.waiting.get(message.id);
    if (!call) {
      for (const listener of this.listeners) listener(message);
      return;
    }
    this.waiting.delete(/** @type {number} */ (message.id));
    if (message.error) call.reject(new Error(`${call.what}: ${message.error.message}`));
    else call.resolve(message.result);
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {string} [sessionId]
   * @returns {Promise<any>}
   */
  send(method, params = {}, sessionId) {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, what: method });
      this.to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** A page without a network. @param {{width?: number, height?: number, downloads?: string}} [options] */
  async page(options = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.begin(options);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    await this.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Page {
  /** @param {Browser} browser @param {string} session @param {string} target */
  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
    /** @type {string[]} what the console said, and errors */
    this.problems = [];
    /** @type {string[]} addresses that were asked for */
    this.requests = [];
    browser.listeners.push((message) => {
      if (message.sessionId === session) this.hear(message);
    });
  }

  /** @param {Message} message */
  hear({ method, params }) {
    if (method === 'Runtime.exceptionThrown')
      this.problems.push(
        params.exceptionDetails.exception?.description ?? params.exceptionDetails.text,
      );
    if (
      method === 'Runtime.consoleAPICalled' &&
      ['error', 'warning', 'assert'].includes(params.type)
    )
      this.problems.push(
        params.args.map((/** @type {any} */ a) => a.value ?? a.description).join(' '),
      );
    if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) {
      // Reading pixels back is what the tests do.
      if (!/GPU stall due to ReadPixels/.test(params.entry.text))
        this.problems.push(params.entry.text);
    }
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    if (method === 'Page.javascriptDialogOpening') this.problems.push(`dialog: ${params.message}`);
    if (method === 'Page.loadEventFired') this.loaded?.();
  }

  /** @param {string} method @param {object} [params] */
  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  /** @param {{width?: number, height?: number, downloads?: string}} options */
  async begin({ width = 1280, height = 900, downloads }) {
    for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Accessibility'])
      await this.send(`${domain}.enable`);
    await this.send('Network.emulateNetworkConditions', {
      offline: true,
      latency: 0,
      downloadThroughput: 0,
      uploadThroughput: 0,
    });
    await this.size(width, height);
    if (downloads)
      await this.browser.send('Browser.setDownloadBehavior', {
        behavior: 'allow',
        downloadPath: downloads,
      });
  }

  /** @param {number} width @param {number} height @param {boolean} [mobile] */
  async size(width, height, mobile = false) {
    await this.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile,
    });
  }

  /** Opens an address; resolves when the page shows its results. @param {string} url @param {number} [most] ms */
  async open(url, most = 20000) {
    this.problems = [];
    this.requests = [];
    const loaded = new Promise((resolve) => (this.loaded = () => resolve(undefined)));
    const begun = performance.now();
    await this.send('Page.navigate', { url });
    await loaded;
    await this.until('document.documentElement.dataset.ready === "true"', most);
    return performance.now() - begun;
  }

  /**
   * The value of an expression in the page.
   * @param {string} expression
   * @returns {Promise<any>}
   */
  async value(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails)
      throw new Error(
        `${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`,
      );
    return result.value;
  }

  /** @param {string} condition @param {number} [most] ms */
  async until(condition, most = 5000) {
    const begun = performance.now();
    while (!(await this.value(`Boolean(${condition})`))) {
      if (performance.now() - begun > most)
        throw new Error(
          `not within ${most} ms: ${condition}; the console said: ${this.problems.join('; ')}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Two pictures of the browser later all that was asked for is drawn. */
  async settle() {
    await this.value(
      'new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))',
    );
  }

  /** Presses a key. @param {string} key @param {number} [modifiers] */
  async key(key, modifiers = 0) {
    const text = key.length === 1 ? key : undefined;
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text, modifiers });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers });
  }

  /** @param {string} type @param {number} x @param {number} y @param {object} [more] */
  async mouse(type, x, y, more = {}) {
    await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'none', ...more });
  }

  /** @param {number} x @param {number} y */
  async click(x, y) {
    await this.mouse('mouseMoved', x, y);
    await this.mouse('mousePressed', x, y, { button: 'left', clickCount: 1, buttons: 1 });
    await this.mouse('mouseReleased', x, y, { button: 'left', clickCount: 1 });
  }

  /**
   * Fingers that go down together, move along and go up: the way of each as points.
   * @param {[number, number][][]} ways
   */
  async touch(ways) {
    const at = (/** @type {number} */ i) => ({
      touchPoints: ways.map((way, id) => ({ x: way[i][0], y: way[i][1], id })),
    });
    await this.send('Input.dispatchTouchEvent', { type: 'touchStart', ...at(0) });
    for (let i = 1; i < ways[0].length; i++)
      await this.send('Input.dispatchTouchEvent', { type: 'touchMove', ...at(i) });
    await this.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await this.settle();
  }

  /** Presses the control with this label. @param {string} label */
  async press(label) {
    await this.value(`(() => {
      const found = [...document.querySelectorAll('button, [role=tab], summary')].find(
        (e) => e.getAttribute('aria-label') === ${JSON.stringify(label)} || e.textContent === ${JSON.stringify(label)});
      if (!found) throw new Error('no control is called ' + ${JSON.stringify(label)});
      found.click();
    })()`);
    await this.settle();
  }

  /** A picture of the page as PNG. */
  async picture() {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  /** A fingerprint of the canvas of the view and its number of colours. */
  async pixels() {
    await this.settle();
    return this.value(`(() => {
      const canvas = document.querySelector('.frame canvas');
      nutate.stage.view.draw(); // what it shows is only there until the browser has taken it
      const copy = document.createElement('canvas');
      copy.width = copy.height = 128;
      const context = copy.getContext('2d', { willReadFrequently: true });
      context.drawImage(canvas, 0, 0, 128, 128);
      const data = context.getImageData(0, 0, 128, 128).data;
      const colors = new Set();
      let hash = 7;
      for (let i = 0; i < data.length; i += 4) {
        const c = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
        colors.add(c);
        hash = (hash * 31 + c) | 0;
      }
      return { hash, colors: colors.size };
    })()`);
  }

  async close() {
    await this.browser.send('Target.closeTarget', { targetId: this.target });
  }
}
