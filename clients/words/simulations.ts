import { pageMetrics } from '../../shared/metrics/page-metrics.ts';
import { simulatedNames } from '../../shared/options/simulated-loads.ts';
import type { Simulation, SimulationPreset } from '../../shared/options/simulations.ts';
import type { SimulatedRunView } from '../../shared/options/simulations-schemas.ts';
import type { RunView } from '../../shared/run.ts';
import { grouped } from '../../shared/text.ts';
import { labels, mainMetrics, plain } from './numbers.ts';
import { gradedCell, type Section } from './section.ts';

const simulatedMetrics = simulatedNames.toSorted((a, b) => pageMetrics[a].place - pageMetrics[b].place);

/** Returns the load of a run, simulated for other networks and devices. */
export const simulationSection = (run: RunView): Section => ({
  id: 'simulations',
  title: 'The same load, simulated',
  help: 'Lighthouse simulates one load for other networks and devices. So there is no noise between these rows.',
  columns: ['Simulation', 'RTT', 'kbit/s', 'CPU', ...simulatedMetrics.map((name) => labels[name])],
  minor: simulatedMetrics.filter((name) => !mainMetrics.includes(name)).map((name) => labels[name]),
  rows: (run.simulations ?? []).map((load) => ({
    name: load.name,
    cells: [...throttlingOf(load), ...simulatedMetrics.map((name) => gradedCell(name, plain(load[name]), run.device))],
    note: load.reason,
  })),
});

const throttlingOf = ({ rttMs, throughputKbps, cpuSlowdownMultiplier }: SimulatedRunView): string[] => [
  rttMs === null ? '–' : `${grouped(rttMs, 1)} ms`,
  grouped(throughputKbps),
  `${cpuSlowdownMultiplier}×`,
];

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
