import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { HTTPRequest } from 'puppeteer-core';
import type { AssertionResult } from '../../shared/assertions/assertions.ts';
import type { SimulatedLoad } from '../../shared/options/simulated-loads.ts';
import { notSimulated } from '../../shared/options/simulated-loads.ts';
import { runError } from '../../shared/problems.ts';
import type { ScheduleList } from '../../shared/schedules.ts';
import type { DeliveryList, WebhookList } from '../../shared/webhooks.ts';
import { knownCauses } from './changing-site.ts';
import { finishedCheck, finishRun } from './finished-checks.ts';
import { nameOf, readReports } from './recorded-explanations.ts';
import { readReport } from './recorded-reports.ts';
import { aCheck, type World } from './world.ts';

/** A character that turns the direction of the text after it. */
export const TURN = '\u202e';
const hostile = `${TURN}<img src=x onerror="document.title='hacked'"><script>1</script>`;
/** A text of a page or a client, as long as a URL may be. */
const long = `${hostile}${'a-long-path/'.repeat(120)}`;
const url = `https://example.com/${long}`;
const labels = { branch: hostile, commit: 'y'.repeat(128) };

const assertion = (key: string, message: string): AssertionResult => ({
  key,
  name: 'minScore',
  level: 'error',
  passed: false,
  expected: 1,
  actual: 0,
  operator: '>=',
  message: `${key} ${message}`,
});
const slow = { rttMs: 300, throughputKbps: 700, cpuSlowdownMultiplier: 4 };
const simulations: SimulatedLoad[] = [
  { name: '3g', ...slow, performance: 57, fcp: 1251, si: 1601, lcp: 4501, tti: 5203, tbt: 350, reason: null },
  { ...notSimulated('region', { ...slow, rttMs: null }, 'The region measured no round-trip time.'), name: hostile },
];
const result = {
  lcps: [633, 640, 629],
  warnings: [hostile],
  simulations,
  assertions: [assertion('image-alt', `has no score, because it failed in Lighthouse: ${hostile}`)],
  blockedHost: `${hostile}.example`,
  finalUrl: `${url}#final`,
};

/** Creates a check whose region succeeded with a report in which each text of the page is hostile. */
const reportedCheck = async (world: World, inputs: Parameters<typeof aCheck>[0], lcp: number, report: string) => {
  const check = aCheck({ url, labels, regions: ['us-west1', 'europe-north1'], samples: 3, ...inputs });
  const [first, second] = await world.create(check);
  if (!first || !second) throw new Error('The check has no two runs.');
  const gzip = gzipSync(report);
  const lcps = [lcp, lcp + 10, lcp - 10];
  await finishRun(world, first, { ...result, lcps }, await world.storeReport(first, gzip));
  const error = runError('http-error', { detail: `The server said ${hostile}.`, finalUrl: url });
  await world.finish(second, { state: 'failed', error });
  return { check, run: first };
};

/** Creates what each view shows, and returns the address of each view with a text of its content. */
export const hostileViews = async (world: World) => {
  const reports = readReports();
  const reportOf = (state: object) => hostileReport(JSON.stringify(reports[nameOf('13.5.0', state)]));
  await finishedCheck(world, { url, labels }, [result, { ...result, lcps: [1912, 1905, 1918] }]);
  const before = await reportedCheck(world, { url: `${url}#before` }, 1500, reportOf({}));
  const larger = reportOf(knownCauses['an image larger']?.after ?? {});
  const after = await reportedCheck(world, {}, 5500, larger);
  const faulty = gunzipSync(readReport('13.5.0')).toString();
  const { check, run } = await reportedCheck(world, {}, 633, hostileReport(faulty));
  return {
    list: ['/', 'branch'],
    check: [`/checks/${check.id}`, 'Prevents users from pasting'],
    run: [`/checks/${check.id}/runs/${run.id}`, 'Prevents users from pasting'],
    pages: ['/pages', 'Last results'],
    trend: [`/pages?url=${encodeURIComponent(url)}`, 'CSV of all runs'],
    comparison: [`/comparisons/${before.check.id}...${after.check.id}`, 'Why:'],
    schedules: ['/schedules', 'Last result'],
    webhooks: ['/webhooks', 'Last answer'],
    missing: [`/nothing/${encodeURIComponent(hostile)}`, 'There is no page at this address'],
  } as const;
};

/** Returns a report whose elements and files have hostile names. */
const hostileReport = (text: string): string =>
  text.replaceAll('hero.png', `${TURN}hero.png`).replaceAll('body > input', `body > ${TURN}input`);

const at = '2026-11-01T10:00:00.000Z';
const hook = { format: 'standard' as const, events: ['check.completed' as const], createdAt: at, failingSince: at };
const [working, refused] = [randomUUID(), randomUUID()];
const webhooks: WebhookList = {
  webhooks: [
    { ...hook, id: working, url, disabledAt: at, disabledReason: 'gone' },
    { ...hook, id: refused, url: 'https://example.com/', disabledAt: null, disabledReason: null },
  ],
};
const deliveries: DeliveryList = {
  deliveries: [
    {
      ...{
        id: randomUUID(),
        event: 'check.completed',
        checkId: randomUUID(),
        state: 'failed',
        createdAt: at,
        tries: 3,
      },
      nextTryAt: null,
      lastTry: { at, status: 500, error: null, response: hostile },
    },
  ],
};
const schedules: ScheduleList = {
  schedules: [
    {
      id: randomUUID(),
      name: hostile,
      every: '6h',
      createdAt: at,
      pausedAt: null,
      nextAt: at,
      check: { url, auditVersion: 'latest', regions: ['us-west1'], device: 'mobile' },
      links: { self: '/v1/schedules/1' },
      watched: [],
      last: { scheduledFor: at, at, checkId: null, error: { code: 'invalid-request', message: `Refused: ${hostile}` } },
    },
  ],
};

const problem = {
  type: 'urn:page-audit:problem:invalid-request',
  code: 'invalid-request',
  status: 400,
  requestId: 'id',
  title: `Refused: ${hostile}`,
  detail: `The service refused ${hostile} and stopped.`,
};

/** Answers, without the service, requests whose hostile texts a create would refuse. */
export const answerHostile = (request: HTTPRequest): void => {
  const { pathname } = new URL(request.url());
  const answer = (body: object, status = 200, contentType = 'application/json') =>
    request.respond({ status, contentType, body: JSON.stringify(body) });
  if (pathname === '/v1/schedules') answer(schedules);
  else if (pathname === '/v1/webhooks') answer(webhooks);
  else if (pathname === `/v1/webhooks/${working}/deliveries`) answer(deliveries);
  else if (pathname === `/v1/webhooks/${refused}/deliveries`) answer(problem, 400, 'application/problem+json');
  else request.continue();
};
