import { pageMetrics } from '../../shared/metrics/page-metrics.ts';
import { simulatedNames } from '../../shared/options/simulated-loads.ts';
import type { Simulation, SimulationPreset } from '../../shared/options/simulations.ts';
import type { SimulatedRunView } from '../../shared/options/simulations-schemas.ts';
import { recordOf } from '../../shared/record.ts';
import type { RunView } from '../../shared/run.ts';
import { grouped } from '../../shared/text.ts';
import { plain } from './numbers.ts';

/** Metrics of a simulation, in the order of the tables. */
export const simulatedMetrics = simulatedNames.toSorted((a, b) => pageMetrics[a].place - pageMetrics[b].place);

/** Values of a simulation in words, in the order of `simulationColumns`. */
export const simulationValues = ({ rttMs, throughputKbps, cpuSlowdownMultiplier }: SimulatedRunView): string[] => [
  rttMs === null ? '–' : `${grouped(rttMs, 1)} ms`,
  grouped(throughputKbps),
  `${cpuSlowdownMultiplier}×`,
];
export const simulationColumns = ['RTT', 'kbit/s', 'CPU'] as const;

/** Returns the run with the metrics of a simulation in place of its own. */
export const simulatedRun = (run: RunView, load: SimulatedRunView): RunView => {
  const { performance, ...times } = recordOf(simulatedNames, (name) => plain(load[name]));
  return { ...run, performance, numericValues: { ...run.numericValues, ...times }, spread: null };
};

/**
 * Returns the simulation that a text means: the name of a preset, or a name with values such as `train=800/200/4` (round
 * trip in ms, kbit/s, CPU slowdown). The service refuses other texts, and says which it accepts.
 */
export const simulationFrom = (text: string): Simulation => {
  const [, name, ...values] = /^([^=]*)=([\d.]+)\/([\d.]+)\/([\d.]+)$/.exec(text) ?? [];
  const [rttMs = Number.NaN, throughputKbps = Number.NaN, cpuSlowdownMultiplier = Number.NaN] = values.map(Number);
  if (name === undefined) return text as SimulationPreset;
  return { name, rttMs, throughputKbps, cpuSlowdownMultiplier };
};

/** Returns the text of a simulation, which `simulationFrom` reads. */
export const simulationText = (simulation: Simulation): string => {
  if (typeof simulation === 'string') return simulation;
  const { name, rttMs, throughputKbps, cpuSlowdownMultiplier } = simulation;
  return `${name}=${rttMs}/${throughputKbps}/${cpuSlowdownMultiplier}`;
};
