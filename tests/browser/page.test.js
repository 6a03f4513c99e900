// The page with WebGPU: it trains on the GPU, here SwiftShader; the faults a user or a device can cause are told and survived.

import assert from 'node:assert/strict';
import test from 'node:test';
import { dropFile, launch, lossFalls, open, picture, serve, shoot, status, until } from './helper.js';

// "auto" prefers the CPU engine to a simulated GPU, and that one needs a small experiment.
const ON_GPU = '#backend=gpu&dim=2&hidden=8&gates=8&batch=16&time=8&learning_rate=0.01';
const server = await serve();
const browser = await launch('webgpu');

test('trains on the GPU, and draws', async () => {
  const page = await open(browser, server.url + ON_GPU);
  await until(page, 'the GPU', (now) => now.backend === 'gpu' && now.step > 0, 60);
  assert.equal((await lossFalls(page, 10, 120)).backend, 'gpu');
  await picture(page, 'page-gpu');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('the handle pauses, plays, resets and loads', async () => {
  const page = await open(browser, server.url + ON_GPU);
  await page.evaluate(() => window.gatelens.ready);
  await until(page, 'some steps', (now) => now.step > 20, 60);
  await page.evaluate(() => window.gatelens.pause());
  const paused = await until(page, 'a pause', (now) => !now.running);
  await page.waitForTimeout(500); // for the steps on their way
  const later = await status(page);
  assert.ok(later.step - paused.step < 200, `ran on from ${paused.step} to ${later.step}`);
  await page.waitForTimeout(500);
  assert.equal((await status(page)).step, later.step);
  await page.evaluate(() => window.gatelens.play());
  await until(page, 'more steps', (now) => now.running && now.step > later.step);
  await page.evaluate(() => { window.gatelens.pause(); window.gatelens.reset(); });
  await until(page, 'a reset', (now) => now.step <= later.step);
  await page.evaluate(() => { window.gatelens.load('dim=2&hidden=12&gates=8&backend=gpu&seed=3'); window.gatelens.play(); });
  await until(page, 'the other experiment', (now) => now.running && now.step > 0);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a bad address is told, and training goes on', async () => {
  const page = await open(browser, `${server.url}#hidden=banana&colour=blue&gates=1e99&seed=3`);
  const told = await until(page, 'a message', (now) => now.message !== null, 60);
  assert.match(told.message, /banana|colour|1e99/i);
  await until(page, 'training', (now) => now.step > 10, 60);
  await shoot(page, 'bad-address');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a bad dropped file is told, and training goes on', async () => {
  const page = await open(browser, server.url);
  await until(page, 'training', (now) => now.step > 10, 60);
  await dropFile(page, 'holiday.safetensors', 'no weights at all');
  const told = await until(page, 'a message', (now) => /holiday/.test(now.message ?? ''));
  await until(page, 'training on', (now) => now.step > told.step);
  await shoot(page, 'bad-file');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a lost device comes back, or the page says so', async () => {
  const page = await open(browser, server.url + ON_GPU);
  await until(page, 'training', (now) => now.step > 20, 60);
  await page.evaluate(() => window.gatelens.command({ lose_device: true }));
  const told = await until(page, 'a message', (now) => /lost|device/i.test(now.message ?? ''));
  await until(page, 'training on', (now) => now.step > 0 && now.step !== told.step, 60);
  await picture(page, 'lost-device');
  await page.context().close();
});

// At one device pixel a point: Chromium's emulation of two gives the canvas's size in points as if it were device pixels.
test('is usable on a phone', async () => {
  const page = await open(browser, server.url, { width: 390, height: 844, hasTouch: true, isMobile: true });
  await until(page, 'training', (now) => now.step > 10, 60);
  const box = await page.locator('#gatelens').boundingBox();
  assert.deepEqual([box.x, box.y, box.width, box.height], [0, 0, 390, 844]);
  await picture(page, 'phone');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
