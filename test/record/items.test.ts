import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { test } from 'vitest';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { createCheck } from '../../functions/create-check.ts';
import { deleteCheck } from '../../functions/delete-check.ts';
import { runAudit } from '../../functions/run-audit.ts';
import type { Environment } from '../../shared/environment.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { presets } from '../../shared/throttling.ts';
import { environment as idle } from '../support/environment.ts';
import { itemsFile, release, writeItems } from '../support/recorded-items.ts';
import { startWorld } from '../support/world.ts';

const environment: Environment = { ...idle, device: 'desktop', throttlingValues: presets.desktop };
const times = { fcp: 633.4, si: 700.1, lcp: 912.25, tti: 950, tbt: 12.5, cls: 0.043 };
const scores = { performance: 98, accessibility: 100, bestPractices: 96, seo: 91 };
const succeeded = (shift: number): AuditResult => ({
  ...emptyResult,
  state: 'succeeded',
  metrics: { ...noMetrics, ...scores, ...times, lcp: times.lcp + shift },
  environment,
  finalUrl: 'https://example.com/',
  warnings: ['The page redirected once.'],
  blockedRequests: [{ host: 'intranet.example', port: 8443, reason: 'private', count: 2 }],
  blockedRequestCount: 2,
  report: { gzip: gzipSync('{}'), bytes: 2 },
});
const failed: AuditResult = {
  ...emptyResult,
  state: 'failed',
  error: runError('http-error', { auditCode: 'ERRORED_DOCUMENT_REQUEST', finalUrl: 'https://example.com/gone' }),
  environment: {
    ...environment,
    benchmarkIndex: null,
    benchmarkedAt: null,
    cpuBusy: null,
    mainThreadCpu: null,
    contended: null,
  },
  finalUrl: 'https://example.com/gone',
};

const isRecorded = existsSync(itemsFile(release));

// The items of a release are recorded once, because later code would write them in another form.
test.skipIf(isRecorded)('records the table of a service whose checks are in every state', async () => {
  const now = () => new Date('2131-01-01T12:00:00.000Z'); // no item expires
  const world = await startWorld();
  const { store, due, leases, queues, usage, reports, secrets, erasure } = world;
  const caller = { owner: 'acme', plan: 'small' as const };
  const scopes = ['checks:read' as const, 'checks:write' as const];
  await world.keys.create({ ...caller, name: 'CI of the shop', scopes, expiresAt: null }, now());
  const request = { ...caller, requestId: randomUUID(), path: '/v1/checks', params: {}, query: {}, headers: {} };
  const targets = { targets: 'public' as const, ports: [443] };
  const create = createCheck({ store, secrets, due, usage, queues, targets, retentionDays: 90, trendDays: 400, now });
  const created = async (regions: string[], options: { device?: 'desktop'; samples?: number } = {}) => {
    const body = { url: 'https://example.com/', auditVersion: 'latest', regions, ...options };
    const reply = await create({ ...request, method: 'POST', body });
    return (reply.body as { id: string }).id;
  };
  const auditAll = async (checkId: string, ...results: AuditResult[]) => {
    const audit = async () => results.shift() ?? failed;
    for (const { id: runId, region } of (await world.find(checkId)).runs) {
      const job = { checkId, runId, region, correlationId: request.requestId, owner: caller.owner };
      await runAudit({ store, secrets, leases, reports, auditors: { audit }, now })(job, () => 600_000);
    }
  };

  await auditAll(await created(['us-west1'], { device: 'desktop', samples: 2 }), succeeded(0), succeeded(20));
  await auditAll(await created(['us-west1', 'europe-west3']), succeeded(0), failed);
  await created(['us-east4']);
  const [running] = (await world.find(await created(['us-east4']))).runs;
  const lease = running && (await leases.claim(running, randomUUID(), now()));
  const startedAt = now().toISOString();
  const crashed = { code: 'browser-crashed' as const, auditCode: null, contended: true };
  const attempts = [{ number: 1, startedAt, finishedAt: startedAt, seconds: 1, ...crashed }];
  await leases.recordAttempt(lease as never, { attempts, samples: [] });
  const params = { checkId: await created(['us-west1']) };
  await deleteCheck({ store, erasure, now })({ ...request, method: 'DELETE', params, body: undefined });
  await writeItems(world);
  await world.stop();
});
