import { z } from 'zod';
import { StoredOptions } from './audit-options-schemas.ts';
import { Check } from './check.ts';
import { measuredOn } from './comparison/comparable.ts';
import { compareChecks, gravestOf } from './comparison/comparison.ts';
import { MetricChange, ReasonCode, Value, Verdict } from './comparison/schemas.ts';
import type { ComparedCheck } from './comparison/sides.ts';
import { type DifferenceCode, differenceCodes } from './comparison/spoils.ts';
import { type AuditVersion, anyName, Device, Region } from './name-schemas.ts';
import { mainNames, namesOfKind, noMetrics } from './page-metrics.ts';
import { MetricsView, metricsView, NumericValues, type Sample } from './page-metrics-schemas.ts';
import { pick } from './pick.ts';
import type { RunProblemCode } from './problems.ts';
import { recordOf } from './record.ts';
import { Run } from './run.ts';
import { MeasuredFields, SeriesRun } from './summaries.ts';

const number = z.number().nullable();

/** A finished run among the newest results of its page, as stored. Another release may have written it. */
export const StoredResult = z.object({
  id: z.uuid(),
  checkId: z.uuid(),
  createId: z.string(), // of the check. An erasure ends the results of one create
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  state: Run.shape.state,
  errorCode: anyName<RunProblemCode>().nullable(),
  auditVersion: anyName<AuditVersion>(),
  ...recordOf(mainNames, () => number),
  samples: z.record(z.string(), z.array(z.number().nullable())), // of each metric. None if nobody knows them any more
  sampleCount: z.int(),
  ...MeasuredFields.shape,
  /** Inputs that decide whether two results can be compared. A hash stands for each list of texts. */
  audited: StoredOptions.pick({ categories: true, headers: true, basicAuth: true, cookies: true, storageState: true })
    .extend({
      throttling: StoredOptions.shape.throttling.nullable(),
      blockedUrlPatterns: StoredOptions.shape.blockedUrlPatterns.nullable(),
    })
    .partial(),
  labels: StoredOptions.shape.labels,
  runExpiresAt: z.number(), // in seconds, as the next one
  expiresAt: z.number(),
});
export type StoredResult = z.infer<typeof StoredResult>;

/** A past result of a page, for a small chart. */
const Point = z.object({
  createdAt: z.iso.datetime(),
  state: Run.shape.state,
  performance: Run.shape.performance,
});

const valueNames = namesOfKind('time', 'shift').filter((name) => (mainNames as readonly string[]).includes(name));

const PageChange = z
  .object({
    baseCheckId: z.uuid().describe('Id of the check with the result before.'),
    baseCreatedAt: z.iso.datetime(),
    verdict: Verdict.describe(
      'The first of `regressed`, `improved`, `same` and `unknown` that a metric has. A spoiled measurement is not `same`.',
    ),
    metrics: z
      .partialRecord(z.enum(mainNames), z.object({ base: Value, value: Value, ...MetricChange.shape }))
      .describe('Each main metric that both results have.'),
    reasons: z.array(ReasonCode).describe('What spoils the measurement of one of them.'),
    differences: z.array(z.enum(differenceCodes)).describe('Inputs that differ.'),
  })
  .meta({
    id: 'PageChange',
    description:
      'The change from the newest earlier result that succeeded, by the rules of a comparison of two checks.',
  });

export const PageResult = z
  .object({
    url: z.string(),
    region: Region,
    device: Device,
    ...SeriesRun.pick({ id: true, checkId: true, auditVersion: true, state: true, createdAt: true, finishedAt: true })
      .shape,
    ...pick(MetricsView.shape, mainNames),
    numericValues: NumericValues.pick(recordOf(valueNames, () => true as const)).meta({ id: 'MainNumericValues' }),
    ...SeriesRun.pick({ sampleCount: true, errorCode: true, contended: true }).shape,
    labels: Check.shape.labels,
    change: PageChange.nullable().describe('Null if the result failed, or if no earlier one succeeded.'),
    history: z.array(Point).describe('The newest results, the latest one last.'),
    links: z
      .object({ self: z.string().nullable(), check: z.string().nullable(), page: z.string() })
      .describe(
        'Relative URLs. `self` and `check` are null if the run has expired. `page` shows the page over time, for people.',
      ),
  })
  .meta({ id: 'PageResult', description: 'The newest finished result of a URL on a device in a region.' });
export type PageResult = z.infer<typeof PageResult>;

/** One part of the list, as the API answers. */
export type PageList = { pages: PageResult[]; nextCursor: string | null };

/** A page on a device in a region. */
type Place = { url: string; device: Device; region: Region };

/** The facts about a page that its list shows, as stored. */
export const ListedPage = z.object({
  url: z.string(),
  device: anyName<Device>(),
  region: anyName<Region>(),
  newest: StoredResult,
  base: StoredResult.nullable(),
  points: z.array(Point.extend({ performance: number, expiresAt: z.number() })),
});
export type ListedPage = z.infer<typeof ListedPage>;

/** Returns what the list shows of a page. The results are sorted, the newest first. */
export const listedPage = (place: Place, results: readonly [StoredResult, ...StoredResult[]]): ListedPage => {
  const [newest, ...earlier] = results;
  return {
    ...place,
    newest,
    base: earlier.find(({ state }) => state === 'succeeded') ?? null,
    points: results.map((each) => pick(each, ['createdAt', 'state', 'performance', 'expiresAt'])).reverse(),
  };
};

/** Rank of a result without a score. */
const UNKNOWN = 999;

/**
 * Returns the rank of a page as a text that sorts the worst first: failures, then the performance score. Without it, the
 * lowest other score counts. Pages without a score are last. If other programs used the CPU, the performance score is that of
 * the newest earlier result on a free machine.
 */
export const rankOf = ([result, ...earlier]: readonly [StoredResult, ...StoredResult[]]): string => {
  const others = namesOfKind('score')
    .filter((name) => name !== 'performance')
    .map((name) => result[name])
    .filter((score) => score !== null);
  const measured = [result, ...earlier].find(({ state, contended }) => state === 'succeeded' && !contended);
  const performance = result.contended ? (measured?.performance ?? null) : result.performance;
  const score = performance ?? (others.length > 0 ? Math.min(...others) : UNKNOWN);
  return String(result.state === 'succeeded' ? Math.min(UNKNOWN, score + 1) : 0).padStart(3, '0');
};

/** Returns a page of the list as the API shows it. */
export const pageResult = ({ newest, base, points, ...place }: ListedPage, now: Date): PageResult => {
  const isCurrent = ({ expiresAt }: { expiresAt: number }) => expiresAt * 1000 > now.getTime();
  const values = { ...noMetrics, ...pick(newest, mainNames) };
  const check = `/v1/checks/${newest.checkId}`;
  const hasRun = isCurrent({ expiresAt: newest.runExpiresAt });
  const query = new URLSearchParams({ url: place.url, device: place.device });
  return {
    ...place,
    ...pick(newest, ['id', 'checkId', 'auditVersion', 'state', 'createdAt', 'finishedAt']),
    ...pick(metricsView(values), mainNames),
    numericValues: pick(values, valueNames),
    ...pick(newest, ['sampleCount', 'errorCode', 'labels']),
    ...pick(measuredOn(newest), ['contended']),
    change: changeOf(place, newest, base),
    history: points.filter(isCurrent).map((point) => pick(point, ['createdAt', 'state', 'performance'])),
    links: {
      self: hasRun ? `${check}/runs/${newest.id}` : null,
      check: hasRun ? check : null,
      page: `/pages?${query}`,
    },
  };
};

const changeOf = (place: Place, newest: StoredResult, base: StoredResult | null): PageResult['change'] => {
  const compared = base && compareChecks(comparedCheck(place, base), comparedCheck(place, newest));
  if (!compared) return null;
  const changes = mainNames.flatMap((name) => {
    const change = compared.metrics[name].regions[place.region];
    return change && change.base !== null && change.value !== null ? [[name, change] as const] : [];
  });
  const verdict = gravestOf(changes.map(([, change]) => change.verdict));
  return {
    baseCheckId: base.checkId,
    baseCreatedAt: base.createdAt,
    verdict: compared.comparable || verdict !== 'same' ? verdict : 'unknown', // a spoiled measurement proves no rest
    metrics: Object.fromEntries(changes),
    reasons: compared.reasons.map(({ code }) => code),
    differences: compared.differences.map(({ code }): DifferenceCode => code),
  };
};

/** Returns a result as a check with one run, for a comparison. */
const comparedCheck = ({ url, device, region }: Place, result: StoredResult): ComparedCheck => {
  const values = { ...noMetrics, ...pick(result, mainNames) };
  const run = { ...values, region, state: result.state, samples: samplesOf(result), environment: measuredOn(result) };
  return { ...result.audited, id: result.checkId, url, device, auditVersion: result.auditVersion, runs: [run] };
};

/** Returns the samples of a result. The values stand for samples that nobody knows any more. */
const samplesOf = ({ samples, ...result }: StoredResult): Sample[] => {
  const count = Math.max(0, ...Object.values(samples).map(({ length }) => length));
  const unknown = { ...noMetrics, cpuBusy: null, contended: null };
  if (count === 0) return [{ ...unknown, ...pick(result, mainNames) }];
  return Array.from({ length: count }, (_, i) => ({
    ...unknown,
    ...recordOf(mainNames, (name) => samples[name]?.[i] ?? null),
  }));
};
