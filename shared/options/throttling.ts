import { grouped } from '../text.ts';
/** Smallest and largest value that a create accepts. */
export const bounds = {
  rttMs: [1, 5000],
  throughputKbps: [10, 1_000_000],
  cpuSlowdownMultiplier: [1, 20],
} as const;
export type ThrottlingName = keyof typeof bounds;
export const throttlingNames = Object.keys(bounds) as ThrottlingName[];

/** Values of the simulated throttling of a run. */
export type ThrottlingValues = Record<ThrottlingName, number>;
export type Throttling = 'none' | ThrottlingValues;

export const rangeOf = (name: ThrottlingName): string =>
  `\`${name}\` (${bounds[name].map((bound) => grouped(bound)).join(' to ')})`;

/** Says what a create accepts. */
export const acceptedThrottling = `The throttling must be "none", or an object with the numbers ${rangeOf('rttMs')}, ${rangeOf('throughputKbps')} and ${rangeOf('cpuSlowdownMultiplier')}, and no other field.`;

/** Values of each device's preset, which are the same in all audit versions. */
export const presets = {
  mobile: { rttMs: 150, throughputKbps: 1.6 * 1024, cpuSlowdownMultiplier: 4 },
  desktop: { rttMs: 40, throughputKbps: 10 * 1024, cpuSlowdownMultiplier: 1 },
} as const satisfies Record<string, ThrottlingValues>;

type Throttled = { device: keyof typeof presets; throttling?: Throttling | undefined };

/** Returns the values with which a load is simulated, or null if nothing is simulated. */
export const simulatedValuesOf = ({ device, throttling = presets[device] }: Throttled): ThrottlingValues | null =>
  throttling === 'none' ? null : throttling;

/** Returns the factor by which an audit slows the CPU, or null if it simulates nothing. */
export const slowdownOf = (options: Throttled): number | null =>
  simulatedValuesOf(options)?.cpuSlowdownMultiplier ?? null;

type ThrottledRun = {
  environment: { throttling: string | null; throttlingValues: ThrottlingValues | null } | null;
};

/** Returns the throttling of a run as a create takes it, or null if the run doesn't know it. */
export const throttlingOf = ({ environment }: ThrottledRun): Throttling | null => {
  if (environment?.throttling === 'provided') return 'none';
  if (environment?.throttling !== 'simulate') return null;
  return environment.throttlingValues;
};
