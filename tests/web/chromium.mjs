// Debian's Chromium without a display, driven over a pipe by the DevTools protocol: real events of mouse and keyboard.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {readFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {extname, join, normalize} from 'node:path';

const kTypes = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.gz': 'application/octet-stream'};

/// Serves a folder on a free port of this machine, plainly: without special headers.
export function serve(folder) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    asked.push(path);
    try {
      const content = await readFile(join(folder, path === '/' ? 'index.html' : path));
      response.writeHead(200, {'Content-Type': kTypes[extname(path)] || 'text/html', 'Content-Length': content.length});
      response.end(content);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  return new Promise((ready) => server.listen(0, '127.0.0.1', () =>
    ready({address: `http://127.0.0.1:${server.address().port}/`, asked, close: () => server.close()})));
}

export class Chromium {
  static async start({width = 1600, height = 900, density = 1} = {}) {
    const browser = new Chromium;
    browser.folder = mkdtempSync(join(tmpdir(), 'tilescope-chromium-'));
    browser.process = spawn('/usr/bin/chromium', ['--headless', '--no-sandbox', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--remote-debugging-pipe', `--user-data-dir=${browser.folder}`,
      'about:blank'], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    let rest = '';
    browser.process.stdio[4].on('data', (part) => {
      rest += part;
      const messages = rest.split('\0');
      rest = messages.pop();
      for (const message of messages) browser.take(JSON.parse(message));
    });
    const {targetInfos} = await browser.send('Target.getTargets', {}, null);
    const page = targetInfos.find((target) => target.type === 'page');
    browser.session = (await browser.send('Target.attachToTarget', {targetId: page.targetId, flatten: true}, null)).sessionId;
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await browser.send(`${domain}.enable`);
    await browser.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: density, mobile: false});
    return browser;
  }

  waiting = new Map;
  last = 0;
  said = [];       ///< Errors and warnings of the page.
  addresses = [];  ///< What the page asked for.

  take(message) {
    if (message.id) {
      const {resolve, reject} = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      return message.error ? reject(new Error(message.error.message)) : resolve(message.result);
    }
    const {method, params} = message;
    if (method === 'Network.requestWillBeSent') this.addresses.push(params.request.url);
    if (method === 'Runtime.consoleAPICalled' && params.type !== 'log')
      this.said.push(params.args.map((each) => each.value ?? each.description).join(' '));
    if (method === 'Runtime.exceptionThrown') this.said.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.said.push(params.entry.text);
  }
  send(method, params = {}, session = this.session) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({id, method, params, ...(session ? {sessionId: session} : {})}) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  async open(address) {
    await this.send('Page.navigate', {url: 'about:blank'});
    await this.send('Page.navigate', {url: address});
  }
  async evaluate(expression) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  /// Until the expression is true; an error with what the page said after `seconds`.
  async until(expression, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(0.05))
      if (await this.evaluate(expression).catch(() => false)) return;
    throw new Error(`not within ${seconds} s: ${expression}\n${this.said.join('\n')}`);
  }
  async move(x, y) { await this.send('Input.dispatchMouseEvent', {type: 'mouseMoved', x, y}); }
  async click(x, y) {
    await this.move(x, y);
    await sleep(0.15);
    for (const type of ['mousePressed', 'mouseReleased']) {
      await this.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1});
      await sleep(0.1);
    }
  }
  /// A key by what it says: "a", "7", "ArrowRight", "F11".
  async key(key, modifiers = 0) {
    const letter = key.length === 1;
    const code = !letter ? key : /[0-9]/.test(key) ? `Digit${key}` : key === ' ' ? 'Space' : `Key${key.toUpperCase()}`;
    const windowsVirtualKeyCode = letter ? key.toUpperCase().charCodeAt(0) : {ArrowRight: 39, ArrowLeft: 37, Enter: 13, Escape: 27, F11: 122}[key] ?? 0;
    const event = {key, code, modifiers, windowsVirtualKeyCode};
    await this.send('Input.dispatchKeyEvent', {type: 'keyDown', ...event, ...(letter && !modifiers ? {text: key} : {})});
    await sleep(0.05);
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', ...event});
    await sleep(0.05);
  }
  async touch(type, points) { await this.send('Input.dispatchTouchEvent', {type, touchPoints: points}); }
  async picture(file) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    writeFileSync(file, Buffer.from(data, 'base64'));
  }
  async close() {
    await this.send('Browser.close', {}, null).catch(() => {});
    await new Promise((ended) => { this.process.exitCode === null ? this.process.once('exit', ended) : ended(); });
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}

export const sleep = (seconds) => new Promise((go) => setTimeout(go, 1000 * seconds));
