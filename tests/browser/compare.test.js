// Compare on the page: four layers train side by side in the worker and are drawn at a steady rate; the pages Inside and Layers are drawn.

import assert from 'node:assert/strict';
import test from 'node:test';
import { colours, dropFile, launch, open, serve, shoot, status, until } from './helper.js';

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
  await page.waitForTimeout(1000);
  await shoot(page, 'page-compare-empty');
  await command(page, { pause: true });
  await command(page, { sweep: definition(1_000_000) });
  await until(page, 'four in training', (now) => now.compare?.training === 4, 30);
  for (const [width, height] of [[800, 500], [1280, 800]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(2000);
    // A frame comes when something changes: the pointer moves over the curves all the time.
    const [before, begun] = [(await status(page)).frames, Date.now()];
    for (let i = 0; Date.now() - begun < 4000; i++) await page.mouse.move(300 + (i % 200), 200 + (i % 90));
    const now = await status(page);
    const frames = (1000 * (now.frames - before)) / (Date.now() - begun);
    console.log(`${width}×${height}, four layers in training: ${frames.toFixed(1)} frames/s, ${now.frame_work_ms.toFixed(1)} ms of work each`);
    assert.ok(frames > 3, `${frames} frames/s`);
  }
  await command(page, { sweep: definition(400) });
  await until(page, 'all over', (now) => now.compare?.over === 4 && now.compare.training === 0, 120);
  await page.waitForTimeout(1000);
  assert.ok((await colours(page, await shoot(page, 'page-compare'))) > 200, 'the canvas is blank');
  await command(page, { load: 'v=1&view=compare&page=inside&preset=quick&backend=cpu' });
  await page.waitForTimeout(3000);
  assert.ok((await colours(page, await shoot(page, 'page-inside'))) > 200, 'the canvas is blank');
  await command(page, { load: 'v=1&view=compare&page=layers&preset=quick&backend=cpu' });
  await page.waitForTimeout(3000);
  assert.ok((await colours(page, await shoot(page, 'page-layers'))) > 200, 'the canvas is blank');
  await page.waitForTimeout(6000); // the window saves itself every five seconds
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
  await page.waitForTimeout(6000); // the window saves itself every five seconds
  const { records } = await page.evaluate(() => JSON.parse(Object.entries(localStorage).find(([, text]) => text.includes('"records"'))[1]));
  const results = JSON.stringify({ title: 'Half', sweep: JSON.parse(definition(300)), runs: records.slice(0, 2).map((record) => ({ record })) });
  await dropFile(page, 'half.json', results);
  await page.waitForTimeout(1000);
  await shoot(page, 'page-compare-asked');
  await page.keyboard.press('Enter'); // on "Leave it"
  await page.waitForTimeout(500);
  assert.equal((await status(page)).compare.over, 4);
  await dropFile(page, 'half.json', results);
  await page.waitForTimeout(1000);
  await page.keyboard.press('Shift+Tab');
  await page.waitForTimeout(200);
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
  await page.waitForTimeout(1000);
  assert.ok((await colours(page, await shoot(page, 'page-compare-phone'))) > 100, 'the canvas is blank');
  const bad = definition(300).replace('lstm', 'lstn');
  await command(page, { sweep: bad });
  await until(page, 'a message', (now) => /LSTM: model: lstn/.test(now.message ?? ''), 20);
  assert.equal((await status(page)).compare.over, 4);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
