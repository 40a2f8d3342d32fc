import { metricNames, pageMetrics } from '../metrics/page-metrics.ts';
import { recordOf } from '../record.ts';
import { nameOfSimulation, type SimulatedValues, type Simulation } from './simulations.ts';

export type SimulatedName = {
  [Name in keyof typeof pageMetrics]: (typeof pageMetrics)[Name]['dependsOn'] extends 'device' ? Name : never;
}[keyof typeof pageMetrics];
/** Metrics that depend on the simulated network and device, in the order of the API. */
export const simulatedNames = metricNames.filter(
  (name): name is SimulatedName => pageMetrics[name].dependsOn === 'device',
);

/** The load of a run, simulated for another network and device. `reason` says why it has no results. */
export type SimulatedLoad = { name: string } & SimulatedValues &
  Record<SimulatedName, number | null> & { reason: string | null };

/** Returns a simulation without results. */
export const notSimulated = (simulation: Simulation, values: SimulatedValues, reason: string): SimulatedLoad => ({
  name: nameOfSimulation(simulation),
  ...values,
  ...recordOf(simulatedNames, () => null),
  reason,
});
