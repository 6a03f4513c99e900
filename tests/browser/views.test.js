// The other views on the page: attention built by hand, and a network taken apart in the worker that trains it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { dropFile, firstPicture, launch, open, picture, serve, shoot, status, stillPicture, until } from './helper.js';

const server = await serve();
const browser = await launch('webgl');
const reference = join(import.meta.dirname, '../reference');

test('Construct opens by its address, and its stepper works by keyboard', async () => {
  const page = await open(browser, `${server.url}#v=1&view=construct&preset=quick&backend=cpu`);
  await firstPicture(page);
  const begin = await until(page, 'Construct', (now) => now.view === 'construct');
  assert.equal(begin.message, null, JSON.stringify(begin));
  await page.evaluate(() => window.gatelens.command({ pause: true }));
  const before = await stillPicture(page, 'page-construct');
  await page.keyboard.press('ArrowRight');
  await stillPicture(page, 'page-construct-next', before);
  await page.keyboard.press('3');
  await until(page, 'Dissect', (now) => now.view === 'dissect');
  assert.match(await page.evaluate(() => location.hash), /view=dissect/);
  await page.keyboard.press('1');
  await until(page, 'Discover', (now) => now.view === 'discover');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('Dissect follows a training until it is attention', async () => {
  const page = await open(browser, `${server.url}#v=1&view=dissect&preset=quick&backend=cpu`);
  const first = await until(page, 'a first verdict', (now) => now.dissected?.headline, 60);
  assert.equal(first.dissected.is_attention, false, 'an untrained network is none');
  const last = await until(page, 'attention', (now) => now.dissected?.is_attention, 120);
  assert.match(last.dissected.evidence, /accumulators/);
  await until(page, 'the end of the training', (now) => now.ended !== null, 120);
  await picture(page, 'page-dissect');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a dropped file is taken apart, and a bad one leaves it there', async () => {
  const page = await open(browser, `${server.url}#v=1&view=dissect&preset=quick&backend=cpu`);
  await until(page, 'a first verdict', (now) => now.dissected?.headline, 60);
  await page.evaluate(() => window.gatelens.command({ pause: true }));
  await dropFile(page, 'naive.safetensors', readFileSync(join(reference, 'construction_naive_d4.safetensors')));
  const built = await until(page, 'the verdict on the file', (now) => now.dissected?.is_attention && /10 accumulators/.test(now.dissected.evidence), 60);
  await dropFile(page, 'holiday.safetensors', 'no weights at all');
  const told = await until(page, 'a message', (now) => /holiday/.test(now.message ?? ''));
  assert.match(told.message, /stays/);
  assert.deepEqual((await status(page)).dissected, built.dissected);
  await shoot(page, 'page-dissect-file');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('both views fit a phone', async () => {
  for (const view of ['construct', 'dissect']) {
    const page = await open(browser, `${server.url}#v=1&view=${view}&preset=quick&backend=cpu`, { width: 390, height: 844, hasTouch: true, isMobile: true });
    await until(page, view, (now) => now.view === view && (view === 'construct' || now.dissected?.headline), 60);
    await picture(page, `page-${view}-phone`);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});
