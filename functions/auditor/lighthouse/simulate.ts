import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { type MetricName, metricNames, pageMetric } from '../../../shared/metrics/page-metrics.ts';
import type { Metrics } from '../../../shared/metrics/page-metrics-schemas.ts';
import { metricsOf } from '../../../shared/metrics/report-metrics.ts';
import { SteadyTimes } from '../../../shared/metrics/steady-load.ts';
import { notSimulated, type SimulatedLoad, simulatedNames } from '../../../shared/options/simulated-loads.ts';
import { type Simulation, valuesOfSimulation } from '../../../shared/options/simulations.ts';
import { presets, simulatedValuesOf, type ThrottlingValues } from '../../../shared/options/throttling.ts';
import { pick } from '../../../shared/pick.ts';
import { cutText } from '../../../shared/text.ts';
import type { AuditOrder, AuditSummary } from '../messages.ts';
import { scrubberOf } from '../scrub.ts';
import type { Flags, PatchedTrace } from './patches.ts';
import type { LighthouseResult, RunnerResult } from './result.ts';
import { steadyLoadOf } from './steady/steady-load.ts';
import type { Trace, TraceEvent } from './trace.ts';

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

export type Simulated = Pick<AuditSummary, 'simulations' | 'uncorrected' | 'steady'>;

/** Returns the audits of metrics. Other audits have no weight in the performance score. */
const auditsOf = (names: readonly MetricName[]): string[] =>
  names.flatMap((name) => {
    const { category, audit } = pageMetric(name);
    return category === 'performance' && audit ? [audit] : [];
  });

/** A trace as Lighthouse read it, and as it was recorded. */
export type RecordedTrace = Pick<PatchedTrace, 'trace' | 'recorded'> & {
  mainThread: { isCorrected: boolean } | undefined;
};

type Context = { config: object | undefined; isLate: () => boolean; recorded?: RecordedTrace | undefined };

/**
 * Simulates the load of an audit for other networks and devices, without the correction of its trace, and for verdicts. Runs
 * the metric audits again on the gathered artifacts. After `isLate`, no simulation starts.
 */
export const simulateLoad = async (
  simulator: Simulator,
  { lhr, artifacts = { settings: {} } }: RunnerResult,
  { auditVersion, options, url, secrets }: Pick<AuditOrder, 'auditVersion' | 'options' | 'url' | 'secrets'>,
  { config, isLate, recorded }: Context,
): Promise<Simulated> => {
  const own = simulatedValuesOf(options);
  const measuredRttMs = measuredRttOf(lhr);
  const metricsWith = await metricsAgain(simulator, auditVersion, config, metricNames);

  const simulate = async (simulation: Simulation): Promise<SimulatedLoad> => {
    const values = valuesOfSimulation(simulation, { own: own ?? presets[options.device], measuredRttMs });
    const { rttMs } = values;
    if (rttMs === null) return notSimulated(simulation, values, 'The region measured no round-trip time.');
    if (isLate()) return notSimulated(simulation, values, 'The audit took too long to simulate this too.');
    const metrics = await metricsWith(artifacts, { ...values, rttMs });
    if (!(metrics instanceof Error))
      return { ...notSimulated(simulation, values, ''), ...pick(metrics, simulatedNames), reason: null };
    const message = cutText(metrics.message, MAX_REASON);
    return notSimulated(simulation, values, `Lighthouse could not simulate this: ${message}`);
  };

  const asRecorded = recorded?.mainThread?.isCorrected ? withTrace(artifacts, recorded.trace, recorded.recorded) : null;
  const uncorrected = asRecorded && own && !isLate() && (await metricsWith(asRecorded, own));
  const loads: SimulatedLoad[] = [];
  for (const simulation of options.simulations ?? []) loads.push(await simulate(simulation));

  const paintsAgain = await metricsAgain(simulator, auditVersion, config, ['fcp', 'lcp', 'tbt']);
  const timesOf =
    (throttling: ThrottlingValues, { trace }: RecordedTrace) =>
    async (traceEvents: TraceEvent[]) => {
      if (isLate()) return undefined;
      const metrics = await paintsAgain(withTrace(artifacts, trace, { ...trace, traceEvents }), throttling);
      return SteadyTimes.safeParse(metrics).data;
    };
  const documentUrl = lhr.finalDisplayedUrl ?? lhr.finalUrl ?? '';
  const page = { documentUrl, device: options.device, scrub: scrubberOf(secrets, url) };
  const steady = recorded && own && (await steadyLoadOf(recorded.trace.traceEvents, page, timesOf(own, recorded)));
  return {
    ...(uncorrected && !(uncorrected instanceof Error) && { uncorrected: pick(uncorrected, simulatedNames) }),
    ...(options.simulations && { simulations: loads }),
    ...(steady && { steady }),
  };
};

/** Returns a function that computes these metrics of gathered artifacts again. */
const metricsAgain = async (
  { runner, resolveConfig }: Simulator,
  version: AuditVersion,
  config: object | undefined,
  names: readonly MetricName[],
) => {
  const flags = { logLevel: 'silent', output: 'json', onlyAudits: auditsOf(names) };
  const resolved = await resolveConfig(config, flags);
  return async (artifacts: object, throttling: ThrottlingValues): Promise<Metrics | Error> => {
    const settings = { ...resolved.settings, throttlingMethod: 'simulate', throttling };
    const audited = { ...resolved, settings };
    const options = { resolvedConfig: audited, config: audited, computedCache: new Map() };
    const result = await runner.audit({ ...artifacts, settings }, options).catch((error: Error) => error);
    if (result instanceof Error) return result;
    return result ? metricsOf(result.lhr, version) : new Error('It returned no result.');
  };
};

/** Returns the artifacts with another trace. Versions keep the trace under different names. */
const withTrace = (artifacts: object, trace: Trace, by: Trace): object => {
  const replaced = (value: unknown) => (value === trace ? by : value);
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
