/** Audits whose results are times of tasks. If other programs use the CPU, the results are those of the machine. */
export const cpuAudits: readonly string[] = [
  'bootup-time',
  'forced-reflow-insight',
  'inp-breakdown-insight',
  'interaction-to-next-paint-insight',
  'long-tasks',
  'main-thread-tasks',
  'mainthread-work-breakdown',
  'third-parties-insight',
  'third-party-facades',
  'third-party-summary',
];
