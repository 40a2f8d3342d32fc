export const metricNamespace = 'PageAudit';

/**
 * Metrics that functions emit and infra draws. CloudWatch finds a metric only by all of its dimensions. Powertools adds one
 * more dimension, `service`, with the name of the environment, such as `page-audit-dev`. A metric is in the AWS region of
 * the function that emits it: the home region for `sweep` and `create-check`, the region of the audit for the others.
 */
export const metrics = {
  RunFailed: {
    help: 'A run has failed.',
    unit: 'Count',
    dimensions: ['region', 'code', 'blame'],
    by: ['run-audit', 'sweep', 'create-check'],
  },
  ServiceFailure: {
    help: '1 if a finished run has failed with `blame: service`, otherwise 0. The average is the share of these runs, and the number of samples is the number of finished runs.',
    unit: 'Count',
    dimensions: ['region'],
    by: ['run-audit', 'sweep', 'create-check'],
  },
  AttemptFailed: {
    help: 'An attempt has failed and another attempt follows.',
    unit: 'Count',
    dimensions: ['region', 'code'],
    by: ['run-audit'],
  },
  RunSeconds: {
    help: 'Time from the creation of a run to its end, if it succeeded. The number of samples is the number of successes.',
    unit: 'Seconds',
    dimensions: ['region'],
    by: ['run-audit'],
  },
  AuditSeconds: {
    help: 'Time in all audits of a run, if it succeeded or the page is to blame.',
    unit: 'Seconds',
    dimensions: ['region'],
    by: ['run-audit'],
  },
  StolenCpuPercent: {
    help: 'Share of the busy CPU time of a run that the hypervisor took for other machines.',
    unit: 'Percent',
    dimensions: ['region'],
    by: ['run-audit'],
  },
  ContendedPercent: {
    help: '100 if the load of the machine may have changed the times that a run shows, otherwise 0. The average is the share.',
    unit: 'Percent',
    dimensions: ['region'],
    by: ['run-audit'],
  },
  JobsLost: {
    help: 'The sweeper has handled a job that failed in every delivery. The log names its region.',
    unit: 'Count',
    dimensions: [],
    by: ['sweep'],
  },
  AuditsLost: {
    help: 'An audit has ended without an answer, so that its lease ran out. The log names the run.',
    unit: 'Count',
    dimensions: [],
    by: ['sweep'],
  },
  RegionsLate: {
    help: 'Number of regions in which runs have waited for a quarter of an hour. A sweep emits it if there is one. The log names them.',
    unit: 'Count',
    dimensions: [],
    by: ['sweep'],
  },
  RunsResent: {
    help: 'The sweeper has resent the job of a run.',
    unit: 'Count',
    dimensions: ['region'],
    by: ['sweep'],
  },
  RunsAbandoned: {
    help: 'A run has failed as `abandoned`. `create-check` abandons a run whose job the queue refuses.',
    unit: 'Count',
    dimensions: [],
    by: ['sweep', 'create-check'],
  },
  DeliveryFailure: {
    help: '1 if a try to deliver to a webhook has failed, otherwise 0. The average is the share of failed tries.',
    unit: 'Count',
    dimensions: [],
    by: ['deliver-webhook'],
  },
  OpenPastDue: {
    help: 'Number of due items that a sweep failed on or did not reach. Every sweep that ends emits it, so that the number of samples is the number of sweeps. The log names their partition.',
    unit: 'Count',
    dimensions: [],
    by: ['sweep'],
  },
} as const satisfies Record<
  string,
  { help: string; unit: 'Count' | 'Seconds' | 'Percent'; dimensions: readonly string[]; by: readonly string[] }
>;

export type MetricName = keyof typeof metrics;

/** Dimensions of a metric, without `service`. */
export type DimensionsOf<Name extends MetricName> = Record<(typeof metrics)[Name]['dimensions'][number], string>;
