// The page's own JavaScript with a stand-in for the program: what a person sees when the start goes wrong.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { dist, firstPicture, launch, open, serve, shoot, status } from './helper.js';

const browser = await launch('nothing');

/** A program that draws its first picture when it is told to, and repeats the commands it got. */
const STAND_IN = `
  export default async function init({ module_or_path }) { await (await module_or_path).arrayBuffer?.(); }
  const commands = [];
  export const gatelens_command = (json) => commands.push(JSON.parse(json));
  export const gatelens_status = () => JSON.stringify({ frames: 1, step: 7, message: JSON.stringify(commands) });`;
const WASM = Buffer.alloc(3_000_000);
const page_of = async (files, hash = '') => open(browser, (await serve({ files: { 'gatelens.js': STAND_IN, 'gatelens_bg.wasm': WASM, ...files } })).url + hash);
const failureText = async (page) => {
  await page.locator('#failure').waitFor({ timeout: 10_000 });
  return page.locator('#failure').innerText();
};

test('the card goes at the first picture, and early commands arrive', async () => {
  const page = await page_of({});
  await page.evaluate(() => window.gatelens.ready);
  assert.equal(await page.locator('#loading').isVisible(), false);
  const { url } = await serve({ files: { 'gatelens.js': STAND_IN, 'gatelens_bg.wasm': WASM } });
  await page.addInitScript(() => document.addEventListener('DOMContentLoaded', () => { window.gatelens.pause(); window.gatelens.load('#seed=3'); }));
  await page.goto(url);
  await page.evaluate(() => window.gatelens.ready);
  const now = await status(page);
  assert.equal(now.phase, 'running');
  assert.deepEqual(JSON.parse(now.message), [{ pause: true }, { load: 'seed=3' }]);
});

test('addresses are relative: it works below a path', async () => {
  const server = await serve({ prefix: '/people/gatelens/', files: { 'gatelens.js': STAND_IN, 'gatelens_bg.wasm': WASM } });
  const page = await open(browser, server.url);
  await firstPicture(page);
  assert.ok(server.asked.length >= 5 && server.asked.every((url) => url.startsWith('/people/gatelens/')), server.asked.join(' '));
  assert.deepEqual(page.problems, []);
});

test('the download is counted', async () => {
  const bytes = Number(readFileSync(join(dist, 'page.js'), 'utf8').match(/Number\('(\d+)'\)/)[1]);
  const page = await page_of({ 'gatelens_bg.wasm': Buffer.alloc(bytes), 'gatelens.js': STAND_IN.replace('?.();', '?.(); await new Promise(() => {});') });
  const text = page.locator('#progress');
  await page.waitForFunction(() => /Starting|Loading… \d/.test(document.getElementById('progress').textContent));
  assert.match(await text.innerText(), new RegExp(`Starting|of ${(bytes / 1e6).toFixed(1)} MB, \\d+ %`));
  await shoot(page, 'loading');
});

test('a panic is told in words, with details to copy', async () => {
  const page = await page_of({ 'gatelens.js': `${STAND_IN}\n setTimeout(() => window.gatelensFailed('panicked at src/app.rs:1: the roof fell in'), 300);` });
  const text = await failureText(page);
  assert.match(text, /gatelens has stopped/);
  assert.doesNotMatch(text, /src\/app\.rs/, 'the details are folded away at first');
  assert.match(await page.locator('#failure-details').textContent(), /src\/app\.rs:1: the roof fell in[^]*"version": "[0-9a-f]{16}"/);
  const now = await status(page);
  assert.equal(now.phase, 'failed');
  assert.match(now.panic, /roof/);
  await page.locator('#copy').click();
  await page.waitForFunction(() => /Copied|Selected/.test(document.getElementById('copy').textContent));
  await page.emulateMedia({ colorScheme: 'dark' });
  await shoot(page, 'panic-dark');
  await Promise.all([page.waitForEvent('load'), page.locator('#reload').click()]);
});

test('what fails before the start is told', async () => {
  const cases = [
    [{ 'gatelens_bg.wasm': null }, /download broke off/i],
    [{ 'gatelens.js': null }, /download broke off/i],
    [{ 'gatelens.js': 'export default () => { throw new RangeError("WebAssembly.Memory(): could not allocate memory"); }' }, /out of memory/i],
    [{ 'gatelens.js': 'export default () => new Promise(() => setTimeout(() => { throw new Error("odd"); }));' }, /has stopped/i],
    [{ 'page.js': null }, /could not be loaded/i],
  ];
  for (const [files, expected] of cases) {
    const page = await page_of(files);
    await page.waitForFunction((source) => new RegExp(source, 'i').test(document.body.innerText), expected.source, { timeout: 10_000 }).catch(async () => {
      assert.fail(`${JSON.stringify(Object.keys(files))}: ${await page.locator('body').innerText()}`);
    });
    await page.context().close();
  }
});

test('a page that was replaced on the server is loaded anew, once', async () => {
  const server = await serve({ files: { 'gatelens.js': 'export default () => { throw new Error("does not fit"); }', 'gatelens_bg.wasm': WASM } });
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const page = await browser.newPage();
  let served = 0;
  // The first answer is the old page; the server has the new one.
  server.files['index.html'] = html;
  await page.route(server.url, async (route) => {
    served += 1;
    await route.fulfill({ body: served === 1 ? html : html.replace(/data-stamp="[0-9a-f]+"/, 'data-stamp="00000000000000ab"'), contentType: 'text/html' });
  });
  await page.goto(server.url);
  await page.locator('#failure').waitFor();
  assert.ok(served >= 3, `${served} times`);
  await page.waitForTimeout(500);
  assert.ok(served <= 4, `${served} times: it must not reload for ever`);
});

test('without WebAssembly or SIMD, and without JavaScript, the page explains', async () => {
  const { url } = await serve();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => { delete window.WebAssembly; });
  await page.goto(url);
  await page.waitForFunction(() => /WebAssembly is missing/.test(document.body.innerText));
  await page.context().close();

  const old = await browser.newPage();
  await old.addInitScript(() => { WebAssembly.validate = () => false; });
  await old.goto(url);
  await old.waitForFunction(() => /no SIMD/.test(document.body.innerText));

  const plain = await open(browser, url, { javaScriptEnabled: false });
  assert.match(await plain.locator('noscript').innerText(), /needs JavaScript/);
  await shoot(plain, 'no-javascript');
});

test('the worker keeps early messages, and says why it cannot start', async () => {
  const { url } = await serve({ files: {
    'gatelens.js': `export default async () => {
      await new Promise((done) => setTimeout(done, 200));
      self.onmessage = (event) => self.postMessage(new Uint8Array([event.data[0] + 1]));
    };`,
  } });
  const broken = await serve({ files: { 'gatelens.js': 'export default async () => { self.gatelensFailed("panicked: no threads"); throw new Error("unreachable"); }' } });
  const page = await browser.newPage();
  const talk = (answers) => page.evaluate((answers) => new Promise((done) => {
    const heard = [];
    const worker = new Worker('./worker.js', { type: 'module' });
    worker.onmessage = (event) => {
      heard.push(typeof event.data === 'string' ? event.data : event.data[0]);
      if (heard.length === 2) worker.postMessage(new Uint8Array([3])); // one that comes late
      if (heard.length === answers) setTimeout(() => done(heard), 200); // more would be too many
    };
    worker.postMessage(new Uint8Array([1]));
    worker.postMessage(new Uint8Array([2]));
  }), answers);
  await page.goto(`${url}style.css`);
  assert.deepEqual(await talk(3), [2, 3, 4]);
  await page.goto(`${broken.url}style.css`);
  assert.deepEqual(await talk(1), ['The CPU engine stopped. panicked: no threads']);
});
