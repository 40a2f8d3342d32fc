import { recordOf } from '../record.ts';
import { rangeOf, type ThrottlingValues, throttlingNames } from './throttling.ts';

export const MAX_SIMULATIONS = 8;

type Preset = Partial<ThrottlingValues> & { rtt?: 'measured' };

/**
 * Networks and devices that a check can name instead of their values. A value that a preset lacks is the one of the
 * check's own throttling. The values of `3g` and `4g-slow` are Lighthouse's.
 */
export const simulationPresets = {
  '4g': { rttMs: 170, throughputKbps: 9000 },
  '4g-slow': { rttMs: 150, throughputKbps: 1.6 * 1024 },
  '3g': { rttMs: 300, throughputKbps: 700 },
  'slow-phone': { cpuSlowdownMultiplier: 8 },
  region: { rtt: 'measured' },
} as const satisfies Record<string, Preset>;

export type SimulationPreset = keyof typeof simulationPresets;
export const simulationPresetNames = Object.keys(simulationPresets) as SimulationPreset[];

/** A network and a device for which a check simulates its load. */
export type Simulation = SimulationPreset | ({ name: string } & ThrottlingValues);

export const nameOfSimulation = (simulation: Simulation): string =>
  typeof simulation === 'string' ? simulation : simulation.name;

/** Says what a create accepts. */
export const acceptedSimulations = `The simulations must be a list of 1 to ${MAX_SIMULATIONS}. Each is one of ${simulationPresetNames
  .map((name) => `"${name}"`)
  .join(
    ', ',
  )}, or an object with a \`name\` (1 to 32 of a-z, 0-9, ., _ and -) and the numbers ${throttlingNames.map(rangeOf).join(', ')}, and no other field.`;

/** Values of a simulation. The round-trip time is null if the region did not measure it. */
export type SimulatedValues = Omit<ThrottlingValues, 'rttMs'> & { rttMs: number | null };

/**
 * Returns the values of a simulation. `own` is the throttling of the run, or the preset of its device if it has none.
 * `measuredRttMs` is the round-trip time between the region and the page.
 */
export const valuesOfSimulation = (
  simulation: Simulation,
  { own, measuredRttMs }: { own: ThrottlingValues; measuredRttMs: number | null },
): SimulatedValues => {
  if (typeof simulation !== 'string') return recordOf(throttlingNames, (name) => simulation[name]);
  const { rtt, ...values }: Preset = simulationPresets[simulation];
  return { ...own, ...values, ...(rtt && { rttMs: measuredRttMs }) };
};
