import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { ReportReadEnv } from '../shared/env.ts';
import { ApiProblem } from '../shared/problems.ts';
import { isFinished } from '../shared/run.ts';
import { access } from './lib/http/access.ts';
import { http, type Request } from './lib/http/endpoint.ts';
import { htmlReport, viewerPolicy, viewerVersion } from './lib/http/html-report.ts';
import { findRun } from './lib/http/lookup.ts';
import { acceptsGzip, matchesEtag, prefersHtml } from './lib/http/negotiation.ts';
import type { Reply } from './lib/http/response.ts';
import { log } from './lib/log.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import type { RunItem } from './lib/store/items.ts';
import { type Reports, reports } from './lib/store/reports.ts';

const env = () => ReportReadEnv.parse(process.env);

/** GET …/runs/{runId}/report: returns the full Lighthouse result, as JSON or as an HTML report. */
export const handler = http({ access: access('checks:read', env), cors: env, query: ['checkId'] }, () =>
  getReport({ store: checkStore(openDb(env())), reports: reports(env()), maxBytes: env().MAX_ANSWER_BYTES }),
);

type Deps = {
  store: Pick<CheckStore, 'find' | 'checkIdOfRun'>;
  reports: Pick<Reports, 'get' | 'exists' | 'urlOf'>;
  maxBytes: number;
};

/** Largest JSON report that is rendered as HTML, in bytes. Rendering happens in memory, during the request. */
const MAX_HTML_SOURCE_BYTES = 32 * 1024 * 1024;

export const getReport =
  ({ store, reports, maxBytes }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const run = await findRun(store, request);
    const report = storedReport(run);
    const gzipped = acceptsGzip(request.headers['accept-encoding']);
    const asHtml = prefersHtml(request.headers.accept);
    const etag = etagOf(report.key, asHtml, gzipped);
    const headers = {
      etag,
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'private, no-cache',
      ...(asHtml && { 'content-security-policy': viewerPolicy }), // on a 304 too: its headers replace the cached ones
    };
    if (matchesEtag(request.headers['if-none-match'], etag)) return { status: 304, headers };
    const throwIfGone = async () => {
      if (await reports.exists(report.key)) return;
      await findRun(store, request); // throws not-found if the check was erased meanwhile
      const { requestId, owner } = request;
      log.warn('a stored report is gone', { requestId, owner, runId: run.id, key: report.key });
      throw new ApiProblem(
        'report-unavailable',
        'The report has expired. To audit the page again, create a new check.',
      );
    };
    const readGzip = () =>
      reports.get(report.key).catch(async (error) => {
        if (mayBeGone(error)) await throwIfGone();
        throw error;
      });
    const redirect = async () => {
      await throwIfGone();
      return { status: 303, headers: { ...headers, location: await reports.urlOf(report.key) } };
    };
    const type = {
      'content-type': asHtml ? 'text/html; charset=utf-8' : 'application/json',
      ...(gzipped && { 'content-encoding': 'gzip' }),
    };
    if (request.method === 'HEAD') {
      await throwIfGone();
      return { status: 200, headers: { ...headers, ...type } }; // no redirect: the presigned URL allows GET only
    }
    if (asHtml) {
      if (report.bytes > MAX_HTML_SOURCE_BYTES) return redirect();
      const page = await htmlReport((await gunzip(await readGzip())).toString());
      const body = gzipped ? await gzip(page) : Buffer.from(page);
      return body.length > maxBytes ? redirect() : { status: 200, headers: { ...headers, ...type }, body };
    }
    if ((gzipped ? report.gzipBytes : report.bytes) > maxBytes) return redirect();
    const body = await readGzip();
    return { status: 200, headers: { ...headers, ...type }, body: gzipped ? body : await gunzip(body) };
  };

/** Returns the location and sizes of the run's report. Throws if the run is not finished, or failed without a report. */
const storedReport = ({ state, report, error }: RunItem): NonNullable<RunItem['report']> => {
  if (!isFinished(state)) {
    const detail = `The run is in the state ${state}. Its report is available when the run has finished.`;
    throw new ApiProblem('report-not-ready', detail, { headers: { 'retry-after': state === 'running' ? '5' : '10' } });
  }
  if (!report) throw new ApiProblem('report-unavailable', `The run failed with ${error?.code} and has no report.`);
  return report;
};

/** S3 answers 404 for a missing object, or 403 to a caller that may not list the bucket. */
const mayBeGone = (error: { $metadata?: { httpStatusCode?: number } }): boolean =>
  [403, 404].includes(error.$metadata?.httpStatusCode ?? 0);

/** Returns an entity tag per form. A stored report never changes. An HTML report changes with the viewer. */
const etagOf = (key: string, asHtml: boolean, gzipped: boolean): string => {
  const form = [...(asHtml ? ['html', viewerVersion] : []), ...(gzipped ? ['gzip'] : [])];
  return `"${[key.split('/').at(-1)?.replace('.json.gz', ''), ...form].join('-')}"`;
};

const gunzip = promisify<Buffer, Buffer>(zlib.gunzip);
const gzip = promisify<string, Buffer>(zlib.gzip);
