import { z } from 'zod';
import { noMetrics } from '../metrics/page-metrics.ts';
import { Metrics, MetricsView, metricsView } from '../metrics/page-metrics-schemas.ts';
import { anyName } from '../name-schemas.ts';
import { pick } from '../pick.ts';
import { type SimulatedLoad, simulatedNames } from './simulated-loads.ts';
import { acceptedSimulations, MAX_SIMULATIONS, type SimulationPreset, simulationPresetNames } from './simulations.ts';
import { boundedValues, ThrottlingValues } from './throttling-schemas.ts';

const Name = z.string().regex(/^[a-z0-9._-]{1,32}$/);

/** Values that a create accepts. The function also refuses a repeated name. */
export const Simulations = z
  .array(
    z.union([z.enum(simulationPresetNames), z.strictObject({ name: Name, ...boundedValues() })], acceptedSimulations),
  )
  .min(1)
  .max(MAX_SIMULATIONS)
  .meta({
    id: 'Simulations',
    description:
      'Networks and devices for which the same load is simulated, each with a name of its own. `region` has the round-trip time that the region measured. The results are in `simulations` of each run.',
  });

/** Simulations as stored. Another release may have other presets. */
export const StoredSimulations = z.array(
  z.union([anyName<SimulationPreset>(), z.object({ name: z.string(), ...ThrottlingValues.shape })]),
);

const resultWith = <Results extends Record<string, z.ZodType>>(results: Results) =>
  z.object({
    name: z.string(),
    ...ThrottlingValues.shape,
    rttMs: z
      .number()
      .nullable()
      .describe('Round-trip time of the network in milliseconds. Null if the region measured none.'),
    ...results,
    reason: z.string().nullable().describe('Why the simulation has no results. Null if it has them.'),
  });

/** Results of a simulation, as stored. */
export const SimulatedRun = resultWith(pick(Metrics.shape, simulatedNames));
/** Results of a simulation, as the API shows them. */
export const SimulatedRunView = resultWith(pick(MetricsView.shape, simulatedNames)).meta({
  id: 'Simulation',
  description: 'The load of the run, simulated for another network and device.',
});
export type SimulatedRunView = z.infer<typeof SimulatedRunView>;

/** Returns a simulation as the API shows it. */
export const simulatedView = (load: SimulatedLoad): SimulatedRunView => ({ ...load, ...uncorrectedView(load) });

/** Lighthouse's own numbers of a load whose times were corrected, as stored. */
export const Uncorrected = z.object(pick(Metrics.shape, simulatedNames));
export type Uncorrected = z.infer<typeof Uncorrected>;
/** The same as the API shows them. */
export const UncorrectedView = z.object(pick(MetricsView.shape, simulatedNames)).meta({
  id: 'Uncorrected',
  description: "Lighthouse's own numbers of the same load, with the time in which the page waited for a CPU.",
});

/** Returns simulated metrics as the API shows them. */
export const uncorrectedView = (metrics: Uncorrected): z.infer<typeof UncorrectedView> =>
  pick(metricsView({ ...noMetrics, ...pick(metrics, simulatedNames) }), simulatedNames);
