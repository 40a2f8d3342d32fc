/** Words for the values of a custom throttling, in the order of the form. */
export const throttlingFields = [
  { name: 'cpuSlowdownMultiplier', label: 'CPU slowdown', unit: 'times' },
  { name: 'rttMs', label: 'Round trip', unit: 'ms' },
  { name: 'throughputKbps', label: 'Throughput', unit: 'kbit/s' },
] as const;
