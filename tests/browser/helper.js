// What the browser tests share: a server for dist/, Chromium with WebGPU (by SwiftShader) or without, and ways to watch the page.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, extname, join, resolve } from 'node:path';
import { after } from 'node:test';
import { chromium } from 'playwright-core';

const root = resolve(import.meta.dirname, '../..');
export const dist = join(root, 'dist');
const screenshots = join(root, 'target/screenshots');
const MIME = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.svg': 'image/svg+xml' };

const QUIET = ['--headless=new', '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const FLAGS = {
  // All three are needed: without Vulkan by SwiftShader the canvas stays white.
  webgpu: ['--enable-unsafe-webgpu', '--enable-features=Vulkan', '--use-vulkan=swiftshader', '--use-angle=swiftshader', '--use-webgpu-adapter=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  // WebGL alone, drawn by SwiftShader.
  webgl: ['--disable-features=WebGPU', '--disable-blink-features=WebGPU', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  // Neither.
  nothing: ['--disable-features=WebGPU', '--disable-blink-features=WebGPU', '--disable-gpu', '--disable-3d-apis', '--disable-software-rasterizer'],
};

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const onPath = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  const found = [process.env.CHROMIUM, ...onPath].find((path) => path && existsSync(path));
  assert.ok(found, 'Chromium was not found: install it or set CHROMIUM to its path');
  return found;
}

/**
 * Serves dist/ below `prefix`. `files` replaces some: a text, a Buffer, or null for "404"; its keys are names in dist/.
 * Ends with the test file.
 */
export async function serve({ prefix = '/', files = {} } = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    asked.push(request.url);
    const name = path.startsWith(prefix) ? path.slice(prefix.length) || 'index.html' : null;
    const send = (status, type, body) => response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
    const replaced = name !== null && Object.hasOwn(files, name);
    const body = replaced ? files[name] : name !== null && existsSync(join(dist, name)) ? readFileSync(join(dist, name)) : null;
    if (body === null) send(404, 'text/plain', 'no such file');
    else send(200, MIME[extname(name)] ?? 'application/octet-stream', body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  after(() => server.close());
  return { url: `http://localhost:${server.address().port}${prefix}`, asked, files };
}

/** Starts Chromium with 'webgpu', 'webgl' or 'nothing' to draw with. Ends with the test file. */
export async function launch(kind = 'webgpu') {
  const browser = await chromium.launch({ executablePath: findChromium(), args: [...QUIET, ...FLAGS[kind]] });
  after(() => browser.close());
  return browser;
}

/** Opens a page; `page.problems` fills with its console errors and page errors. */
export async function open(browser, url, { width = 1280, height = 800, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on('console', (message) => message.type() === 'error' && page.problems.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => page.problems.push(`page: ${error}`));
  await page.goto(url);
  return page;
}

export const status = (page) => page.evaluate(() => window.gatelens.status());

/** Asks `attempt` again and again until it gives something, and returns that; after `seconds` says what the status was instead. */
async function poll(page, what, seconds, attempt) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    const found = await attempt();
    if (found) return found;
    const now = await status(page);
    if (now.phase === 'failed' || Date.now() > end) {
      await shoot(page, 'failure');
      assert.fail(`${what}: not within ${seconds} s; status ${JSON.stringify(now)}, problems ${JSON.stringify(page.problems)}`);
    }
    await page.waitForTimeout(100);
  }
}

/** Waits until `check(status)` holds, and returns that status. */
export const until = (page, what, check, seconds = 30) => poll(page, what, seconds, async () => {
  const now = await status(page);
  return check(now) && now;
});

/** Waits until `frames` more have been drawn since `before`, and returns the status then. */
export const framesAfter = (page, before, frames = 1, seconds = 30) => until(page, `${frames} more frames`, (now) => now.frames >= before.frames + frames, seconds);

let moves = 0;

/** Lets the window take in what it was sent: a pointer that moves always makes it draw. Returns the status then. */
export async function drawn(page) {
  const before = await status(page);
  moves += 1;
  await page.mouse.move(5 + (moves % 9), 5);
  return framesAfter(page, before);
}

/** Takes the picture `name` as soon as it shows more than `least` colours: a blank canvas has one or two. */
export const picture = (page, name, least = 200, seconds = 30) => poll(page, `${name} with more than ${least} colours`, seconds, async () => {
  const taken = await shoot(page, name);
  return (await colours(page, taken)) > least && taken;
});

/** Takes the picture `name` as soon as it is the same twice; with `other`, as soon as it is another one than that, too. */
export async function stillPicture(page, name, other = null) {
  let last = await picture(page, name);
  return poll(page, `${name} that stays the same${other ? ', and another one' : ''}`, 30, async () => {
    const before = last;
    last = await picture(page, name);
    return last.equals(before) && !(other && last.equals(other)) && last;
  });
}

/** Waits until the window, which saves itself every few seconds, has kept a sweep with that many records for the next visit. */
export const kept = (page, records) => page.waitForFunction((records) => Object.values(localStorage).some((text) => {
  try { return JSON.parse(text).records?.length === records; } catch { return false; }
}), records, { timeout: 30_000, polling: 100 });

export const firstPicture = (page, seconds = 60) => until(page, 'the first picture', (now) => now.frames > 0, seconds);

/** Lets training run until its loss is `factor` times smaller than at first. */
export async function lossFalls(page, factor, seconds = 60) {
  const first = await until(page, 'a first loss', (now) => now.loss > 0, seconds);
  const last = await until(page, `a loss ${factor} times smaller than ${first.loss}`, (now) => now.loss < first.loss / factor, seconds);
  assert.ok(last.step > first.step);
  return last;
}

export async function shoot(page, name) {
  mkdirSync(screenshots, { recursive: true });
  return page.screenshot({ path: join(screenshots, `${name}.png`) });
}

/** How many different colours a picture has. */
async function colours(page, picture) {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }, picture.toString('base64'));
}

/** Drops a file, of a text or a Buffer, on the canvas, as a person does from the desktop. */
export function dropFile(page, name, content) {
  return page.evaluate(([name, bytes]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
    const canvas = document.getElementById('gatelens');
    for (const type of ['dragenter', 'dragover', 'drop']) canvas.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }, [name, [...Buffer.from(content)]]);
}
