import { afterAll, beforeAll, expect, test } from 'vitest';
import { largestReport } from '../bench/largest-report.ts';
import { type Api, startApi } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

test('the service answers while it reads the largest report', async () => {
  let isRead = false;
  const uploaded = fetch(`${api.url}/v1/reports`, {
    method: 'POST',
    body: largestReport(),
    headers: { 'content-type': 'application/json' },
  }).finally(() => {
    isRead = true;
  });
  let answers = 0;
  while (!isRead) {
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    answers += 1;
  }
  expect([201, 503]).toContain((await uploaded).status); // a busy machine may need more than the time of a request
  expect(answers).toBeGreaterThan(20);
});
