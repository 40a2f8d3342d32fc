export const metricNamespace = 'PageAudit';

/**
 * What each metric is emitted with. CloudWatch finds a metric by exactly its dimensions: beyond those named here each has
 * `service` (Powertools adds it), whose value is the environment's, `page-audit-dev`. A metric lives in the AWS region of
 * the function that emits it: `sweep` in the home region, the others in the region of the audit.
 */
export const metrics = {
  /** A run has ended, whichever way. */
  RunFinished: { unit: 'Count', dimensions: ['region'], by: ['run-audit', 'close-lost-runs', 'sweep'] },
  /** A run has failed. */
  RunFailed: { unit: 'Count', dimensions: ['region', 'code', 'blame'], by: ['run-audit', 'close-lost-runs', 'sweep'] },
  /** A run has failed and the service is to blame: RunFailed with `blame` service, one number a region. */
  ServiceFailure: { unit: 'Count', dimensions: ['region'], by: ['run-audit', 'close-lost-runs', 'sweep'] },
  /** An attempt failed that is followed by another. */
  AttemptFailed: { unit: 'Count', dimensions: ['region', 'code'], by: ['run-audit'] },
  /** A sample was measured while others took the processor, and is taken again. */
  SampleRetaken: { unit: 'Count', dimensions: ['region'], by: ['run-audit'] },
  /** From the creation of a run to its end, of those that have an answer (succeeded, or the page is to blame). */
  RunSeconds: { unit: 'Seconds', dimensions: ['region'], by: ['run-audit'] },
  /** Lighthouse's measure of the host's processor, of each run that has one. */
  BenchmarkIndex: { unit: 'NoUnit', dimensions: ['region'], by: ['run-audit'] },
  /** A message could not be read and was dropped. */
  JobUnreadable: { unit: 'Count', dimensions: [], by: ['run-audit', 'close-lost-runs'] },
  /** A sweep sent a run's job again. */
  RunsResent: { unit: 'Count', dimensions: ['region'], by: ['sweep'] },
  /** A sweep gave a run up, which has failed by that. */
  RunsAbandoned: { unit: 'Count', dimensions: ['region'], by: ['sweep'] },
  /** A sweep came to its end. */
  SweepDone: { unit: 'Count', dimensions: [], by: ['sweep'] },
  /** What was due and a sweep could not act on or did not reach; each sweep says it, 0 too. `region` may be `checks`. */
  OpenPastDue: { unit: 'Count', dimensions: ['region'], by: ['sweep'] },
} as const satisfies Record<
  string,
  { unit: 'Count' | 'Seconds' | 'NoUnit'; dimensions: readonly string[]; by: readonly string[] }
>;

export type MetricName = keyof typeof metrics;

/** The dimensions that a metric must be emitted and drawn with, `service` aside. */
export type DimensionsOf<Name extends MetricName> = Record<(typeof metrics)[Name]['dimensions'][number], string>;
