// A sweep on the page: its runs train in the worker beside the training, can rest, and are there after a reload.

import assert from 'node:assert/strict';
import test from 'node:test';
import { kept, launch, open, picture, serve, until } from './helper.js';

const server = await serve();
const browser = await launch('webgl');
const definition = (sizes) => JSON.stringify({
  title: 'A small sweep', preset: 'quick', settings: { steps: 300, time: 8, batch: 16, mask_at: 0, backend: 'cpu' },
  grid: { 'hidden,gates': sizes, seed: '1..3' },
});
const command = (page, wish) => page.evaluate((wish) => window.gatelens.command(wish), wish);

test('a sweep trains, is drawn, and kept from visit to visit', async () => {
  const page = await open(browser, `${server.url}#v=1&view=sweep&preset=quick&backend=cpu`);
  await until(page, 'the view', (now) => now.view === 'sweep' && now.step > 0, 60);
  await picture(page, 'page-sweep-empty');
  await command(page, { pause: true });
  await command(page, { sweep: definition([4, 6, 8]) });
  const first = await until(page, 'nine runs', (now) => now.sweep?.runs === 9, 30);
  assert.equal(first.message, null, JSON.stringify(first));
  await until(page, 'all runs over', (now) => now.sweep.over === 9 && !now.sweep.running, 120);
  await picture(page, 'page-sweep');
  await kept(page, 9);
  await page.reload();
  const again = await until(page, 'the sweep of the last visit', (now) => now.sweep?.over === 9, 60);
  assert.equal(again.sweep.running, false);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a bad sweep says what is wrong and changes nothing', async () => {
  const page = await open(browser, `${server.url}#v=1&view=sweep&preset=quick&backend=cpu`);
  await until(page, 'the view', (now) => now.view === 'sweep' && now.step > 0, 60);
  await command(page, { sweep: definition([4]) });
  await until(page, 'three runs', (now) => now.sweep?.runs === 3, 30);
  for (const [text, expected] of [['{', /line 1/], [definition([0]), /from 1 to 512/], [definition([4]).replace('hidden', 'hiden'), /hiden/]]) {
    await command(page, { sweep: text });
    const now = await until(page, 'a message', (now) => expected.test(now.message ?? ''), 20);
    assert.equal(now.sweep.runs, 3);
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('on a phone', async () => {
  const page = await open(browser, `${server.url}#v=1&view=sweep&preset=quick&backend=cpu`, { width: 390, height: 844 });
  await until(page, 'the view', (now) => now.view === 'sweep' && now.step > 0, 60);
  await command(page, { sweep: definition([4, 8]) });
  await until(page, 'all runs over', (now) => now.sweep?.over === 6, 120);
  await picture(page, 'page-sweep-phone');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
