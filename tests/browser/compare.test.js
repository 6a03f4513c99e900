// Compare on the page: four layers train side by side in the worker and are drawn at a steady rate; the pages Inside and Layers are drawn.

import assert from 'node:assert/strict';
import test from 'node:test';
import { drawn, dropFile, framesAfter, kept, launch, open, picture, serve, shoot, status, until } from './helper.js';

const server = await serve();
const browser = await launch('webgl');
const layers = { Gated: { model: 'gated', gates: 12 }, LSTM: { model: 'lstm' }, GRU: { model: 'gru' }, 'LRU In+Out': { model: 'lru-in-out' } };
const definition = (steps) => JSON.stringify({
  title: 'Four layers', preset: 'quick', settings: { steps, time: 16, batch: 16, mask_at: 0, backend: 'cpu', hidden: 12, embed: 8 },
  variants: layers, grid: { seed: 1 },
});
const command = (page, wish) => page.evaluate((wish) => window.gatelens.command(wish), wish);

test('four layers train side by side and are drawn', async () => {
  const page = await open(browser, `${server.url}#v=1&view=compare&preset=quick&backend=cpu`);
  await until(page, 'the view', (now) => now.view === 'compare' && now.step > 0, 60);
  await picture(page, 'page-compare-empty');
  await command(page, { pause: true });
  await command(page, { sweep: definition(1_000_000) });
  await until(page, 'four in training', (now) => now.compare?.training === 4, 30);
  for (const [width, height] of [[800, 500], [1280, 800]]) {
    const resized = await status(page);
    await page.setViewportSize({ width, height });
    const before = await framesAfter(page, resized);
    // A frame comes when something changes: the pointer moves over the curves all the time.
    const started = Date.now();
    let [now, i] = [before, 0];
    while (now.frames < before.frames + 30 && i < 6000) {
      await page.mouse.move(300 + (i % 200), 200 + (i % 90));
      now = await status(page);
      i += 1;
    }
    const frames = now.frames - before.frames;
    console.log(`${width}×${height}, four layers in training: ${((1000 * frames) / (Date.now() - started)).toFixed(1)} frames/s, ${now.frame_work_ms.toFixed(1)} ms of work each`);
    assert.ok(frames >= 30, `${frames} frames while the pointer moved ${i} times`);
    assert.equal(now.compare.training, 4, 'beside the training');
  }
  await command(page, { sweep: definition(400) });
  await until(page, 'all over', (now) => now.compare?.over === 4 && now.compare.training === 0, 120);
  await picture(page, 'page-compare');
  for (const name of ['inside', 'layers']) {
    const before = await status(page);
    await command(page, { load: `v=1&view=compare&page=${name}&preset=quick&backend=cpu` });
    await framesAfter(page, before);
    assert.match(await page.evaluate(() => location.hash), new RegExp(`page=${name}`));
    await picture(page, `page-${name}`);
  }
  await kept(page, 4);
  await page.reload();
  const again = await until(page, 'the race of the last visit', (now) => now.compare?.over === 4, 60);
  assert.equal(again.compare.running, false);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('results take the place of a race only when asked', async () => {
  const page = await open(browser, `${server.url}#v=1&view=compare&preset=quick&backend=cpu`);
  await until(page, 'the view', (now) => now.view === 'compare' && now.step > 0, 60);
  await command(page, { sweep: definition(300) });
  await until(page, 'all over', (now) => now.compare?.over === 4, 120);
  await kept(page, 4);
  const { records } = await page.evaluate(() => JSON.parse(Object.entries(localStorage).find(([, text]) => text.includes('"records"'))[1]));
  const results = JSON.stringify({ title: 'Half', sweep: JSON.parse(definition(300)), runs: records.slice(0, 2).map((record) => ({ record })) });
  await dropFile(page, 'half.json', results);
  await until(page, 'the question', (now) => now.asks);
  await drawn(page);
  await shoot(page, 'page-compare-asked');
  await page.keyboard.press('Enter'); // on "Leave it"
  const left = await until(page, 'the answer', (now) => !now.asks);
  assert.equal(left.compare.over, 4);
  await dropFile(page, 'half.json', results);
  await until(page, 'the question', (now) => now.asks);
  await drawn(page);
  await page.keyboard.press('Shift+Tab');
  await drawn(page);
  await page.keyboard.press('Enter');
  const now = await until(page, 'the results', (now) => now.compare?.over === 2, 20);
  assert.deepEqual([now.compare.runs, now.compare.running], [4, false]);
  await dropFile(page, 'spoiled.json', results.slice(0, 200));
  await until(page, 'a message', (now) => /spoiled.json/.test(now.message ?? ''), 20);
  assert.equal((await status(page)).compare.over, 2);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('on a phone', async () => {
  const page = await open(browser, `${server.url}#v=1&view=compare&preset=quick&backend=cpu`, { width: 390, height: 844 });
  await until(page, 'the view', (now) => now.view === 'compare' && now.step > 0, 60);
  await command(page, { sweep: definition(300) });
  await until(page, 'all over', (now) => now.compare?.over === 4, 120);
  await picture(page, 'page-compare-phone', 100);
  const bad = definition(300).replace('lstm', 'lstn');
  await command(page, { sweep: bad });
  await until(page, 'a message', (now) => /LSTM: model: lstn/.test(now.message ?? ''), 20);
  assert.equal((await status(page)).compare.over, 4);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
