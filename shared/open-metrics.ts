import { type MainName, mainNames, pageMetric } from './metrics/page-metrics.ts';
import { type MetricName, metrics } from './service/metrics.ts';

/* The metrics of GET /v1/metrics, from the tables of the page's and of the service's metrics. */

export type Family = { type: 'gauge' | 'summary'; unit?: 'seconds' | 'bytes'; help: string };

const PREFIX = 'page_audit';
const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^_/, '');

/** Name of the metric of all scores. Its label `category` says which. */
export const SCORE = `${PREFIX}_score`;

const unitOf = (name: MainName): Family['unit'] => (pageMetric(name).kind === 'time' ? 'seconds' : undefined);

/** Returns the name of the metric of a value of a page. */
export const valueFamily = (name: MainName): string =>
  pageMetric(name).kind === 'score' ? SCORE : [PREFIX, snakeCase(name), unitOf(name)].filter(Boolean).join('_');

/** Returns the name of a metric of the service. */
export const serviceFamily = (name: MetricName): string => `${PREFIX}_service_${snakeCase(name)}`;

const ofNewest = 'Newest result of a page:';

/** Facts about the newest result of each page, beside its values. */
const ofResult = {
  bytes: { type: 'gauge', unit: 'bytes', help: `${ofNewest} bytes that the load transferred.` },
  interaction_inp_seconds: { type: 'gauge', unit: 'seconds', help: `${ofNewest} INP of the interaction.` },
  succeeded: { type: 'gauge', help: `${ofNewest} 1 if the run succeeded, 0 if it failed.` },
  failure: { type: 'gauge', help: `${ofNewest} 1 with the code of the error, and whose fault it was.` },
  assertions_passed: { type: 'gauge', help: `${ofNewest} 1 if no assertion of level error failed, else 0.` },
  age_seconds: { type: 'gauge', unit: 'seconds', help: `${ofNewest} time since its check was created.` },
} as const satisfies Record<string, Family>;

/** Facts about the answer itself, and about the open checks of the caller. */
const ofAnswer = {
  results: { type: 'gauge', help: 'Newest results that match the filter: one of each page, device and region.' },
  results_left_out: {
    type: 'gauge',
    help: 'Matching results that are not in this answer, which has at most those of 500 pages.',
  },
  results_unread: {
    type: 'gauge',
    help: '1 if you have more results than the service reads. The counts are then too small.',
  },
  open_checks: { type: 'gauge', help: 'Checks that are not finished among your newest 300.' },
  oldest_open_check_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Time since the oldest of them was created. 0 if all are finished.',
  },
} as const satisfies Record<string, Family>;

type OwnName = keyof typeof ofResult | keyof typeof ofAnswer;
export const ownFamily = (name: OwnName): string => `${PREFIX}_${name}`;

const entries = <Names extends string>(families: Record<Names, Family>): [string, Family][] =>
  Object.entries<Family>(families).map(([name, family]) => [`${PREFIX}_${name}`, family]);

const values: [string, Family][] = mainNames.map((name) => {
  const { kind, title } = pageMetric(name);
  const unit = unitOf(name);
  if (kind === 'score') return [SCORE, { type: 'gauge', help: `${ofNewest} score of a category, from 0 to 100.` }];
  return [valueFamily(name), { type: 'gauge', ...(unit && { unit }), help: `${ofNewest} ${title.toLowerCase()}.` }];
});

const ofService: [string, Family][] = Object.entries(metrics).map(([name, { unit, help }]) => [
  serviceFamily(name as MetricName),
  { type: 'summary', ...(unit === 'Seconds' && { unit: 'seconds' as const }), help },
]);

/** All metrics by name, in the order of the answer. */
export const families: ReadonlyMap<string, Family> = new Map([
  ...values,
  ...entries(ofResult),
  ...entries(ofAnswer),
  ...ofService,
]);
