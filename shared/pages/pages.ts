import { z } from 'zod';
import { Check } from '../check.ts';
import { MetricChange, Value, Verdict } from '../comparison/schemas.ts';
import { unjudgedReasons } from '../comparison/since.ts';
import { factsIn, RunFactsView } from '../measured.ts';
import { mainNames, namesOfKind } from '../metrics/page-metrics.ts';
import { MetricsView, NumericValues } from '../metrics/page-metrics-schemas.ts';
import { Device, Region } from '../name-schemas.ts';
import { pick } from '../pick.ts';
import { recordOf } from '../record.ts';
import { SeriesRun } from '../summaries.ts';
import { standings } from './page-list.ts';

/** Values that are shown in a page's list beside the scores. */
export const mainValueNames = namesOfKind('time', 'shift').filter((name) =>
  (mainNames as readonly string[]).includes(name),
);

export const PageChange = z
  .object({
    verdict: Verdict.describe('The first of `regressed`, `improved`, `same` and `unknown` that a metric has.'),
    changedAt: z.iso
      .datetime()
      .nullable()
      .describe('When the first check after the change was created. Null without a proved change.'),
    checkId: z.uuid().nullable().describe('Id of that check, or of the newest one. Null if nobody knows it any more.'),
    baseCheckId: z.uuid().nullable().describe('Id of the last check before.'),
    baseCreatedAt: z.iso.datetime(),
    checks: z.int().describe('Number of checks after the change, or after the time, that count.'),
    baseChecks: z.int().describe('Number of checks before it that count.'),
    metrics: z
      .partialRecord(z.enum(mainNames), z.object({ base: Value, value: Value, ...MetricChange.shape }))
      .describe('The performance score and each main metric that changed: where the checks of both sides lie.'),
  })
  .meta({ id: 'PageChange', description: 'The change of a page by the series of its checks.' });
export type PageChange = z.infer<typeof PageChange>;

export const PageStep = z
  .object({
    metric: z.enum(mainNames),
    at: z.iso.datetime().describe('When the first check since the step was created.'),
    verdict: z.enum(['improved', 'regressed']),
    base: Value.describe('Where the checks before the step lie, back to an earlier step.'),
    value: Value.describe('Where the checks since the step lie, up to a later step.'),
    checkId: z.uuid().nullable().describe('Id of the first check since the step. Null if nobody knows it any more.'),
    baseCheckId: z.uuid().nullable().describe('Id of the last check before it.'),
  })
  .meta({ id: 'PageStep', description: 'A lasting change of a metric of a page.' });
export type PageStep = z.infer<typeof PageStep>;

export const PageResult = z
  .object({
    region: Region,
    device: Device,
    ...SeriesRun.pick({ id: true, checkId: true, auditVersion: true, state: true, createdAt: true, finishedAt: true })
      .shape,
    ...pick(MetricsView.shape, mainNames),
    numericValues: NumericValues.pick(recordOf(mainValueNames, () => true as const)).meta({ id: 'MainNumericValues' }),
    ...pick(RunFactsView.shape, factsIn('newest')),
    errorMessage: z.string().nullable().describe('Message of the error, cut after 120 characters.'),
    labels: Check.shape.labels,
    change: PageChange.nullable().describe('Null if nobody can tell. `unjudged` says why.'),
    unjudged: z
      .enum(unjudgedReasons)
      .nullable()
      .describe(
        '`failed`: the result failed. `too-few-checks`: fewer than five, or none before the time. `other-inputs`: too few since the inputs changed. `no-later-check`: none since that time.',
      ),
    steps: z.array(PageStep).describe('All lasting changes that its series knows, the oldest first.'),
    history: z
      .array(z.int().nullable())
      .describe('Performance scores of the newest 46 results, and before them of one a day, the latest one last.'),
    links: z
      .object({ self: z.string().nullable(), check: z.string().nullable(), page: z.string() })
      .describe(
        'Relative URLs. `self` and `check` are null if the run has expired. `page` shows the page over time, for people.',
      ),
  })
  .meta({ id: 'PageResult', description: 'The newest finished result of a page on a device in a region.' });
export type PageResult = z.infer<typeof PageResult>;

export const Page = z
  .object({
    url: z.string(),
    changed: z
      .enum(standings)
      .describe(
        'The first that holds for a result: it got worse, it failed, it got better, it has no sign of a change, or nobody can tell.',
      ),
    results: z.array(PageResult).describe('The newest result of each device and region.'),
  })
  .meta({ id: 'Page', description: 'A page with its newest results.' });
export type Page = z.infer<typeof Page>;

export const PageCounts = z.object({ total: z.int(), ...recordOf(standings, () => z.int()) }).meta({
  id: 'PageCounts',
  description: 'Number of all pages that match the filters without `changed`, and of each `changed`.',
});
export type PageCounts = z.infer<typeof PageCounts>;

export const PageList = z.object({
  pages: z.array(Page),
  since: z.string().describe('`previous`, or the time since which the changes are.'),
  counts: PageCounts,
  cut: z.boolean().describe('True if you have more pages than the list reads. Any of them may be left out.'),
  nextCursor: z.string().nullable(),
});
/** One part of the list, as the API answers. */
export type PageList = z.infer<typeof PageList>;

/** Rows of a table with the results of pages, each with its page's URL. */
export type PlacedResult = PageResult & { url: string };
export const resultsOf = (pages: readonly Page[]): PlacedResult[] =>
  pages.flatMap(({ url, results }) => results.map((result) => ({ url, ...result })));
