import type { z } from 'zod';
import { ListParameters, matcherOf } from '../shared/list-parameters-schemas.ts';
import { mainNames, pageMetric } from '../shared/metrics/page-metrics.ts';
import { families, ownFamily, serviceFamily, valueFamily } from '../shared/open-metrics.ts';
import { runProblems } from '../shared/problems.ts';
import { secondsSince } from '../shared/times.ts';
import { allCounted, type Counted } from './lib/counts.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { parseQueryWith } from './lib/http/list-query.ts';
import type { Reply } from './lib/http/response.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type ListedResult, type PageStore, pageStore } from './lib/store/listed-pages.ts';
import { type ListStore, listStore } from './lib/store/lists.ts';

/** GET /v1/metrics: returns the newest results of the caller's pages and the service's own figures as OpenMetrics. */
export const handler = http('get-metrics', (env) => {
  const db = openDb(env);
  return getMetrics({ pages: pageStore(db), lists: listStore(db) });
});

type Deps = {
  pages: Pick<PageStore, 'list'>;
  lists: Pick<ListStore, 'checks'>;
  counted?: () => Counted[];
  now?: () => Date;
};

/** Most pages of an answer. Each adds some ten lines for each device and region. */
const MAX_PAGES = 500;
/** Number of checks among which the open ones are counted. */
const NEWEST_CHECKS = 300;
const TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

export const getMetrics =
  ({ pages, lists, counted = allCounted, now = () => new Date() }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const filter = parseQueryWith(ListParameters.metrics, request);
    const at = now();
    const [{ results, cut }, { entries }] = await Promise.all([
      pages.list(request.owner, at),
      lists.checks(request.owner, {}, NEWEST_CHECKS, at),
    ]);
    const open = entries.filter((entry) => !('unreadable' in entry) && entry.runs === undefined);
    const oldest = open.at(-1); // the newest is first
    const { shown, all } = resultsFor(results, filter);
    const samples: Sample[] = [
      ...shown.flatMap((result) => samplesOf(result, at)),
      { name: ownFamily('results'), value: all },
      { name: ownFamily('results_left_out'), value: all - shown.length },
      { name: ownFamily('results_unread'), value: cut ? 1 : 0 },
      { name: ownFamily('open_checks'), value: open.length },
      { name: ownFamily('oldest_open_check_seconds'), value: oldest ? secondsSince(oldest.createdAt, at) : 0 },
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
    ...(newest.interactions ?? []).flatMap(({ name: interaction, inp }) =>
      known(ownFamily('interaction_inp_seconds'), inp === null ? null : inp / 1000, { interaction }),
    ),
    ...known(ownFamily('succeeded'), newest.state === 'succeeded' ? 1 : 0),
    ...(code ? known(ownFamily('failure'), 1, { code, blame: runProblems[code]?.blame ?? 'unknown' }) : []),
    ...known(ownFamily('assertions_passed'), asNumber(newest.assertionsPassed)),
    ...known(ownFamily('age_seconds'), secondsSince(newest.createdAt, now)),
  ];
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
