import { metricNames, pageMetric } from '../../../shared/page-metrics.ts';
import { pick } from '../../../shared/pick.ts';
import { notSimulated, type SimulatedLoad, simulatedNames } from '../../../shared/simulated-loads.ts';
import { type Simulation, valuesOfSimulation } from '../../../shared/simulations.ts';
import { cutText } from '../../../shared/text.ts';
import { presets, type ThrottlingValues } from '../../../shared/throttling.ts';
import type { AuditOrder } from '../messages.ts';
import type { Flags } from './patches.ts';
import { type LighthouseResult, metricsOf, type RunnerResult } from './result.ts';

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

/** The audits of the performance score. Other audits have no weight in it. */
const onlyAudits = metricNames.flatMap((name) => {
  const { category, audit } = pageMetric(name);
  return category === 'performance' && audit ? [audit] : [];
});

/**
 * Simulates the load of an audit for other networks and devices: repeats the audits of the metrics on the artifacts that
 * the audit gathered. The load is the same for all, so nothing but their values differs. After `isLate`, no simulation starts.
 */
export const simulateLoad = async (
  { runner, resolveConfig }: Simulator,
  { lhr, artifacts }: RunnerResult,
  { auditVersion, options }: Pick<AuditOrder, 'auditVersion' | 'options'>,
  { config, isLate }: { config: object | undefined; isLate: () => boolean },
): Promise<SimulatedLoad[]> => {
  const { throttling, device, simulations = [] } = options;
  const own: ThrottlingValues = typeof throttling === 'object' ? throttling : presets[device];
  const measuredRttMs = measuredRttOf(lhr);
  const resolved = await resolveConfig(config, { logLevel: 'silent', output: 'json', onlyAudits });

  const simulate = async (simulation: Simulation): Promise<SimulatedLoad> => {
    const values = valuesOfSimulation(simulation, { own, measuredRttMs });
    if (values.rttMs === null) return notSimulated(simulation, values, 'The region measured no round-trip time.');
    if (isLate()) return notSimulated(simulation, values, 'The audit took too long to simulate this too.');
    const settings = { ...resolved.settings, throttlingMethod: 'simulate', throttling: values };
    const audited = { ...resolved, settings };
    const options = { resolvedConfig: audited, config: audited, computedCache: new Map() };
    const result = await runner.audit({ ...artifacts, settings }, options).catch((error: Error) => ({ error }));
    if (!result || 'error' in result) {
      const message = result ? cutText(result.error.message, MAX_REASON) : 'It returned no result.';
      return notSimulated(simulation, values, `Lighthouse could not simulate this: ${message}`);
    }
    const metrics = pick(metricsOf(result.lhr, auditVersion), simulatedNames);
    return { ...notSimulated(simulation, values, ''), ...metrics, reason: null };
  };

  const loads: SimulatedLoad[] = [];
  for (const simulation of simulations) loads.push(await simulate(simulation));
  return loads;
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
