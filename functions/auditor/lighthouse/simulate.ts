import { metricNames, pageMetric } from '../../../shared/metrics/page-metrics.ts';
import { metricsOf } from '../../../shared/metrics/report-metrics.ts';
import { notSimulated, type SimulatedLoad, simulatedNames } from '../../../shared/options/simulated-loads.ts';
import { type Simulation, valuesOfSimulation } from '../../../shared/options/simulations.ts';
import type { Uncorrected } from '../../../shared/options/simulations-schemas.ts';
import { presets, simulatedValuesOf, type ThrottlingValues } from '../../../shared/options/throttling.ts';
import { pick } from '../../../shared/pick.ts';
import { cutText } from '../../../shared/text.ts';
import type { AuditOrder, AuditSummary } from '../messages.ts';
import type { Flags } from './patches.ts';
import type { LighthouseResult, RunnerResult } from './result.ts';
import type { Trace } from './trace.ts';

/** A config with all its defaults. */
export type Config = { settings: Record<string, unknown> };
/** `config` has the same content in version 9 as `resolvedConfig` since version 10. */
export type Runner = {
  audit(
    artifacts: object,
    options: { resolvedConfig: Config; config: Config; computedCache: Map<string, unknown> },
  ): Promise<RunnerResult | undefined>;
};
export type Simulator = {
  runner: Runner;
  resolveConfig: (config: object | undefined, flags: Flags) => Promise<Config>;
};

export type Simulated = Pick<AuditSummary, 'simulations' | 'uncorrected'>;

/** The audits of the performance score. Other audits have no weight in it. */
const onlyAudits = metricNames.flatMap((name) => {
  const { category, audit } = pageMetric(name);
  return category === 'performance' && audit ? [audit] : [];
});

/** A trace after its correction, and as it was recorded. */
export type RecordedTrace = { trace: Trace; recorded: Trace };

type Context = { config: object | undefined; isLate: () => boolean; recorded?: RecordedTrace | undefined };

/**
 * Simulates the load of an audit for other networks and devices, and without the correction of its trace. Runs the metric
 * audits again on the gathered artifacts. After `isLate`, no simulation starts.
 */
export const simulateLoad = async (
  { runner, resolveConfig }: Simulator,
  { lhr, artifacts = { settings: {} } }: RunnerResult,
  { auditVersion, options }: Pick<AuditOrder, 'auditVersion' | 'options'>,
  { config, isLate, recorded }: Context,
): Promise<Simulated> => {
  const own = simulatedValuesOf(options);
  const measuredRttMs = measuredRttOf(lhr);
  const resolved = await resolveConfig(config, { logLevel: 'silent', output: 'json', onlyAudits });

  const metricsWith = async (given: object, throttling: ThrottlingValues): Promise<Uncorrected | Error> => {
    const settings = { ...resolved.settings, throttlingMethod: 'simulate', throttling };
    const audited = { ...resolved, settings };
    const options = { resolvedConfig: audited, config: audited, computedCache: new Map() };
    const result = await runner.audit({ ...given, settings }, options).catch((error: Error) => error);
    if (result instanceof Error) return result;
    return result ? pick(metricsOf(result.lhr, auditVersion), simulatedNames) : new Error('It returned no result.');
  };

  const simulate = async (simulation: Simulation): Promise<SimulatedLoad> => {
    const values = valuesOfSimulation(simulation, { own: own ?? presets[options.device], measuredRttMs });
    const { rttMs } = values;
    if (rttMs === null) return notSimulated(simulation, values, 'The region measured no round-trip time.');
    if (isLate()) return notSimulated(simulation, values, 'The audit took too long to simulate this too.');
    const metrics = await metricsWith(artifacts, { ...values, rttMs });
    if (!(metrics instanceof Error)) return { ...notSimulated(simulation, values, ''), ...metrics, reason: null };
    const message = cutText(metrics.message, MAX_REASON);
    return notSimulated(simulation, values, `Lighthouse could not simulate this: ${message}`);
  };

  const uncorrected = recorded && own && !isLate() && (await metricsWith(withTrace(artifacts, recorded), own));
  const loads: SimulatedLoad[] = [];
  for (const simulation of options.simulations ?? []) loads.push(await simulate(simulation));
  return {
    ...(uncorrected && !(uncorrected instanceof Error) && { uncorrected }),
    ...(options.simulations && { simulations: loads }),
  };
};

/** Returns the artifacts with the recorded trace. Versions keep the trace under different names. */
const withTrace = (artifacts: object, { trace, recorded }: RecordedTrace): object => {
  const replaced = (value: unknown) => (value === trace ? recorded : value);
  const entries = Object.entries(artifacts).map(([name, value]) => [
    name,
    name === 'traces'
      ? Object.fromEntries(Object.entries(value).map(([pass, each]) => [pass, replaced(each)]))
      : replaced(value),
  ]);
  return Object.fromEntries(entries);
};

const MAX_REASON = 300;

/**
 * Returns the round-trip time between the host and the page's nearest server. A simulation adds to it what other servers
 * take longer.
 */
const measuredRttOf = ({ audits }: LighthouseResult): number | null => {
  const times = (audits['network-rtt']?.details?.items ?? []).map(({ rtt = Number.NaN }) => rtt);
  const known = times.filter((ms) => Number.isFinite(ms) && ms > 0);
  return known.length > 0 ? Math.round(Math.min(...known) * 1000) / 1000 : null;
};
