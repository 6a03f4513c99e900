// In context on the page: a regression network trains in the worker and is measured against one step of gradient descent.

import assert from 'node:assert/strict';
import test from 'node:test';
import { launch, open, picture, serve, until } from './helper.js';

const server = await serve();
const browser = await launch('webgl');

test('regression and recall are measured while they train', async () => {
  for (const preset of ['regression', 'recall']) {
    const page = await open(browser, `${server.url}#v=1&view=context&preset=${preset}&backend=cpu`);
    await until(page, 'the view', (now) => now.view === 'context' && now.step > 0, 60);
    const found = await until(page, 'a finding', (now) => now.found !== null, 60);
    assert.match(found.found, /\.$/);
    await picture(page, `page-context-${preset}`);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});
