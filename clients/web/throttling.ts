import { type Throttling, throttlingNames } from '../../shared/throttling.ts';

/** Words for the values of a custom throttling, in the order of the form. */
export const throttlingFields = [
  { name: 'cpuSlowdownMultiplier', label: 'CPU slowdown', unit: 'times' },
  { name: 'rttMs', label: 'Round trip', unit: 'ms' },
  { name: 'throughputKbps', label: 'Throughput', unit: 'kbit/s' },
] as const;

/** Returns true if both are known and differ. An older run doesn't know its throttling. */
export const isOtherThrottling = (a: Throttling | null, b: Throttling | null): boolean => {
  if (a === null || b === null) return false;
  if (a === 'none' || b === 'none') return a !== b;
  return throttlingNames.some((name) => a[name] !== b[name]);
};
