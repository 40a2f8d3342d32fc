/** Names of the metrics that functions emit. */
export const metricNames = {
  runFinished: 'RunFinished',
  runFailed: 'RunFailed',
  attemptFailed: 'AttemptFailed',
  jobUnreadable: 'JobUnreadable',
  runsTakenUp: 'RunsTakenUp',
} as const;
