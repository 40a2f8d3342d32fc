import type { z } from 'zod';
import { ListParameters, matcherOf } from '../shared/list-parameters-schemas.ts';
import { mainNames, pageMetric } from '../shared/metrics/page-metrics.ts';
import { families, ownFamily, serviceFamily, valueFamily } from '../shared/open-metrics.ts';
import { runProblems } from '../shared/problems.ts';
import type { Region } from '../shared/regions.ts';
import { TRY_MS } from '../shared/service/due-times.ts';
import { allCounted, type Counted } from './lib/counts.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { parseQueryWith } from './lib/http/list-query.ts';
import type { Reply } from './lib/http/response.ts';
import { type DueStore, dueStore } from './lib/store/due.ts';
import { type Db, openDb } from './lib/store/dynamodb.ts';
import { type ListedResult, type PageStore, pageStore } from './lib/store/listed-pages.ts';
import { openCheckIds } from './lib/store/open-checks.ts';

/** GET /v1/metrics: returns the newest results of the caller's pages and the service's own figures as OpenMetrics. */
export const handler = http('get-metrics', (env) => {
  const db = openDb(env);
  return getMetrics({ db, due: dueStore(db), pages: pageStore(db), regions: env.REGIONS });
});

type Deps = {
  db: Db;
  due: Pick<DueStore, 'list' | 'shards'>;
  pages: Pick<PageStore, 'list'>;
  regions: readonly Region[];
  counted?: () => Counted[];
  now?: () => Date;
};

/** Most pages of an answer. Each adds some ten lines for each device and region. */
const MAX_PAGES = 500;
const TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

export const getMetrics =
  ({ db, due, pages, regions, counted = allCounted, now = () => new Date() }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const filter = parseQueryWith(ListParameters.metrics, request);
    const at = now();
    const [{ results, cut }, open, ages] = await Promise.all([
      pages.list(request.owner, at),
      openCheckIds(db, request.owner, at),
      Promise.all(regions.map(async (region) => [region, await queueAge(due, region, at)] as const)),
    ]);
    const { shown, all } = resultsFor(results, filter);
    const samples: Sample[] = [
      ...shown.flatMap((result) => samplesOf(result, at)),
      { name: ownFamily('results'), value: all },
      { name: ownFamily('results_left_out'), value: all - shown.length },
      { name: ownFamily('results_unread'), value: cut ? 1 : 0 },
      { name: ownFamily('open_checks'), value: open.length },
      ...ages.map(([region, value]) => ({ name: ownFamily('queue_age_seconds'), labels: { region }, value })),
      ...counted().flatMap(({ name, dimensions: labels, count, sum }) => [
        { name: serviceFamily(name), suffix: '_count', labels, value: count },
        { name: serviceFamily(name), suffix: '_sum', labels, value: sum },
      ]),
    ];
    return { status: 200, headers: { 'content-type': TYPE }, body: textOf(samples) };
  };

/** Returns the results that match the filter, of the first 500 URLs in alphabetical order, so that the same ones stay. */
const resultsFor = (results: readonly ListedResult[], filter: z.output<typeof ListParameters.metrics>) => {
  const { byEntry } = matcherOf(filter);
  const wanted = results
    .map(({ page }) => page)
    .filter(({ newest, ...place }) => byEntry.matches({ ...newest, ...place }));
  const urls = new Set([...new Set(wanted.map(({ url }) => url))].sort().slice(0, MAX_PAGES));
  return { shown: wanted.filter(({ url }) => urls.has(url)), all: wanted.length };
};

type Sample = { name: string; suffix?: string; labels?: Readonly<Record<string, string>>; value: number };

/** Returns the metrics of the newest result of a page. A value that nobody knows has no line. */
const samplesOf = ({ url, device, region, newest }: ListedResult['page'], now: Date): Sample[] => {
  const place = { url, device, region };
  const known = (name: string, value: number | null, labels = {}): Sample[] =>
    value === null ? [] : [{ name, labels: { ...place, ...labels }, value }];
  const asNumber = (value: boolean | null) => (value === null ? null : Number(value));
  const values = newest.state === 'succeeded' ? mainNames : [];
  const code = newest.errorCode;
  return [
    ...values.flatMap((name) => {
      const { kind } = pageMetric(name);
      const value = newest[name];
      const seconds = kind === 'time' && value !== null ? value / 1000 : value;
      return known(valueFamily(name), seconds, kind === 'score' ? { category: name } : {});
    }),
    ...known(ownFamily('bytes'), newest.state === 'succeeded' ? newest.bytes : null),
    ...known(ownFamily('succeeded'), newest.state === 'succeeded' ? 1 : 0),
    ...(code ? known(ownFamily('failure'), 1, { code, blame: runProblems[code]?.blame ?? 'unknown' }) : []),
    ...known(ownFamily('assertions_passed'), asNumber(newest.assertionsPassed)),
    ...known(ownFamily('age_seconds'), (now.getTime() - Date.parse(newest.createdAt)) / 1000),
  ];
};

/** Time until the due time of a run that is certainly not at work: a lease and its slack end before. */
const AT_WORK_MS = 2 * 60_000;

/**
 * Returns the time in seconds that the oldest run of a region has waited. A sent job is due an hour after it was sent. A run
 * that failed before counts from its last send.
 */
const queueAge = async (due: Deps['due'], region: Region, now: Date): Promise<number> => {
  const [from, until] = [AT_WORK_MS, TRY_MS].map((ms) => new Date(now.getTime() + ms)) as [Date, Date];
  const shards = Array.from({ length: due.shards }, (_, shard) => shard);
  const found = await Promise.all(shards.map((shard) => due.list({ kind: region, shard }, until, 1, from)));
  const [first] = found
    .flat()
    .map(({ dueAt }) => dueAt)
    .sort();
  return first === undefined ? 0 : Math.max(0, (now.getTime() - (Date.parse(first) - TRY_MS)) / 1000);
};

/** Returns the samples as OpenMetrics text, those of a metric together. */
const textOf = (samples: readonly Sample[]): string => {
  const byName = Map.groupBy(samples, ({ name }) => name);
  const lines = [...families].flatMap(([name, { type, unit, help }]) => {
    const own = byName.get(name);
    if (!own) return [];
    const about = [
      `# TYPE ${name} ${type}`,
      ...(unit ? [`# UNIT ${name} ${unit}`] : []),
      `# HELP ${name} ${escaped(help)}`,
    ];
    return [...about, ...own.map(lineOf)];
  });
  return `${[...lines, '# EOF'].join('\n')}\n`;
};

const lineOf = ({ name, suffix = '', labels = {}, value }: Sample): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`;
};

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
