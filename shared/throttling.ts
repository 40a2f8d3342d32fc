import { z } from 'zod';

/** Smallest and largest value that a create accepts. */
export const bounds = {
  rttMs: [1, 5000],
  throughputKbps: [10, 1_000_000],
  cpuSlowdownMultiplier: [1, 20],
} as const;
type Name = keyof typeof bounds;

const valuesWith = (schemaOf: (name: Name) => z.ZodNumber) => ({
  rttMs: schemaOf('rttMs').describe('Round-trip time of the network in milliseconds.'),
  throughputKbps: schemaOf('throughputKbps').describe('Throughput of the network in kilobits per second.'),
  cpuSlowdownMultiplier: schemaOf('cpuSlowdownMultiplier').describe('How much slower than the host the device is.'),
});
const boundedValue = (name: Name): z.ZodNumber => z.number().min(bounds[name][0]).max(bounds[name][1]);

export const Throttling = z.union([z.literal('none'), z.strictObject(valuesWith(boundedValue))]).meta({
  id: 'Throttling',
  description:
    "`none` measures the page at the speed of the host and its network. An object has the values of Lighthouse's simulation. Default: the preset of the device.",
});
export type Throttling = z.infer<typeof Throttling>;

/** Values of the simulated throttling of a run. A stored run may have values outside today's bounds. */
export const ThrottlingValues = z.object(valuesWith(() => z.number()));
export type ThrottlingValues = z.infer<typeof ThrottlingValues>;

const rangeOf = (name: Name): string =>
  `\`${name}\` (${bounds[name].map((bound) => bound.toLocaleString('en')).join(' to ')})`;

/** Says what a create accepts. */
export const acceptedThrottling = `The throttling must be "none", or an object with the numbers ${rangeOf('rttMs')}, ${rangeOf('throughputKbps')} and ${rangeOf('cpuSlowdownMultiplier')}, and no other field.`;

/** Values of each device's preset, which are the same in all audit versions. */
export const presets = {
  mobile: { rttMs: 150, throughputKbps: 1.6 * 1024, cpuSlowdownMultiplier: 4 },
  desktop: { rttMs: 40, throughputKbps: 10 * 1024, cpuSlowdownMultiplier: 1 },
} as const satisfies Record<string, ThrottlingValues>;

type ThrottledRun = {
  device: string;
  environment: { throttling: string | null; throttlingValues: ThrottlingValues | null } | null;
};

/** Returns the throttling of a run as a create takes it, or null if the run doesn't know it. Older runs lack values. */
export const throttlingOf = ({ device, environment }: ThrottledRun): Throttling | null => {
  if (environment?.throttling === 'provided') return 'none';
  if (environment?.throttling !== 'simulate') return null;
  return environment.throttlingValues ?? (presets as Record<string, ThrottlingValues>)[device] ?? null;
};

/** Returns the values as a text that is the same for all runs with the preset of their device. Older runs lack values. */
export const throttlingText = (device: string, values: ThrottlingValues | null): string => {
  const preset = (presets as Record<string, ThrottlingValues>)[device];
  const numbersOf = (of: ThrottlingValues) => [of.rttMs, of.throughputKbps, of.cpuSlowdownMultiplier].join();
  return values && !(preset && numbersOf(values) === numbersOf(preset)) ? numbersOf(values) : 'preset';
};
