import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditOrder } from '../../functions/auditor/messages.ts';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { CheckView } from '../../shared/check.ts';
import { CheckComparison } from '../../shared/comparison/schemas.ts';
import { CheckExplanation } from '../../shared/explanation/schema.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { environment } from '../support/environment.ts';
import { largerImage } from '../support/explained-checks.ts';
import { problemOf } from '../support/problem.ts';
import type { World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

const body = { url: 'https://preview.example.com/', auditVersion: '13', regions: ['us-west1', 'us-east4'], samples: 5 };
const production = 'https://www.example.com/';
const { fast, slow } = largerImage();

const post = (sent: object, headers: Record<string, string> = {}) =>
  fetchDocumented(`${api.url}/v1/checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(sent),
  });
const get = async <T>(path: string, init: RequestInit = {}): Promise<T> =>
  (await (await fetchDocumented(`${api.url}${path}`, init)).json()) as T;

/** Returns the result of an audit: production is fast, and any other page is slow. */
const resultOf = ({ url }: AuditOrder, i: number): AuditResult => {
  const { lcps, report } = url === production ? fast : slow;
  const lcp = lcps[i % lcps.length] as number;
  return {
    ...emptyResult,
    state: 'succeeded',
    finalUrl: url,
    warnings: [`audit ${i}`],
    metrics: { ...noMetrics, lcp },
    environment: { ...environment, benchmarkIndex: url === production ? 1000 : 3000 },
    report: { gzip: gzipSync(report), bytes: report.length },
  };
};

type Audit = (order: AuditOrder, i: number) => AuditResult;
/** Runs the job of a region of a check, and returns the orders that its auditor got. */
const work = async (checkId: string, i = 0, audit: Audit = resultOf): Promise<AuditOrder[]> => {
  const orders: AuditOrder[] = [];
  const auditors = { audit: async (order: AuditOrder) => audit(order, orders.push(order) - 1) };
  const job = jobOf(await world.runOf(checkId, i));
  await runAudit({ ...world, auditors, retryDelaysMs: [0] })(job, () => 600_000);
  return orders;
};
const create = async (sent: object = {}): Promise<string> => {
  const answer = await post({ ...body, against: { url: production }, ...sent });
  return ((await answer.json()) as { id: string }).id;
};
const checkOf = (id: string) => get<CheckView>(`/v1/checks/${id}`);

test('a run audits both variants in turns, and shows how the check changed from its second variant', async () => {
  const answer = await post({ ...body, against: { url: production, auditVersion: '12' } });
  const created = (await answer.json()) as { id: string; against: object };
  expect([answer.status, created.against]).toEqual([201, { url: production, auditVersion: '12.8.2' }]);
  const { id } = created;
  expect((await checkOf(id)).runs[0]).toMatchObject({
    change: null,
    against: { url: production, auditVersion: '12.8.2', device: 'mobile', lcp: null, samples: [] },
  });
  const orders = await work(id);
  const [own, against] = [body.url, production];
  expect(orders.map(({ url }) => url)).toEqual([own, against, against, own, own, against, against, own, own, against]);
  expect(orders.slice(0, 2).map(({ auditVersion }) => auditVersion)).toEqual(['13.5.0', '12.8.2']);
  const { runs } = CheckView.parse(await checkOf(id));
  expect(runs[0]).toMatchObject({ state: 'succeeded', lcp: '5500ms', finalUrl: own, error: null });
  expect(runs[0]?.samples).toHaveLength(5);
  expect(runs[0]?.against).toMatchObject({
    lcp: '1510ms',
    finalUrl: against,
    spread: { lcp: { min: '1490ms', max: '1510ms' } },
    numericValues: { lcp: 1510 },
    samples: { length: 5 },
    environment: { benchmarkIndex: 1000 },
  });
  expect(runs[0]?.change?.lcp).toMatchObject({
    verdict: 'regressed',
    change: { estimate: '3998ms', confidence: 0.995, by: 'turns' }, // two regions share one percent
    needs: null,
  });
  expect((await get<CheckView['runs'][number]>(runs[0]?.links.self ?? '')).change).toEqual(runs[0]?.change);
  const none = { change: null, noise: null, suspected: false, needs: null };
  expect(runs[0]?.change?.tbt).toEqual({ verdict: 'unknown', ...none });
});

test('the comparison and the explanation of the variants need no base', async () => {
  const id = await create();
  const unfinished = await fetchDocumented(`${api.url}/v1/checks/${id}/comparison`);
  await problemOf(unfinished, 409, 'report-not-ready');
  await work(id);
  await work(id, 1);
  const comparison = CheckComparison.parse(await get(`/v1/checks/${id}/comparison`));
  expect(comparison).toMatchObject({
    checkId: id,
    baseCheckId: id,
    regions: body.regions,
    comparable: true,
    reasons: [],
    differences: [{ code: 'url', base: production, value: body.url }],
  });
  const { runs } = await checkOf(id);
  const { base, value, ...change } = comparison.metrics.lcp.regions['us-west1'] ?? {};
  expect([base, value, change]).toEqual(['1510ms', '5500ms', runs[0]?.change?.lcp]);
  const { regions, ...ids } = CheckExplanation.parse(await get(`/v1/checks/${id}/explanation`));
  expect(ids).toEqual({ checkId: id, baseCheckId: id, comparable: true });
  expect(Object.keys(regions)).toEqual(body.regions);
  expect(regions['us-west1']?.sentence).toMatch(/^LCP is 4\.0 s slower .*image \/hero\.png is 802 KiB larger/);
  const intended = await fetchDocumented(`${api.url}/v1/checks/${id}/explanation?intended=url`);
  await problemOf(intended, 400, 'invalid-request');
});

test('each variant has a report of its own, and erasing the check removes both', async () => {
  const id = await create({ regions: ['us-west1'] });
  await work(id);
  const { runs } = await checkOf(id);
  const [own, against] = [runs[0]?.links, runs[0]?.against?.links];
  const shown = ['report', 'fixes', 'screenshot', 'filmstrip'];
  expect(against).toEqual({
    ...Object.fromEntries(shown.map((name) => [name, `${own?.self}/${name}?variant=against`])),
    trace: null,
    har: null, // the check asked for none
  });
  const imagesOf = async (links?: { report: string | null }) => {
    const { audits } = await get<{
      audits: Record<string, { details: { items: { url: string; transferSize: number }[] } }>;
    }>(links?.report ?? '');
    return audits['network-requests']?.details.items.find(({ url }) => url.endsWith('hero.png'))?.transferSize ?? 0;
  };
  expect((await imagesOf(own)) - (await imagesOf(against))).toBeGreaterThan(700_000);
  const fixes = await Promise.all([own, against].map((links) => get(links?.fixes ?? '')));
  expect(fixes[0]).not.toEqual(fixes[1]);
  const { id: runId } = await world.runOf(id);
  expect(await get(`/v1/audit/runs/${runId}/report?variant=against`)).toEqual(await get(against?.report ?? ''));
  await problemOf(await fetchDocumented(`${api.url}${own?.report}?variant=other`), 400, 'invalid-request');
  const { retentionDays } = (await world.find(id)).item;
  expect(await world.reports.keysOf(id, retentionDays)).toHaveLength(2);
  await fetchDocumented(`${api.url}/v1/checks/${id}`, { method: 'DELETE' });
  expect(await world.reports.keysOf(id, retentionDays)).toEqual([]);
});

test('a check with one variant has no report of another', async () => {
  const { path } = await world.finishedRun('{}');
  await problemOf(await fetchDocumented(`${api.url}${path}?variant=against`), 404, 'not-found');
  expect((await fetchDocumented(`${api.url}${path}?variant=own`)).status).toBe(200);
});

test('a failure of the second variant fails the run, names the variant and keeps its report', async () => {
  const id = await create({ regions: ['us-west1'] });
  await work(id, 0, (order, i) => {
    const { report } = resultOf(order, i);
    if (order.url !== production) return resultOf(order, i);
    const error = { code: 'http-error', message: 'm', blame: 'page', retryable: false, auditCode: null } as const;
    return { ...emptyResult, state: 'failed', finalUrl: production, error, ...(report && { report }) };
  });
  const { runs } = await checkOf(id);
  expect(runs[0]).toMatchObject({
    state: 'failed',
    error: { code: 'http-error', variant: 'against' },
    lcp: null,
    samples: [],
    change: null,
    attempts: [
      { variant: 'own', code: null },
      { variant: 'against', code: 'http-error' },
    ],
    links: { report: null },
    against: { finalUrl: production, samples: [], links: { report: expect.any(String), fixes: null } },
  });
});

test('the samples of both variants are shown while the run is in work, and a lost worker loses them', async () => {
  const id = await create({ regions: ['us-west1'] });
  const seen: (number | undefined)[][] = [];
  const [run] = (await world.find(id)).runs;
  const lease = await world.claim(run as never);
  const attempt = { number: 1, startedAt: lease.run.updatedAt, finishedAt: lease.run.updatedAt, seconds: 1 };
  const attempts = [{ ...attempt, code: null, auditCode: null, contended: false, variant: 'own' as const }];
  const sample = { ...noMetrics, lcp: 1500, cpuBusy: 0, contended: false };
  await world.leases.recordAttempt(lease, { attempts, samples: [sample], against: [sample, sample] });
  const look = async () => {
    const [shown] = (await checkOf(id)).runs;
    seen.push([shown?.samples.length, shown?.against?.samples.length]);
  };
  await look();
  await world.leases.release(lease, new Date());
  await world.claim((await world.find(id)).runs[0] as never);
  await look();
  expect(seen).toEqual([
    [1, 2],
    [0, 0],
  ]);
});

test('an unreachable report storage costs one variant an attempt, and the run is not half stored', async () => {
  const id = await create({ regions: ['us-west1'], samples: 1 });
  let left = 600_000;
  const remainingMs = () => (left = Math.max(0, left - 1000));
  const put = async (key: string) => {
    if (key.includes('-against')) throw new Error('S3 is unavailable');
  };
  const auditors = { audit: async (order: AuditOrder) => resultOf(order, 0) };
  const job = jobOf(await world.runOf(id));
  await runAudit({ ...world, reports: { put }, auditors, retryDelaysMs: [1] })(job, remainingMs);
  expect(await world.runOf(id)).toMatchObject({
    state: 'running',
    attempts: [
      { variant: 'own', code: null },
      { variant: 'against', code: 'storage-failure' },
    ],
  });
  await work(id);
  expect((await checkOf(id)).state).toBe('succeeded');
});

test('the same key takes the second variant in any spelling of its version, and no other', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const sent = (auditVersion: string) => post({ ...body, against: { auditVersion } }, headers);
  expect((await sent('12')).status).toBe(201);
  expect((await sent('12.8.2')).status).toBe(200);
  expect((await sent('11')).status).toBe(422);
  expect((await post(body, headers)).status).toBe(422);
});

/** Returns the result of an audit with an interaction whose handler is slower on any page but production. */
const searched = (order: AuditOrder, i: number): AuditResult => {
  const ms = (order.url === production ? 150 : 350) + 8 * (i % 2);
  const { href: url } = new URL('app.js', JSON.parse(fast.report).mainDocumentUrl);
  const script = { url, function: 'onSearch', inputDelay: 0, processing: ms, presentation: 0 };
  const times = { inputDelay: 0, processing: ms, presentation: 8, waited: 0 };
  const longestEvent = { type: 'click', selector: '#search', ...times, scripts: [script] };
  const values = { inp: ms + 8, tbt: 0, cls: 0, lcp: null };
  const context = { softNavigation: null, navigatedTo: null, cpuSlowdown: 1, reason: null };
  const interactions = [{ name: 'search', ...values, longestEvent, ...context }];
  return { ...resultOf({ ...order, url: production }, i), interactions } as AuditResult;
};

test('a slower handler is a change of its interaction alone, which says its script, and what to fix', async () => {
  const id = await create({
    samples: 5,
    regions: ['us-west1'],
    interactions: [{ name: 'search', steps: [{ click: '#search' }] }],
  });
  await work(id, 0, searched);
  const { runs } = CheckView.parse(await checkOf(id));
  const run = runs[0] as (typeof runs)[number];
  expect(run.interactions?.[0]?.change?.inp).toMatchObject({ verdict: 'regressed', change: { by: 'turns' } });
  expect(run.against?.interactions?.[0]?.change).toBeNull();
  const comparison = CheckComparison.strict().parse(await get(`/v1/checks/${id}/comparison`));
  expect(comparison.interactions).toMatchObject([
    { name: 'search', metrics: { inp: { verdict: 'regressed' }, lcp: { verdict: 'unknown' } }, reasons: [] },
  ]);
  expect(Object.values(comparison.metrics).filter(({ verdict }) => verdict === 'regressed')).toEqual([]);
  const { regions } = CheckExplanation.strict().parse(await get(`/v1/checks/${id}/explanation`));
  expect(regions['us-west1']?.sentence).toMatch(
    /^INP of search is 200 ms slower: onSearch in \/app\.js takes (192|200|208) ms more in the handlers of the click\.$/,
  );
  const { fixes } = await get<{ fixes: { audit: string; title: string }[] }>(run.links.fixes ?? '');
  expect(fixes[0]).toMatchObject({ audit: 'interactions:search:inp' });
  expect(fixes[0]?.title).toMatch(/^INP of search is 3\d\d ms: its click loses 3\d\d ms in its handlers$/);
});
