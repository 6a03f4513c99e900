// The page without WebGPU: the CPU engine trains in a worker, the page says so and stays fluid.

import assert from 'node:assert/strict';
import test from 'node:test';
import { firstPicture, framesAfter, launch, lossFalls, open, picture, serve, shoot, status, until } from './helper.js';

const server = await serve();
const browser = await launch('webgl');

test('trains on the CPU, and says so', async () => {
  const page = await open(browser, server.url);
  const first = await until(page, 'training', (now) => now.step > 0);
  assert.equal(first.backend, 'cpu', JSON.stringify(first));
  assert.match((await until(page, 'a message', (now) => now.message !== null)).message, /WebGPU|CPU/);
  await lossFalls(page, 10);
  await picture(page, 'page-cpu');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('goes on drawing while the CPU trains as fast as it can', async (t) => {
  // A small window: here the processor draws each pixel too, beside the training.
  const page = await open(browser, server.url, { width: 800, height: 500 });
  const before = await until(page, 'training', (now) => now.step > 10);
  const start = Date.now();
  const after = await framesAfter(page, before, 60);
  const rate = (1000 * (after.frames - before.frames)) / (Date.now() - start);
  // 30 and more on a machine with nothing else to do.
  t.diagnostic(`${rate.toFixed(0)} frames/s, longest ${after.frame_ms_max.toFixed(0)} ms, at ${after.steps_per_s.toFixed(0)} steps/s`);
  assert.ok(after.step > before.step && after.running, 'it trained meanwhile');
  await page.context().close();
});

test('the first picture comes soon', async (t) => {
  const page = await open(browser, 'about:blank');
  const start = Date.now();
  await page.goto(server.url);
  await page.evaluate(() => window.gatelens.ready);
  t.diagnostic(`first picture after ${((Date.now() - start) / 1000).toFixed(2)} s`); // 3 s is the aim on a machine that has nothing else to do
  assert.ok((await status(page)).frames > 0);
  await page.context().close();
});

test('without anything to draw with, the page says so', async () => {
  const bare = await launch('nothing');
  const page = await open(bare, server.url);
  await page.locator('#failure').waitFor({ timeout: 30_000 });
  assert.match(await page.locator('#failure').innerText(), /offers no WebGL/);
  assert.equal((await status(page)).phase, 'failed');
  await shoot(page, 'nothing-to-draw-with');
});

test('a picture that the browser takes away is told', async () => {
  const page = await open(browser, server.url);
  await firstPicture(page);
  await page.evaluate(() => document.getElementById('gatelens').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext());
  await page.locator('#failure').waitFor({ timeout: 10_000 });
  assert.match(await page.locator('#failure').innerText(), /picture was lost/);
});
