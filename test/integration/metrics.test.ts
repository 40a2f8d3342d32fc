import parseText from 'parse-prometheus-text-format';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getMetrics } from '../../functions/get-metrics.ts';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { emitFinished, emitMeasured } from '../../functions/lib/runs/run-metrics.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { pageStore } from '../../functions/lib/store/listed-pages.ts';
import { listStore } from '../../functions/lib/store/lists.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { families } from '../../shared/open-metrics.ts';
import { runError } from '../../shared/problems.ts';
import { anInteraction } from '../support/an-interaction.ts';
import { type Api, startApi } from '../support/api.ts';
import { fetchDocumented } from '../support/documented.ts';
import { finishedCheck } from '../support/finished-checks.ts';
import { problemOf } from '../support/problem.ts';
import { aCheck, later, type World } from '../support/world.ts';

let world: World;
let api: Api;
beforeAll(async () => {
  api = await startApi();
  world = api.world;
});
afterAll(() => api.stop());

type Sample = { value?: string; sum?: string; count?: string; labels?: Record<string, string> };
type Metrics = Map<string, Sample[]>;
/** Reads the answer with a parser of others, and expects the form of OpenMetrics beside it. */
const parsed = (text: string): Metrics => {
  expect(text.endsWith('\n# EOF\n')).toBe(true);
  const found = parseText(text) as { name: string; type: string; help: string; metrics: Sample[] }[];
  for (const { name, type, help } of found) {
    expect([name, type.toLowerCase()]).toEqual([name, families.get(name)?.type]);
    expect(help).not.toBe('');
  }
  for (const [, name = '', unit = ''] of text.matchAll(/^# UNIT (\S+) (\S+)$/gm))
    expect(name).toMatch(new RegExp(`_${unit}$`));
  return new Map(found.map(({ name, metrics }) => [name, metrics]));
};
const scrape = async (query = '', path = '/v1/metrics'): Promise<Metrics> => {
  const answer = await fetchDocumented(`${api.url}${path}${query}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  return parsed(await answer.text());
};
const valueIn = (metrics: Metrics, name: string, labels: Record<string, string> = {}) => {
  const found = (metrics.get(name) ?? []).filter((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value),
  );
  expect(found.length, name).toBeLessThan(2);
  return found[0] && Number(found[0].value);
};

test('the newest result of each page has its scores, times in seconds, bytes, assertions and age', async () => {
  const place = { url: 'https://example.com/newest', device: 'mobile', region: 'us-west1' };
  const audit = async (secondsAgo: number, performance: number, labels = {}) => {
    const now = later(new Date(), -secondsAgo);
    const assertions = { 'image-alt': 'error' } as never;
    const [run] = await world.create(aCheck({ url: place.url, regions: ['us-west1'], assertions, labels, now }));
    const failed = { key: 'image-alt', name: 'minScore', level: 'error', passed: false, operator: '>=' } as const;
    const judged = [{ ...failed, expected: 1, actual: 0, message: 'Images have no alternative text.' }];
    const metrics = { ...noMetrics, performance, seo: 90, lcp: 1500, tbt: 120, cls: 0.02, ttfb: 80, bytes: 412_876 };
    const interactions = [anInteraction([120.4]), anInteraction([null], { name: 'menu' })];
    await world.finish(run as RunItem, { state: 'succeeded', ...metrics, interactions, assertions: judged });
  };
  await audit(90, 50);
  await audit(30, 81, { branch: 'main' });
  const metrics = await scrape('?label=branch:main');
  expect(valueIn(metrics, 'page_audit_score', { ...place, category: 'performance' })).toBe(81);
  expect(valueIn(metrics, 'page_audit_score', { ...place, category: 'seo' })).toBe(90);
  expect(valueIn(metrics, 'page_audit_lcp_seconds', place)).toBe(1.5);
  expect(valueIn(metrics, 'page_audit_tbt_seconds', place)).toBe(0.12);
  expect(valueIn(metrics, 'page_audit_ttfb_seconds', place)).toBe(0.08);
  expect(valueIn(metrics, 'page_audit_cls', place)).toBe(0.02);
  expect(valueIn(metrics, 'page_audit_bytes', place)).toBe(412_876);
  expect(metrics.get('page_audit_interaction_inp_seconds')).toEqual([
    { labels: { ...place, interaction: 'search' }, value: '0.12' },
  ]);
  expect(valueIn(metrics, 'page_audit_assertions_passed', place)).toBe(0);
  expect(valueIn(metrics, 'page_audit_succeeded', place)).toBe(1);
  expect(valueIn(metrics, 'page_audit_age_seconds', place)).toBeGreaterThanOrEqual(30);
  expect(valueIn(metrics, 'page_audit_results')).toBe(1);
  expect(valueIn(await scrape('?label=branch:other'), 'page_audit_results')).toBe(0);
});

test('a failed page has its code and its blame, and no values', async () => {
  const url = 'https://example.com/a"b\\c';
  await finishedCheck(world, { url, regions: ['us-west1'] }, [{ failed: 'dns-failure' }]);
  const metrics = await scrape(`?url=${encodeURIComponent(url)}`);
  expect(valueIn(metrics, 'page_audit_succeeded', { url })).toBe(0);
  expect(valueIn(metrics, 'page_audit_failure', { url, code: 'dns-failure', blame: 'page' })).toBe(1);
  expect(metrics.get('page_audit_score')).toBeUndefined();
});

test('an answer has the results of 500 pages, and says how many it leaves out', async () => {
  const { results } = await pageStore(world.db).list('anonymous', new Date());
  const [first] = results as [(typeof results)[0], ...typeof results];
  const many = Array.from({ length: 510 }, (_, i) => ({
    ...first,
    page: { ...first.page, url: `https://example.com/${String(i).padStart(3, '0')}` },
  }));
  const list = async () => ({ results: many.toReversed(), cut: true });
  const handle = getMetrics({ lists: listStore(world.db), pages: { list } });
  const reply = await handle({ owner: 'anonymous', rawQuery: '' } as Request);
  const metrics = parsed(reply.body as string);
  expect(valueIn(metrics, 'page_audit_results')).toBe(510);
  expect(valueIn(metrics, 'page_audit_results_left_out')).toBe(10);
  expect(valueIn(metrics, 'page_audit_results_unread')).toBe(1);
  const urls = (metrics.get('page_audit_succeeded') ?? []).map(({ labels }) => labels?.url);
  expect([urls.length, urls.includes('https://example.com/499')]).toEqual([500, true]);
  expect((reply.body as string).length).toBeLessThan(5_000_000);
});

test('the figures of the service are those that its functions emit', async () => {
  const run = { region: 'us-west1', owner: 'acme' } as const;
  const measured = { runSeconds: 12, auditSeconds: 7, environment: null };
  for (const error of [null, null, runError('dns-failure'), runError('internal')]) {
    emitFinished(run, error);
    emitMeasured(run, error, measured);
  }
  const metrics = await scrape();
  const sumOf = (name: string, labels = {}) => {
    const found = (metrics.get(`page_audit_service_${name}`) ?? []).filter(({ labels: own }) =>
      Object.entries(labels).every(([label, value]) => own?.[label] === value),
    );
    return [found.length, Number(found[0]?.count), Number(found[0]?.sum)];
  };
  expect(sumOf('service_failure')).toEqual([1, 4, 1]);
  expect(sumOf('run_failed', { blame: 'page', code: 'dns-failure' })).toEqual([1, 1, 1]);
  expect(sumOf('run_seconds')).toEqual([1, 2, 24]);
  expect(sumOf('audit_seconds')).toEqual([1, 3, 21]);
});

test('the oldest open check says how long the queue is', async () => {
  const openIn = async () => {
    const metrics = await scrape();
    return [valueIn(metrics, 'page_audit_open_checks'), valueIn(metrics, 'page_audit_oldest_open_check_seconds')];
  };
  expect(await openIn()).toEqual([0, 0]);
  const [run] = await world.create(aCheck({ regions: ['us-east4'], now: later(new Date(), -600) }));
  await world.create(aCheck({ regions: ['us-east4'], now: later(new Date(), -60) }));
  const [count, age] = await openIn();
  expect(count).toBe(2);
  expect(age).toBeGreaterThanOrEqual(600);
  await world.finish(run as RunItem);
  expect((await openIn())[1]).toBeLessThan(600);
});

test('an unknown parameter is refused', async () => {
  await problemOf(await fetchDocumented(`${api.url}/v1/metrics?sort=url`), 400, 'invalid-request');
});
