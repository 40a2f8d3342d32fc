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
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type Reports, reports } from './lib/store/reports.ts';

const env = () => ReportReadEnv.parse(process.env);

/** GET …/runs/{runId}/report, with or without the check's id: the full Lighthouse result as JSON, or as a page. */
export const handler = http({ access: access('checks:read', env), cors: env, query: ['checkId'] }, () =>
  getReport({ store: checkStore(openDb(env())), reports: reports(env()), maxBytes: env().MAX_ANSWER_BYTES }),
);

type Deps = {
  store: Pick<CheckStore, 'find' | 'checkIdOf'>;
  reports: Pick<Reports, 'get' | 'urlOf'>;
  maxBytes: number;
};

const MAX_HTML_SOURCE_BYTES = 32 * 1024 * 1024; // of JSON: a page is made of it in memory, in a request's time

export const getReport =
  ({ store, reports, maxBytes }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const run = await findRun(store, request);
    if (!isFinished(run.state)) {
      throw new ApiProblem(
        'report-not-ready',
        `The run is in the state ${run.state}. Its report is available when the run has finished.`,
        {
          headers: { 'retry-after': run.state === 'running' ? '5' : '10' },
        },
      );
    }
    const { report } = run;
    if (!report) {
      throw new ApiProblem('report-unavailable', `The run failed with ${run.error?.code} and has no report.`);
    }

    const gzipped = acceptsGzip(request.headers['accept-encoding']);
    const asHtml = prefersHtml(request.headers.accept);
    const etag = etagOf(report.key, asHtml, gzipped);
    const headers = {
      etag,
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'private, no-cache',
      ...(asHtml && { 'content-security-policy': viewerPolicy }), // of a 304 too, whose headers replace the cached ones
    };
    if (matchesEtag(request.headers['if-none-match'], etag)) return { status: 304, headers };
    const readGzip = () =>
      reports.get(report.key).catch(async (error) => {
        await findRun(store, request); // says that it is gone, where it was erased meanwhile
        throw error;
      });
    const redirect = async () => ({ status: 303, headers: { ...headers, location: await reports.urlOf(report.key) } });
    const type = {
      'content-type': asHtml ? 'text/html; charset=utf-8' : 'application/json',
      ...(gzipped && { 'content-encoding': 'gzip' }),
    };
    if (asHtml) {
      if (report.bytes > MAX_HTML_SOURCE_BYTES) return redirect();
      const page = await htmlReport((await gunzip(await readGzip())).toString());
      const body = gzipped ? await gzip(page) : Buffer.from(page);
      return body.length > maxBytes ? redirect() : { status: 200, headers: { ...headers, ...type }, body };
    }
    if (request.method === 'HEAD') return { status: 200, headers: { ...headers, ...type } }; // a signed URL is for GET alone
    if ((gzipped ? report.gzipBytes : report.bytes) > maxBytes) return redirect();
    const body = await readGzip();
    return { status: 200, headers: { ...headers, ...type }, body: gzipped ? body : await gunzip(body) };
  };

/** Of each form its own. An object never changes; a page changes with its viewer. */
const etagOf = (key: string, asHtml: boolean, gzipped: boolean): string => {
  const form = [...(asHtml ? ['html', viewerVersion] : []), ...(gzipped ? ['gzip'] : [])];
  return `"${[key.split('/').at(-1)?.replace('.json.gz', ''), ...form].join('-')}"`;
};

const gunzip = promisify<Buffer, Buffer>(zlib.gunzip);
const gzip = promisify<string, Buffer>(zlib.gzip);
