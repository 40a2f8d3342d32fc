import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { artifactNames } from '../shared/options/artifacts.ts';
import type { Caller } from '../shared/service/keys.ts';
import type { Request } from './lib/http/endpoint.ts';
import { htmlReport, loadingReport, viewerVersion } from './lib/http/html-report.ts';
import { http } from './lib/http/http.ts';
import type { RunLookup } from './lib/http/lookup.ts';
import { acceptsGzip, matchesEtag, prefersHtml } from './lib/http/negotiation.ts';
import type { Reply } from './lib/http/response.ts';
import { viewerPolicy } from './lib/http/security-headers.ts';
import { findReport, gunzip } from './lib/http/stored-report.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type Reports, reports, tagOf } from './lib/store/reports.ts';

/** GET …/runs/{runId}/report, …/trace and …/har: return the full Lighthouse result as JSON or as an HTML report, or another file of the audit. */
export const handler = http('get-report', (env) =>
  getReport({ store: checkStore(openDb(env)), reports: reports(env), maxBytes: env.MAX_ANSWER_BYTES }),
);

type Deps = RunLookup & {
  reports: Pick<Reports, 'get' | 'exists' | 'urlOf'>;
  maxBytes: number;
};

/** Largest JSON report that is rendered as HTML, in bytes. Rendering happens in memory, during the request. */
const MAX_HTML_SOURCE_BYTES = 32 * 1024 * 1024;

export const getReport =
  ({ reports, maxBytes, ...lookup }: Deps) =>
  async (request: Request<Caller>): Promise<Reply> => {
    const artifact = artifactNames.find((name) => request.path.endsWith(`/${name}`));
    const { report, read, throwIfGone } = await findReport({ ...lookup, reports }, request, artifact);
    const gzipped = acceptsGzip(request.headers['accept-encoding']);
    const asHtml = !artifact && prefersHtml(request.headers.accept);
    const etag = etagOf(report.key, asHtml, gzipped);
    const headers = {
      etag,
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'private, no-cache',
      ...(asHtml && { 'content-security-policy': viewerPolicy }), // on a 304 too: its headers replace the cached ones
    };
    if (matchesEtag(request.headers['if-none-match'], etag)) return { status: 304, headers };
    const size = gzipped ? report.gzipBytes : report.bytes;
    const type = {
      'content-type': asHtml ? 'text/html; charset=utf-8' : 'application/json',
      ...(gzipped && { 'content-encoding': 'gzip' }),
    };
    if (request.method === 'HEAD') {
      await throwIfGone();
      return { status: 200, headers: { ...headers, ...type } }; // no redirect: the presigned URL allows GET only
    }
    const stored = async () => {
      await throwIfGone();
      return reports.urlOf(report.key);
    };
    if (asHtml) {
      if (size <= maxBytes && report.bytes <= Math.max(maxBytes, MAX_HTML_SOURCE_BYTES)) {
        const body = await htmlReport(await read(), gzipped);
        if (body.length <= maxBytes) return { status: 200, headers: { ...headers, ...type }, body };
      }
      const url = await stored();
      const page = await loadingReport(url);
      return { status: 200, headers: { ...loadingHeaders(url), ...type }, body: gzipped ? await gzip(page) : page };
    }
    if (size > maxBytes) return { status: 303, headers: { ...headers, location: await stored() } };
    const body = await read();
    return { status: 200, headers: { ...headers, ...type }, body: gzipped ? body : await gunzip(body) };
  };

/** Returns the headers of a page that loads its report from a URL. No cache keeps the page, because the URL expires. */
const loadingHeaders = (url: string) => ({
  vary: 'Accept, Accept-Encoding',
  'cache-control': 'no-store',
  'content-security-policy': `${viewerPolicy}; connect-src ${new URL(url).origin}`,
});

/** Returns an entity tag per form. A stored report never changes. An HTML report changes with the viewer. */
const etagOf = (key: string, asHtml: boolean, gzipped: boolean): string => {
  const form = [...(asHtml ? ['html', viewerVersion] : []), ...(gzipped ? ['gzip'] : [])];
  return `"${[tagOf(key), ...form].join('-')}"`;
};

const gzip = promisify<string, Buffer>(zlib.gzip);
