import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLoop } from '../../functions/auditor/parent/loop-delay.ts';
import { assertRun } from '../../functions/lib/runs/assert-run.ts';
import { withWholeReports } from '../../functions/lib/runs/whole-reports.ts';
import { largestBodies } from '../bench/largest-bodies.ts';
import { largestReport } from '../bench/largest-report.ts';
import { type Api, startApi } from '../support/api.ts';
import { problemOf } from '../support/problem.ts';
import { readReport } from '../support/recorded-reports.ts';

const threads: Worker[] = [];
process.on('worker', (thread: Worker) => threads.push(thread));
let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** Returns the answer of a POST. Expects that the service answers others while it works on this one. */
const sendBeside = async (path: string, body: Buffer, headers: Record<string, string> = {}) => {
  const startedAt = performance.now();
  let isOver = false;
  const init = { method: 'POST', body: body as BodyInit, headers: { 'content-type': 'application/json', ...headers } };
  const answer = fetch(`${api.url}${path}`, init).finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    const askedAt = performance.now();
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    longest = Math.max(longest, performance.now() - askedAt);
  }
  expect(longest).toBeLessThan((performance.now() - startedAt) / 3); // reading takes most of the time
  return answer;
};

test('the service answers while it reads the largest report', async () => {
  const { status } = await sendBeside('/v1/reports', gzipSync(largestReport()), { 'content-encoding': 'gzip' });
  expect([201, 503]).toContain(status); // a busy machine may need more than the time of a request
});

test('the service answers while it reads a small body that unpacks to a large one', async () => {
  const bomb = gzipSync(`[${'{"a":"xxxxxxx"},'.repeat(250_000)}0]`, { level: 9 });
  expect(bomb.length).toBeLessThan(8 * 1024); // as small as what is read at once
  expect((await sendBeside('/v1/reports', bomb, { 'content-encoding': 'gzip' })).status).toBe(400);
});

test('the service answers while it judges the largest report by the most assertions', async () => {
  const { check } = await api.world.finishedRun(largestReport());
  const asserted = largestBodies().find(({ route }) => route === 'POST /v1/checks/{checkId}/assertions');
  const { status } = await sendBeside(`/v1/checks/${check.id}/assertions`, asserted?.bytes as Buffer);
  expect([200, 503]).toContain(status);
});

test('the reports of a run are merged and judged beside the proxies of pages', async () => {
  const report = { gzip: gzipSync(largestReport()) as Buffer, bytes: 0 };
  const over = new AbortController();
  const look = watchLoop(10, over.signal);
  const whole = await withWholeReports({ report, firstReport: report });
  const store = { assertionsOf: async () => ({ 'categories:seo': ['error', { minScore: 0.1 }] }) };
  const lease = { run: { isAsserted: true, checkId: 'a' } };
  const work = { store, lease, retryDelaysMs: [], remainingMs: () => 60_000, signal: over.signal };
  const result = { ...whole, state: 'succeeded', warnings: [], environment: null };
  const { assertions } = await assertRun(work as never, result as never, 0);
  expect(look().heldMs).toBeLessThan(200); // 2 s here, and the thread needs as long
  over.abort();
  expect(assertions).toEqual([expect.objectContaining({ passed: true })]);
});

test('a request whose thread dies is a 503, and the next one is read', async () => {
  const fixesOf = async (gzip: Buffer) => {
    const { path } = await api.world.finishedRun('{}', { gzip });
    return () => fetch(`${api.url}${path.replace(/report$/, 'fixes')}`);
  };
  const largest = await fixesOf(gzipSync(largestReport()));
  const usual = await fixesOf(readReport('13.5.0'));
  const interrupted = largest();
  const thread = threads.at(-1) ?? ((await once(process, 'worker'))[0] as Worker);
  expect(thread.resourceLimits?.maxOldGenerationSizeMb).toBe(1024);
  await setTimeout(200); // the thread has the report, and needs longer
  await thread.terminate();
  expect((await problemOf(await interrupted, 503, 'unavailable')).detail).toContain('could not read the report');
  expect((await usual()).status).toBe(200);
});
