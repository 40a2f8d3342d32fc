import { z } from 'zod';
import { Check, type CheckView, CheckView as CheckViewSchema, inputFields } from './check.ts';
import { factsOf, factsView, RunFacts, RunFactsView } from './measured.ts';
import { metricNames, valueNames } from './metrics/page-metrics.ts';
import { Metrics, MetricsView, metricsView, NumericValues, Spread } from './metrics/page-metrics-schemas.ts';
import { pick } from './pick.ts';
import { Run, RunView } from './run.ts';

const runFields = ['id', 'region', 'state', 'performance', 'lcp', 'tbt', 'cls'] as const;

export const CheckSummary = z
  .object({
    ...CheckViewSchema.omit({ assertions: true, fieldData: true }).shape,
    runs: z.array(z.object(pick(RunView.shape, runFields))),
  })
  .meta({
    id: 'CheckSummary',
    description:
      'A check in a list, without its `assertions` and field data. Its runs have only the metrics that people look at first.',
  });
export type CheckSummary = z.infer<typeof CheckSummary>;

/** Inputs of a check in a list. Its assertions may have many kilobytes. */
export const listedFields = inputFields.filter((name) => name !== 'assertions');

export const checkSummary = (check: CheckView): CheckSummary => ({
  ...pick(check, [
    ...listedFields,
    'source',
    'state',
    'assertionsPassed',
    'scheduleId',
    'createdAt',
    'updatedAt',
    'links',
  ]),
  runs: check.runs.map((run) => pick(run, runFields)),
});

/** The facts about a finished run that its series shows, as stored. Times are numbers of milliseconds. */
export const SeriesRun = z.object({
  ...Run.pick({ id: true, url: true, region: true, device: true, auditVersion: true, state: true }).shape,
  checkId: z.uuid(),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  ...Metrics.shape,
  ...RunFacts.shape,
  labels: Check.shape.labels,
});
export type SeriesRun = z.infer<typeof SeriesRun>;

export const seriesRun = (run: Run & { checkId: string; labels?: Check['labels'] }): SeriesRun => ({
  ...pick(run, [...metricNames, 'id', 'url', 'region', 'device', 'auditVersion', 'state', 'checkId']),
  ...pick(run, ['createdAt', 'finishedAt', 'labels']),
  ...factsOf(run),
});

export const RunsOfDay = z
  .object({
    date: z.iso.date().describe('The day in UTC.'),
    runs: z.int().describe('Number of runs behind the medians.'),
    failed: z.int().describe('Number of runs of that day that failed.'),
    contended: z.int().describe('Number of runs left out because the machine was busy.'),
    range: Spread.meta({
      id: 'RangeOfDay',
      description: 'Smallest and largest value of each metric over those runs. Times are in milliseconds.',
    }),
  })
  .meta({ id: 'RunsOfDay', description: 'A day of a series. The metrics of its entry are the medians of its runs.' });
export type RunsOfDay = z.infer<typeof RunsOfDay>;

export const RunSummary = z
  .object({
    ...SeriesRun.shape,
    ...MetricsView.shape,
    ...RunFactsView.shape,
    numericValues: NumericValues,
    links: z
      .object({ self: z.string().nullable(), check: z.string().nullable() })
      .describe('Relative URLs. Null if the run has expired, because a run summary lives longer.'),
    day: RunsOfDay.optional().describe('With `every=day`. All fields but the metrics are those of the newest run.'),
  })
  .meta({ id: 'RunSummary', description: 'A finished run in the series of a URL.' });
export type RunSummary = z.infer<typeof RunSummary>;

export const runSummary = (run: SeriesRun, { isExpired }: { isExpired: boolean }): RunSummary => ({
  ...pick(run, SeriesRun.keyof().options),
  ...metricsView(run),
  ...factsView(run),
  numericValues: pick(run, valueNames),
  links: isExpired
    ? { self: null, check: null }
    : { self: `/v1/checks/${run.checkId}/runs/${run.id}`, check: `/v1/checks/${run.checkId}` },
});
