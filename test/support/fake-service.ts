import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { assertReport } from '../../functions/lib/runs/assert-report.ts';
import type { CheckAssertions } from '../../shared/assertions/sets.ts';
import type { CheckView, CreateCheckBody } from '../../shared/check.ts';
import { checkWith, resultOf, samplesOf, succeeded } from './check-results.ts';
import { answering, startOddServer } from './odd-server.ts';

const audited = { 'us-west1': succeeded(samplesOf('unchanged', 3, 1)) };

/** A finished check as the service shows it. */
export const finishedCheck: CheckView = resultOf(checkWith(audited)).check;

/** A report on which assertions can be evaluated. */
export const shortReport = {
  auditVersion: '13.5.0',
  lighthouseVersion: '13.5.0',
  finalUrl: 'https://shop.example/',
  audits: {},
  categories: { performance: { id: 'performance', title: 'Performance', score: 0.2, auditRefs: [] } },
};

/** Returns how the service judges the short report. */
export const judgedShort = async (assertions: CheckAssertions) => {
  const measured = { environment: null, samples: [] };
  const { results } = await assertReport(gzipSync(JSON.stringify(shortReport)), assertions, measured);
  return { assertions: { 'us-west1': results } };
};

type Answer = (url: URL, body: unknown) => unknown;

/**
 * Starts a service on loopback that has one finished check. `answers` replaces the answers of some routes by name. An
 * answer that is a string goes out as a problem with this code, and `null` as a 204.
 */
export const startFakeService = (answers: Readonly<Record<string, Answer>> = {}) => {
  let check = finishedCheck;
  const all: Readonly<Record<string, Answer>> = {
    regions: () => ({ regions: [{ id: 'us-west1' }] }),
    create: async (_, body) => {
      const { assertions } = body as CreateCheckBody;
      if (assertions) check = resultOf(checkWith(audited), await judgedShort(assertions)).check;
      return check;
    },
    judge: async (_, body) =>
      resultOf(checkWith(audited), await judgedShort((body as CreateCheckBody).assertions ?? {})).check,
    get: () => check,
    list: () => ({ checks: [finishedCheck], nextCursor: null }),
    report: () => shortReport,
    fixes: () => ({ fixes: [] }),
    run: () => finishedCheck.runs[0],
    delete: () => null,
    explanation: () => 'not-found',
    ...answers,
  };
  return startOddServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://service');
    const text = Buffer.concat(await request.toArray()).toString();
    const answer = await all[routeOf(request.method ?? '', url.pathname)]?.(url, text && JSON.parse(text));
    if (typeof answer === 'string') problem(answer)(request, response);
    else if (answer === null) response.writeHead(204).end();
    else answering(200, typeOf(request), JSON.stringify(answer ?? {}), { etag: '"1"' })(request, response);
  });
};

const typeOf = ({ headers }: IncomingMessage): string =>
  headers.accept === 'text/html' ? headers.accept : 'application/json';

const routeOf = (method: string, path: string): string => {
  if (method === 'POST') return path.endsWith('/assertions') ? 'judge' : 'create';
  if (method === 'DELETE') return 'delete';
  if (path === '/v1/regions') return 'regions';
  if (path === '/v1/checks') return 'list';
  if (path.endsWith('/comparison')) return 'comparison';
  if (path.endsWith('/explanation')) return 'explanation';
  if (path.endsWith('/report')) return 'report';
  if (path.endsWith('/fixes')) return 'fixes';
  return path.startsWith('/v1/audit/runs/') ? 'run' : 'get';
};

const statuses: Readonly<Record<string, number>> = {
  'not-found': 404,
  'not-comparable': 422,
  unavailable: 503,
  'refused-url': 422,
};

const problem = (code: string) => {
  const status = statuses[code] ?? 500;
  const errors = code === 'refused-url' && [{ path: 'url', message: 'The URL is refused.' }];
  const detail = errors ? 'The URL is refused.' : 'The cause.';
  const body = { type: `urn:page-audit:problem:${code}`, title: code, status, detail, code, ...(errors && { errors }) };
  return answering(status, 'application/problem+json', JSON.stringify(body));
};
