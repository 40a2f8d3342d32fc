// @ts-check

/** @typedef {{ rttMs: number, throughputKbps: number, cpuSlowdownMultiplier: number }} Values */
/** @typedef {'none' | Values} Throttling */

/** Values that a check may set, with their bounds and the presets of the devices. They are those of the API. */
export const throttlingFields = /** @type {const} */ ([
  { name: 'cpuSlowdownMultiplier', label: 'CPU slowdown', unit: 'times', min: 1, max: 20, mobile: 4, desktop: 1 },
  { name: 'rttMs', label: 'Round trip', unit: 'ms', min: 1, max: 5000, mobile: 150, desktop: 40 },
  {
    name: 'throughputKbps',
    label: 'Throughput',
    unit: 'kbit/s',
    min: 10,
    max: 1_000_000,
    mobile: 1638.4,
    desktop: 10_240,
  },
]);

/** @param {Values} values */
export const valuesText = ({ rttMs, throughputKbps, cpuSlowdownMultiplier }) =>
  `${rttMs} ms round trip, ${throughputKbps.toLocaleString('en')} kbit/s and CPU ${cpuSlowdownMultiplier}× slower`;

/**
 * Returns true if both are known and differ. An older run doesn't know its throttling.
 * @param {Throttling | null} a
 * @param {Throttling | null} b
 */
export const isOtherThrottling = (a, b) => {
  if (a === null || b === null) return false;
  if (a === 'none' || b === 'none') return a !== b;
  return throttlingFields.some(({ name }) => a[name] !== b[name]);
};
