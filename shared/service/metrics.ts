export const metricNamespace = 'PageAudit';

/**
 * Metrics that functions emit and infra draws. CloudWatch finds a metric only by all of its dimensions. Powertools adds one
 * more dimension, `service`, with the name of the environment, such as `page-audit-dev`. A metric is in the AWS region of
 * the function that emits it: the home region for `sweep` and `create-check`, the region of the audit for the others.
 */
export const metrics = {
  /** A run has failed. */
  RunFailed: {
    unit: 'Count',
    dimensions: ['region', 'code', 'blame'],
    by: ['run-audit', 'sweep', 'create-check'],
  },
  /**
   * 1 if a finished run has failed with `blame: service`, otherwise 0. The average is the share of these runs, and the
   * number of samples is the number of finished runs.
   */
  ServiceFailure: {
    unit: 'Count',
    dimensions: ['region'],
    by: ['run-audit', 'sweep', 'create-check'],
  },
  /** An attempt has failed and another attempt follows. */
  AttemptFailed: { unit: 'Count', dimensions: ['region', 'code'], by: ['run-audit'] },
  /** Time from the creation of a run to its end, if it succeeded. The number of samples is the number of successes. */
  RunSeconds: { unit: 'Seconds', dimensions: ['region'], by: ['run-audit'] },
  /** Time in all audits of a run, if it succeeded or the page is to blame. */
  AuditSeconds: { unit: 'Seconds', dimensions: ['region'], by: ['run-audit'] },
  /** Share of the busy CPU time of a run that the hypervisor took for other machines. */
  StolenCpuPercent: { unit: 'Percent', dimensions: ['region'], by: ['run-audit'] },
  /** 100 if the load of the machine may have changed the times that a run shows, otherwise 0. The average is the share. */
  ContendedPercent: { unit: 'Percent', dimensions: ['region'], by: ['run-audit'] },
  /** The sweeper has handled a job that failed in every delivery. The log names its region. */
  JobsLost: { unit: 'Count', dimensions: [], by: ['sweep'] },
  /** An audit has ended without an answer, so that its lease ran out. The log names the run. */
  AuditsLost: { unit: 'Count', dimensions: [], by: ['sweep'] },
  /** Number of regions in which runs have waited for a quarter of an hour. A sweep emits it if there is one. The log names them. */
  RegionsLate: { unit: 'Count', dimensions: [], by: ['sweep'] },
  /** The sweeper has resent the job of a run. */
  RunsResent: { unit: 'Count', dimensions: ['region'], by: ['sweep'] },
  /** A run has failed as `abandoned`. `create-check` abandons a run whose job the queue refuses. */
  RunsAbandoned: { unit: 'Count', dimensions: [], by: ['sweep', 'create-check'] },
  /** 1 if a try to deliver to a webhook has failed, otherwise 0. The average is the share of failed tries. */
  DeliveryFailure: { unit: 'Count', dimensions: [], by: ['deliver-webhook'] },
  /**
   * Number of due items that a sweep failed on or did not reach. Every sweep that ends emits it, so that the number of samples
   * is the number of sweeps. The log names their partition.
   */
  OpenPastDue: { unit: 'Count', dimensions: [], by: ['sweep'] },
} as const satisfies Record<
  string,
  { unit: 'Count' | 'Seconds' | 'Percent'; dimensions: readonly string[]; by: readonly string[] }
>;

export type MetricName = keyof typeof metrics;

/** Dimensions of a metric, without `service`. */
export type DimensionsOf<Name extends MetricName> = Record<(typeof metrics)[Name]['dimensions'][number], string>;
