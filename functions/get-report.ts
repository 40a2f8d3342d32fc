import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { ReportReadEnv } from '../shared/env.ts';
import { ApiProblem } from '../shared/problems.ts';
import { isFinished } from '../shared/run.ts';
import { access } from './lib/access.ts';
import { type CheckStore, checkStore } from './lib/check-store.ts';
import { http, type Reply, type Request } from './lib/http.ts';
import { findRun } from './lib/lookup.ts';
import { type Reports, reports } from './lib/reports.ts';

const env = () => ReportReadEnv.parse(process.env);

/** GET …/runs/{runId}/report, with or without the check's id: the full Lighthouse result as JSON. */
export const handler = http({ access: access('checks:read', env), query: ['checkId'] }, () =>
  getReport({ store: checkStore(env()), reports: reports(env()) }),
);

type Deps = { store: Pick<CheckStore, 'find' | 'checkIdOf'>; reports: Pick<Reports, 'get' | 'urlOf'> };

const MAX_BYTES = 4 * 1024 * 1024; // as sent: Lambda's answers end at 6 MB, and bytes travel as base64

export const getReport =
  ({ store, reports }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const run = await findRun(store, request);
    if (!isFinished(run.state)) {
      throw new ApiProblem('report-not-ready', `The run is ${run.state}; its report comes when it is finished.`, {
        headers: { 'retry-after': run.state === 'running' ? '5' : '10' },
      });
    }
    const { report } = run;
    if (!report) {
      throw new ApiProblem('report-unavailable', `The run failed (${run.error?.code}) before there was a report.`);
    }

    const gzipped = acceptsGzip(request.headers['accept-encoding']);
    const etag = `"${report.key
      .split('/')
      .at(-1)
      ?.replace('.json.gz', gzipped ? '-gzip' : '')}"`; // an object never changes
    const headers = { etag, vary: 'Accept-Encoding', 'cache-control': 'private, no-cache' };
    if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers };
    if ((gzipped ? report.gzipBytes : report.bytes) > MAX_BYTES) {
      return { status: 303, headers: { ...headers, location: await reports.urlOf(report.key) } };
    }
    const type = { 'content-type': 'application/json', ...(gzipped && { 'content-encoding': 'gzip' }) };
    if (request.method === 'HEAD') return { status: 200, headers: { ...headers, ...type } };
    const body = await reports.get(report.key);
    return { status: 200, headers: { ...headers, ...type }, body: gzipped ? body : await inflate(body) };
  };

const inflate = promisify<Buffer, Buffer>(gunzip);

const acceptsGzip = (accepted: string | undefined): boolean =>
  new Negotiator({ headers: { 'accept-encoding': accepted ?? 'identity' } }).encodings(['gzip', 'identity'])[0] ===
  'gzip';

/** If-None-Match compares weakly: a tag may come back marked `W/` by a proxy. */
const matches = (sent: string | undefined, etag: string): boolean =>
  sent !== undefined &&
  (sent.trim() === '*' || sent.split(',').some((each) => each.trim().replace(/^W\//, '') === etag));
