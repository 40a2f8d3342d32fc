import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { largestReport } from '../bench/largest-report.ts';
import { type Api, startApi } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

test('the service answers while it reads the largest report', async () => {
  const body = gzipSync(largestReport());
  const startedAt = performance.now();
  let isRead = false;
  const uploaded = fetch(`${api.url}/v1/reports`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  }).finally(() => {
    isRead = true;
  });
  let longest = 0;
  while (!isRead) {
    const askedAt = performance.now();
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    longest = Math.max(longest, performance.now() - askedAt);
  }
  expect([201, 503]).toContain((await uploaded).status); // a busy machine may need more than the time of a request
  expect(longest).toBeLessThan((performance.now() - startedAt) / 3); // reading takes most of the time
});
