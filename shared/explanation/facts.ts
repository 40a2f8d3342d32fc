import type { MetricName } from '../metrics/page-metrics.ts';
import { isOtherSite, matchKey, nameOfUrl, shownUrl } from './addresses.ts';
import { type AuditFact, auditFacts } from './audit-facts.ts';
import { type ElementFact, elementOf } from './elements.ts';
import { type MetricFact, metricFacts } from './metrics.ts';
import { documentUrlOf, itemsOf, numberOf, type Report, type Tables } from './report.ts';

/** Time that something takes on the page, by its address. */
type Named = { key: string; url: string; name: string; thirdParty: boolean };
export type RequestFact = Named & { type: string; blocking: boolean; bytes: number; ms: number };
export type ScriptFact = Named & { ms: number };

/** The facts of one report that an explanation compares. They are small, so the report can be released before the next one is read. */
export type ReportFacts = {
  documentUrl: string;
  /** Key of the folder of the document. */
  folder: string;
  metrics: ReadonlyMap<MetricName, MetricFact>;
  requests: ReadonlyMap<string, RequestFact>;
  scripts: ReadonlyMap<string, ScriptFact>;
  lcpElement: ElementFact | null;
  /** Parts of the layout shift, by the selector of the element that moved. */
  shifts: ReadonlyMap<string, { element: ElementFact; score: number }>;
  audits: readonly AuditFact[];
  redirects: number | null;
  redirectMs: number;
  serverResponseMs: number | null;
  /** Cache lifetimes in seconds that Lighthouse calls short, by the key of the request. */
  shortCaching: ReadonlyMap<string, number>;
  /** Time by which a font hides its text, by the key of the request. */
  hiddenText: ReadonlyMap<string, { name: string; ms: number }>;
  /** Time that the network of the audit needs for a byte, in milliseconds. */
  msPerByte: number;
};

const MAX_URL = 2048;
const DEFAULT_THROUGHPUT_KBPS = 10_000;

/** Returns the facts of a report. */
export const factsOf = (report: Report): ReportFacts => {
  const { audits, configSettings } = report;
  const documentUrl = documentUrlOf(report);
  const name = namer(report, documentUrl);
  const kbps = configSettings?.throttling?.throughputKbps || DEFAULT_THROUGHPUT_KBPS;
  const byKey = (items: ReturnType<typeof itemsOf>) => items.map((item) => ({ item, ...name(item.url) }));
  return {
    documentUrl,
    folder: folderOf(documentUrl),
    metrics: metricFacts(report),
    requests: requestFacts(report, name),
    scripts: new Map(
      byKey(itemsOf(report, 'bootup-time')).map(({ item, ...named }) => [
        named.key,
        { ...named, ms: numberOf(item.total) ?? 0 },
      ]),
    ),
    lcpElement: lcpElementOf(report),
    shifts: shiftsOf(report),
    audits: auditFacts(report),
    redirects: audits.redirects ? Math.max(0, itemsOf(report, 'redirects').length - 1) : null,
    redirectMs: numberOf(audits.redirects?.numericValue) ?? 0,
    serverResponseMs: numberOf(audits['server-response-time']?.numericValue),
    shortCaching: new Map(
      byKey(itemsOf(report, 'cache-insight', 'uses-long-cache-ttl')).map(({ item, key }) => [
        key,
        Math.round((numberOf(item.cacheLifetimeMs) ?? 0) / 1000),
      ]),
    ),
    hiddenText: new Map(
      byKey(itemsOf(report, 'font-display-insight', 'font-display')).map(({ item, key, name }) => [
        key,
        { name, ms: numberOf(item.wastedMs) ?? 0 },
      ]),
    ),
    msPerByte: 8 / kbps,
  };
};

const folderOf = (documentUrl: string): string =>
  matchKey(documentUrl, documentUrl)
    .replace(/\?.*$/s, '')
    .replace(/[^/]*$/, '');

/** Returns a function that names an address. From version 10 on, the report says which origins are third parties. */
const namer = ({ entities }: Report, documentUrl: string) => {
  const ownOrigins =
    entities && new Set(entities.filter(({ isFirstParty }) => isFirstParty).flatMap(({ origins }) => origins));
  return (found: unknown): Named => {
    const url = String(found ?? '').slice(0, MAX_URL);
    const origin = URL.canParse(url) ? new URL(url).origin : undefined;
    return {
      key: matchKey(url, documentUrl),
      url: shownUrl(url),
      name: nameOfUrl(url, documentUrl),
      thirdParty: origin !== undefined && (ownOrigins ? !ownOrigins.has(origin) : isOtherSite(url, documentUrl)),
    };
  };
};

/** Returns the requests by key. Requests with the same key count as one, with their bytes together. */
const requestFacts = (report: Report, name: (url: unknown) => Named): ReportFacts['requests'] => {
  const blocking = new Set(
    itemsOf(report, 'render-blocking-insight', 'render-blocking-resources').map(({ url }) => name(url).key),
  );
  const requests = new Map<string, RequestFact>();
  for (const item of itemsOf(report, 'network-requests')) {
    if (!/^https?:/.test(String(item.url))) continue; // a data URL is no request
    const named = name(item.url);
    const before = requests.get(named.key);
    const end = numberOf(item.networkEndTime ?? item.endTime);
    const start = numberOf(item.networkRequestTime ?? item.startTime);
    requests.set(named.key, {
      ...named,
      type: String(item.resourceType ?? 'Other').slice(0, 20),
      blocking: blocking.has(named.key),
      bytes: Math.round(numberOf(item.transferSize) ?? 0) + (before?.bytes ?? 0),
      ms: Math.max(Math.round((end ?? 0) - (start ?? 0)), before?.ms ?? 0),
    });
  }
  return requests;
};

/** Returns the LCP element. Versions up to 12 have it in an audit of its own, and 13 at the end of a list. */
export const lcpElementOf = (report: Tables): ElementFact | null => {
  const items = itemsOf(report, 'lcp-breakdown-insight', 'largest-contentful-paint-element');
  const nodes = items.flatMap((item) => [item, ...(Array.isArray(item.items) ? item.items : [])]);
  const found = nodes.map((item) => elementOf(item.node ?? item)).find((element) => element !== null);
  return found ?? null;
};

const shiftsOf = (report: Report): ReportFacts['shifts'] =>
  new Map(
    itemsOf(report, 'layout-shifts', 'layout-shift-elements').flatMap(({ node, score }) => {
      const element = node ? elementOf(node) : null;
      return element ? [[element.selector ?? '', { element, score: numberOf(score) ?? 0 }] as const] : [];
    }),
  );
