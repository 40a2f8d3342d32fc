import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLoop } from '../../functions/auditor/parent/loop-delay.ts';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import type { Reply } from '../../functions/lib/http/response.ts';
import { waiting } from '../../functions/lib/http/waiting.ts';
import { masked, parseMask } from '../../functions/lib/page-speed/fields.ts';
import { watchAnnounced } from '../../functions/lib/store/changes.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { runPageSpeed } from '../../functions/run-pagespeed.ts';
import { type RunProblemCode, runError } from '../../shared/problems.ts';
import type { AuditJob } from '../../shared/service/audit-job.ts';
import type { PlanName } from '../../shared/service/plans.ts';
import { largestReport } from '../bench/largest-report.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { later, passed, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi({ AUTH: 'keys' });
  world = api.world;
});
afterAll(() => api.stop());

const report = {
  lighthouseVersion: '13.5.0',
  fetchTime: '2026-11-21T09:30:00.000Z',
  configSettings: { formFactor: 'mobile', locale: 'en-US' },
  categories: { performance: { score: 0.92 } },
  fullPageScreenshot: { screenshot: { data: `data:${'a'.repeat(2000)}` } },
};

type Query = Record<string, string | string[]>;
const search = (query: Query) =>
  new URLSearchParams(Object.entries(query).flatMap(([name, values]) => [values].flat().map((each) => [name, each])));
const path = '/pagespeedonline/v5/runPagespeed';
const get = (query: Query, init: RequestInit = {}) => fetchDocumented(`${api.url}${path}?${search(query)}`, init);
const aKey = async (owner: string, plan: PlanName = 'large') => (await world.newKey({ owner, plan })).text;
const errorOf = async (answer: Response) => {
  expect(answer.headers.get('content-type')).toBe('application/json');
  return (
    (await answer.json()) as {
      error: { code: number; message: string; errors: { reason: string; location?: string }[] };
    }
  ).error;
};

/** Returns the next check that is created for an owner. */
const nextCheck = async (owner: string) => {
  const found: AuditJob[] = [];
  const take = async () => found.push(...(await world.jobsIn('us-west1')).filter((job) => job.owner === owner));
  await expect.poll(take).toBe(1);
  return world.find((found[0] as AuditJob).checkId);
};
const finish = async (run: RunItem, now?: Date) => {
  const stored = await world.storeReport(run, gzipSync(JSON.stringify(report)));
  await world.finish(run, { ...passed, report: stored, finalUrl: `${run.url}home` }, now);
};
const fail = (run: RunItem, code: RunProblemCode, auditCode?: string) =>
  world.finish(run, { state: 'failed', error: runError(code, { auditCode: auditCode ?? null }) });

test('a request creates an ordinary check with a label, waits for it, and gets its report in the shape of PageSpeed', async () => {
  const key = await aKey('asks');
  const url = 'https://asks.example.com/';
  const category = ['ACCESSIBILITY', 'Best_Practices', 'seo', 'pwa', 'seo'];
  const ignored = { utm_source: 'lh-chrome-ext', locale: 'en_US', prettyPrint: 'false' };
  const answering = get({ url, key, strategy: 'MOBILE', category, samples: '3', ...ignored });
  const { item, runs } = await nextCheck('asks');
  expect(item).toMatchObject({ url, auditVersion: '13.5.0', regions: ['us-west1'], device: 'mobile', samples: 3 });
  expect(item).toMatchObject({ categories: ['accessibility', 'best-practices', 'seo'], labels: { client: 'psi' } });
  await finish(runs[0] as RunItem);
  const answer = await answering;
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    captchaResult: 'CAPTCHA_NOT_NEEDED',
    kind: 'pagespeedonline#result',
    id: `${url}home`,
    loadingExperience: { initial_url: url },
    originLoadingExperience: { initial_url: url },
    lighthouseResult: { ...report, configSettings: { ...report.configSettings, emulatedFormFactor: 'mobile' } },
    analysisUTCTimestamp: report.fetchTime,
  });
});

test.each<[string, object]>([
  ['id', { id: 'https://masked.example.com/home' }],
  [
    'lighthouseResult.categories.performance.score',
    { lighthouseResult: { categories: { performance: { score: 0.9 } } } },
  ],
  [
    'lighthouseResult/categories/*/score',
    { lighthouseResult: { categories: { performance: { score: 0.9 }, seo: { score: 1 } } } },
  ],
  [
    'kind,lighthouseResult(categories(performance(score)),stackPacks/id)',
    {
      kind: 'pagespeedonline#result',
      lighthouseResult: { categories: { performance: { score: 0.9 } }, stackPacks: [{ id: 'a' }, { id: 'b' }] },
    },
  ],
  ['lighthouseResult/none', { lighthouseResult: {} }],
])('the field mask %s is honoured', (mask, expected) => {
  const answer = {
    kind: 'pagespeedonline#result',
    id: 'https://masked.example.com/home',
    lighthouseResult: {
      categories: { performance: { score: 0.9, title: 'P' }, seo: { score: 1, title: 'S' } },
      stackPacks: [
        { id: 'a', title: 'A' },
        { id: 'b', title: 'B' },
      ],
    },
  };
  expect(masked(answer, parseMask(mask))).toEqual(expected);
});

test('a key in the header of Google clients, and parameters of other versions, are taken', async () => {
  const key = await aKey('google');
  const url = 'https://google-client.example.com/';
  const ignored = {
    screenshot: 'true',
    snapshots: 'false',
    filter_third_party_resources: 'true',
    access_token: 'x',
    fields: 'id',
  };
  const answering = get({ url, ...ignored }, { headers: { 'x-goog-api-key': key } });
  const { runs } = await nextCheck('google');
  await finish(runs[0] as RunItem);
  expect(await (await answering).json()).toEqual({ id: `${url}home` });
});

/** Sends a request at a time, to a function that answers within `seconds`. */
const ask = (owner: string, { now = new Date(), seconds = 1, query = {} as Query, maxBytes = 1e6 }) =>
  runPageSpeed({
    ...world.creates,
    store: world.store,
    reports: world.reports,
    maxBytes,
    now: () => now,
    wait: waiting(watchAnnounced),
  })({
    owner,
    requestId: 'r',
    headers: {},
    remainingMs: () => 1000 * seconds + 4000,
    query: {},
    rawQuery: `${search({ url: 'https://again.example.com/', ...query })}`,
  } as unknown as Request);
const idOf = ({ body }: Reply) => (JSON.parse(`${Buffer.from(body as Uint8Array)}`) as { id: string }).id;

test('a request whose time is over is told to come again, and within ten minutes gets the result of the same check', async () => {
  const start = new Date('2026-11-21T09:59:50.000Z'); // just before the end of ten minutes of the clock
  await expect(ask('slow', { now: start, seconds: 0 })).rejects.toMatchObject({
    code: 'unavailable',
    headers: { 'retry-after': '5' },
  });
  const { item, runs } = await nextCheck('slow');
  await expect(ask('slow', { now: later(start, 30), seconds: 0 })).rejects.toMatchObject({ code: 'unavailable' });
  await finish(runs[0] as RunItem, later(start, 60));
  expect((await ask('slow', { now: later(start, 70) })).status).toBe(200);
  expect((await ask('slow', { now: later(start, 590) })).status).toBe(200);
  expect(await world.jobsIn('us-west1')).toEqual([]);

  const query = { strategy: 'mobile' };
  await expect(ask('slow', { now: later(start, 80), seconds: 0, query })).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect((await nextCheck('slow')).item.device).toBe('mobile'); // other inputs are another check
  await expect(ask('slow', { now: later(start, 601), seconds: 0 })).rejects.toMatchObject({ code: 'unavailable' });
  expect((await nextCheck('slow')).item.id).not.toBe(item.id);
});

test('requests at the same time share one check, and a request after its result makes a new one', async () => {
  const now = new Date();
  const answers = [1, 2, 3].map(() => ask('shares', { now, seconds: 60 }));
  const { item, runs } = await nextCheck('shares');
  await finish(runs[0] as RunItem, now);
  expect((await Promise.all(answers)).map(idOf)).toEqual(Array(3).fill('https://again.example.com/home'));
  const again = ask('shares', { now, seconds: 60 });
  const next = await nextCheck('shares');
  expect(next.item.id).not.toBe(item.id);
  await finish(next.runs[0] as RunItem, now);
  expect((await again).status).toBe(200);
});

test('an error has the shape of Google: of the query, the key, the method, a limit, the page and the service', async () => {
  const key = await aKey('errs', 'small');
  const url = 'https://errs.example.com/';
  const refusals: [Query, number, string, string][] = [
    [{ key }, 400, 'url', 'badRequest'],
    [{ key, url, strategy: 'tablet' }, 400, 'strategy', 'badRequest'],
    [{ key, url, category: ['seo', 'speed'] }, 400, 'category', 'badRequest'],
    [{ key, url, category: 'pwa' }, 400, 'category', 'badRequest'],
    [{ key, url: [url, url] }, 400, 'url', 'badRequest'],
    [{ key, url, locale: '<b>' }, 400, 'locale', 'badRequest'],
    [{ key, url, alt: 'media' }, 400, 'alt', 'badRequest'],
    [{ key, url, fields: 'id,(' }, 400, 'fields', 'badRequest'],
    [{ key, url, callback: 'run' }, 400, 'callback', 'badRequest'],
    [{ key, url: 'http://10.0.0.1/' }, 400, 'url', 'badRequest'],
    [{ key, url, region: 'mars' }, 400, 'regions', 'badRequest'],
    [{ key, url, version: '3' }, 400, 'auditVersion', 'badRequest'],
    [{ key, url, samples: '1e3' }, 400, 'samples', 'badRequest'],
    [{ url }, 401, '', 'authError'],
    [{ key: 'AIzaSyExample', url }, 401, '', 'authError'],
    [{ key: (await world.newKey({ owner: 'errs', scopes: ['checks:read'] })).text, url }, 403, '', 'forbidden'],
  ];
  for (const [query, status, location, reason] of refusals) {
    const answer = await get(query);
    const error = await errorOf(answer);
    const found = [answer.status, error.code, error.errors[0]?.reason, error.errors[0]?.location ?? ''];
    expect(found, JSON.stringify(query)).toEqual([status, status, reason, location]);
    expect(JSON.stringify(error)).not.toContain('AIzaSyExample');
  }
  const posted = await fetch(`${api.url}${path}`, { method: 'POST' });
  expect([posted.status, (await errorOf(posted)).errors[0]?.reason]).toEqual([405, 'httpMethodNotAllowed']);

  const ofPage = get({ key, url });
  await fail((await nextCheck('errs')).runs[0] as RunItem, 'http-error', 'ERRORED_DOCUMENT_REQUEST');
  const { code, message, errors } = await errorOf(await ofPage);
  expect([code, errors]).toEqual([400, [{ message, domain: 'lighthouse', reason: 'lighthouseUserError' }]]);
  expect(message).toBe(
    'Lighthouse returned error: ERRORED_DOCUMENT_REQUEST. The server answered with an error status.',
  );

  const ofService = get({ key, url });
  await fail((await nextCheck('errs')).runs[0] as RunItem, 'browser-crashed');
  const answer = await ofService;
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
  expect((await errorOf(answer)).errors[0]?.reason).toBe('lighthouseError');

  const limited = await get({ key, url, samples: '12' });
  expect([limited.status, Number(limited.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect((await errorOf(limited)).errors[0]?.reason).toBe('rateLimitExceeded');
});

test('the service answers others while it makes the answer of the largest report', async () => {
  const json = largestReport();
  const gzip = gzipSync(json);
  const answering = ask('largest', { seconds: 60, maxBytes: 1e8 });
  const run = (await nextCheck('largest')).runs[0] as RunItem;
  const over = new AbortController();
  const look = watchLoop(1, over.signal);
  await world.finish(run, { ...passed, report: await world.storeReport(run, gzip, json.length) });
  expect((await answering).status).toBe(200);
  expect(look().heldMs).toBeLessThan(200); // 500 and more if the loop parses it
  over.abort();
});

test('an answer that would be too large lacks the picture of the full page, and then says how to get it', async () => {
  const answer = async (maxBytes: number) => {
    const answering = ask(`large${maxBytes}`, { seconds: 60, maxBytes });
    await finish((await nextCheck(`large${maxBytes}`)).runs[0] as RunItem);
    return answering;
  };
  const cut = JSON.parse(`${Buffer.from((await answer(1500)).body as Uint8Array)}`);
  expect(cut.lighthouseResult).toMatchObject({ fullPageScreenshot: null, categories: report.categories });
  const error = { code: 403, errors: [{ reason: 'responseTooLarge' }] };
  expect(await answer(100)).toMatchObject({ status: 403, body: { error } });
});
