import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Metrics of a stored record, by the names of the API. */
export type CruxMetrics = Record<string, { p75: number | string; densities: [number, number, number] }>;
type Answer = { status: number; body: unknown };

const METRICS = [
  ...['largest_contentful_paint', 'interaction_to_next_paint', 'cumulative_layout_shift', 'first_contentful_paint'],
  ...['experimental_time_to_first_byte', 'round_trip_time', 'navigation_types', 'form_factors'],
  ...['largest_contentful_paint_image_time_to_first_byte', 'largest_contentful_paint_resource_type'],
];
const FIELDS = ['url', 'origin', 'formFactor', 'metrics', 'effectiveConnectionType'];
const FORM_FACTORS = ['PHONE', 'DESKTOP', 'TABLET'];
const PERIOD = { firstDate: { year: 2026, month: 10, day: 29 }, lastDate: { year: 2026, month: 11, day: 25 } };

/** Metrics of a slow page. Layout shifts are texts, and a bin without page views lacks its density. */
export const slowVisits: CruxMetrics = {
  largest_contentful_paint: { p75: 3400, densities: [0.61, 0.22, 0.17] },
  interaction_to_next_paint: { p75: 180, densities: [0.8, 0.15, 0.05] },
  cumulative_layout_shift: { p75: '0.05', densities: [0.9, 0.1, 0] },
  first_contentful_paint: { p75: 1900, densities: [0.7, 0.2, 0.1] },
  experimental_time_to_first_byte: { p75: 700, densities: [0.72, 0.2, 0.08] },
};

export const CRUX_KEY = 'AIza-stand-in-key_0123456789';

/**
 * Starts a stand-in of the Chrome UX Report API. It refuses what the real one refuses, with the bodies of Google's APIs.
 * `records` has metrics by page or origin. `queries` are the accepted bodies.
 */
export const startCrux = async (records: Record<string, CruxMetrics> = {}) => {
  const queries: { method: string; body: Record<string, unknown> }[] = [];
  const urls: string[] = [];
  const state = { quotaUsedUp: false, down: false };
  const server = createServer(async (request, response) => {
    urls.push(request.url ?? '');
    const { status, body } = state.down
      ? { status: 503, body: '<html>unavailable</html>' }
      : answerTo(request, await textOf(request));
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body, null, 2));
  });

  const answerTo = ({ method, url = '', headers }: IncomingMessage, text: string): Answer => {
    const { pathname, searchParams } = new URL(url, 'http://crux');
    const [, name = ''] = /^\/v1\/records:(queryRecord|queryHistoryRecord)$/.exec(pathname) ?? [];
    if (method !== 'POST' || name === '') return { status: 404, body: '<!DOCTYPE html><title>Error 404</title>' };
    const key = headers['x-goog-api-key'] ?? searchParams.get('key');
    if (key === null) return error(403, 'PERMISSION_DENIED', NO_KEY);
    if (key !== CRUX_KEY) return error(400, 'INVALID_ARGUMENT', BAD_KEY, 'API_KEY_INVALID');
    if (state.quotaUsedUp) return error(429, 'RESOURCE_EXHAUSTED', NO_QUOTA, 'RATE_LIMIT_EXCEEDED');
    const body = JSON.parse(text) as Record<string, unknown>;
    const isHistory = name === 'queryHistoryRecord';
    if (!isValid(body, isHistory)) return error(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.');
    queries.push({ method: name, body });
    const found = records[String(body.url ?? body.origin)];
    if (!found) return error(404, 'NOT_FOUND', 'chrome ux report data not found');
    const { formFactor, url: page, origin } = body;
    const ofKey = { formFactor, ...(page === undefined ? { origin } : { url: page }) };
    const wanted = Object.entries(found).filter(([metric]) => (body.metrics as string[]).includes(metric));
    return { status: 200, body: { record: isHistory ? historyOf(ofKey, wanted) : recordOf(ofKey, wanted) } };
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queries,
    urls,
    state,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const NO_KEY =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
const BAD_KEY = 'API key not valid. Please pass a valid API key.';
const NO_QUOTA =
  "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service 'chromeuxreport.googleapis.com'.";

const error = (code: number, status: string, message: string, reason?: string): Answer => ({
  status: code,
  body: {
    error: {
      code,
      message,
      status,
      ...(reason && {
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
      }),
    },
  },
});

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
};

/** A body has exactly one page or origin, known names, and an address that a public page can have. */
const isValid = (body: Record<string, unknown>, isHistory: boolean): boolean => {
  const fields = isHistory ? [...FIELDS, 'collectionPeriodCount'] : FIELDS;
  const { url, origin, formFactor, metrics = [], collectionPeriodCount: count = 25 } = body;
  const address = URL.parse(String(url ?? origin));
  return (
    Object.keys(body).every((name) => fields.includes(name)) &&
    (url === undefined) !== (origin === undefined) &&
    address?.protocol.startsWith('http') === true &&
    address.hostname.includes('.') &&
    (origin === undefined || origin === address.origin) &&
    (formFactor === undefined || FORM_FACTORS.includes(String(formFactor))) &&
    (metrics as string[]).every((name) => METRICS.includes(name)) &&
    Number(count) >= 1 &&
    Number(count) <= 40
  );
};

type Wanted = [string, CruxMetrics[string]][];
const STARTS: Record<string, [number | string, number | string]> = { cumulative_layout_shift: ['0.10', '0.25'] };

/** Returns the bounds of the bins of a metric. */
const binsOf = (name: string) => {
  const [first, second] = STARTS[name] ?? [2500, 4000];
  const zero = typeof first === 'string' ? '0.00' : 0;
  return [{ start: zero, end: first }, { start: first, end: second }, { start: second }];
};

const recordOf = (key: object, wanted: Wanted) => ({
  key,
  metrics: Object.fromEntries(
    wanted.map(([name, { p75, densities }]) => [
      name,
      {
        histogram: binsOf(name).map((bin, i) => (densities[i] ? { ...bin, density: densities[i] } : bin)),
        percentiles: { p75 },
      },
    ]),
  ),
  collectionPeriod: PERIOD,
});

/** Returns a history of 25 weeks. The first week has no page views. */
const historyOf = (key: object, wanted: Wanted) => ({
  key,
  metrics: Object.fromEntries(
    wanted.map(([name, { p75, densities }]) => [
      name,
      {
        histogramTimeseries: binsOf(name).map((bin, i) => ({
          ...bin,
          densities: weeks.map((week) => (week === 0 ? 'NaN' : densities[i])),
        })),
        percentilesTimeseries: { p75s: weeks.map((week) => (week === 0 ? null : p75)) },
      },
    ]),
  ),
  collectionPeriods: weeks.map((week) => ({ firstDate: dayBefore(24 - week, 27), lastDate: dayBefore(24 - week, 0) })),
});

const weeks = Array.from({ length: 25 }, (_, i) => i);

const dayBefore = (weeksBefore: number, days: number) => {
  const date = new Date(Date.UTC(2026, 10, 21) - (weeksBefore * 7 + days) * 24 * 3600 * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};
