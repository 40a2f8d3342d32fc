import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { createCheck } from '../../functions/create-check.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { perRun } from '../../infra/operator/cost-model.ts';
import { openWrites } from '../../infra/operator/walls.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { partitions } from '../../shared/service/partitions.ts';
import { seededRandom } from '../simulation/random.ts';
import { anInteraction } from '../support/an-interaction.ts';
import { environment } from '../support/environment.ts';
import { startWorld, type World } from '../support/world.ts';
import { recordWriteUnits, sumOf } from '../support/write-units.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => world.stop());

/** Checks until the series of a page is as long as it gets. */
const [DAYS, CHECKS] = [30, 76];

const random = seededRandom(1);
const { next, uuid: newId } = random; // the same ids and values compress to the same sizes
const body = {
  url: 'https://shop.example.com/products/running-shoes?colour=black',
  auditVersion: 'latest',
  regions: ['us-west1'],
  labels: { branch: 'main', commit: '67e94d498e023042e26f8913cf6e860e43aab091' },
};

const audited = (more: Partial<Extract<AuditResult, { state: 'succeeded' }>> = {}): AuditResult => ({
  ...emptyResult,
  state: 'succeeded',
  metrics: {
    ...noMetrics,
    performance: random.between(70, 95),
    accessibility: 100,
    bestPractices: 96,
    seo: 91,
    fcp: 900 + 99 * next(),
    si: 1200 * next(),
    lcp: 1900 * next(),
    tti: 2000 + 99 * next(),
    tbt: 99 * next(),
    cls: next() / 9,
    ttfb: 99 * next(),
    bytes: 812_345,
    requests: 34,
  },
  environment: { ...environment, benchmarkIndex: 2700 + random.between(0, 99) / 2 },
  finalUrl: body.url,
  report: { gzip: gzipSync('{}'), bytes: 2 },
  ...more,
});

/** Creates a check of one run, and audits it: one a day at first, and then one an hour. */
const check = async (i: number, measured = () => audited()): Promise<void> => {
  const now = () => new Date(Date.UTC(2131, 0, 1 + Math.min(i, DAYS), 1 + Math.max(0, i - DAYS)));
  const targets = { targets: 'public' as const, ports: [443] };
  const create = createCheck({ ...world, targets, retentionDays: 90, trendDays: 400, newId, now });
  const request = {
    owner: 'acme',
    plan: 'large' as const,
    requestId: newId(),
    method: 'POST',
    path: '/v1/checks',
    body,
  };
  const reply = await create({ ...request, params: {}, query: {}, headers: {}, host: 'localhost' });
  const run = await world.runOf((reply.body as { id: string }).id);
  await runAudit({ ...world, auditors: { audit: async () => measured() }, now, newId })(jobOf(run), () => 600_000);
};

test('a run makes as many writes as the cost model and the walls say', async () => {
  for (let i = 0; i < CHECKS; i++) await check(i);
  const writes = recordWriteUnits();
  await check(CHECKS);
  const ofPage = writes.filter(({ pk }) => pk.startsWith(partitions.latest));
  expect(sumOf(ofPage)).toBe(perRun.writesOfPage);
  expect(sumOf(writes.filter(({ pk }) => pk.startsWith(partitions.region)))).toBe(perRun.writesOfRegion);
  expect(sumOf(writes)).toBe(perRun.writes);
  const open = writes.reduce((sum, { units }) => sum + units.open, 0);
  expect(open).toBe(openWrites.run + openWrites.check);
});

/** The most interactions of a check. */
const interactions = () =>
  ['search', 'open-menu', 'filter', 'add-to-cart', 'checkout'].map((name) => {
    const { spread: _, samples: _0, ...result } = anInteraction([50 + 400 * next()], { name });
    return { ...result, lcp: null };
  });

test('a run with interactions makes at most two writes more: its own, and that of the newest result of its page', async () => {
  for (let i = 1; i < 4; i++) await check(CHECKS + i, () => audited({ interactions: interactions() }));
  const writes = recordWriteUnits();
  await check(CHECKS + 4, () => audited({ interactions: interactions() }));
  const ofPage = writes.filter(({ pk }) => pk.startsWith(partitions.latest));
  expect(sumOf(ofPage) - perRun.writesOfPage).toBeLessThanOrEqual(1);
  expect(sumOf(writes) - perRun.writes).toBeLessThanOrEqual(2);
});
