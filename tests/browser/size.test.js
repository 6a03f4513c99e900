// How much a first visit downloads.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { constants, brotliCompressSync } from 'node:zlib';
import { dist } from './helper.js';

const LIMIT_MB = 2.1;

test('the first download is small', (t) => {
  const sizes = ['gatelens_bg.wasm', 'gatelens.js', 'index.html', 'page.js', 'worker.js', 'style.css'].map((name) => {
    const bytes = readFileSync(join(dist, name));
    return [name, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length / 1e6];
  });
  const total = sizes.reduce((sum, [, megabytes]) => sum + megabytes, 0);
  t.diagnostic(`${total.toFixed(3)} MB by brotli: ${sizes.map(([name, megabytes]) => `${name} ${megabytes.toFixed(3)}`).join(', ')}`);
  assert.ok(total <= LIMIT_MB, `${total.toFixed(3)} MB are more than ${LIMIT_MB} MB`);
});
