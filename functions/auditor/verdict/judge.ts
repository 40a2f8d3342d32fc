import type { Environment } from '../../../shared/environment.ts';
import { metricNames, pageMetric } from '../../../shared/metrics/page-metrics.ts';
import type { Metrics } from '../../../shared/metrics/page-metrics-schemas.ts';
import type { Category } from '../../../shared/options/audit-options.ts';
import { optionsInEnvironment } from '../../../shared/options/audit-options-schemas.ts';
import { pick } from '../../../shared/pick.ts';
import { type RunError, runError } from '../../../shared/problems.ts';
import type { Run } from '../../../shared/run.ts';
import { AUDIT_REVISION } from '../../../shared/service/version.ts';
import { redact, redactText, redactUrl } from '../../lib/redact.ts';
import { type AuditSummary, categoriesOfOrder } from '../messages.ts';
import { redactedParts, type SampleParts } from '../parts.ts';
import { faultOf } from './faults.ts';
import {
  exceededByteLimit,
  hasPerformance,
  isBlank,
  isErrorPage,
  isErrorStatus,
  type Observation,
  patternOfDocument,
} from './observation.ts';
import { faultOfHost, stoodStill, wasHeld } from './shortage.ts';
import { steadyWarningsOf, warningsOf } from './warnings.ts';

export type AuditResult = Pick<Run, 'blockedRequests' | 'blockedRequestCount'> & {
  environment: Environment | null;
  finalUrl: string | null;
  warnings: string[];
  report?: { gzip: Buffer; bytes: number } & Pick<AuditSummary, 'artifacts'>;
  /** Result of the same load by another release. */
  also?: AuditResult;
} & (
    | ({
        state: 'succeeded';
        metrics: Metrics;
        /** The warnings about parts without noise. `warnings` has them too. */
        steadyWarnings?: string[];
      } & SampleParts)
    | { state: 'failed'; error: RunError }
  );

/** The fields of an audit that reported nothing. */
export const emptyResult = {
  environment: null,
  finalUrl: null,
  warnings: [],
  blockedRequests: [],
  blockedRequestCount: 0,
} satisfies Partial<AuditResult>;

/** Returns the result of an audit: complete metrics, or an error with its code. Page texts are redacted. */
export const judge = (observation: Observation): AuditResult => {
  const { end, order } = observation;
  const result = judgeOne(observation);
  if (end.how !== 'audited' || !end.also || !order.alsoBy) return result;
  const { also: summary, ...audited } = end;
  const also = judgeOne({
    ...observation,
    order: { ...order, auditVersion: order.alsoBy },
    end: { ...audited, summary },
  });
  return { ...result, also };
};

const judgeOne = (observation: Observation): AuditResult => {
  const { end } = observation;
  const summary = end.how === 'audited' ? end.summary : undefined;
  const complete = summary !== undefined && isComplete(summary, observation);
  const finalUrl = finalUrlOf(summary, observation);
  const common = {
    finalUrl,
    ...redact(observation.blocked),
    warnings: warningsOf(summary, finalUrl, observation),
    environment: environmentOf(summary, complete, observation),
    ...(summary && { report: { gzip: summary.report, bytes: summary.reportBytes, ...pick(summary, ['artifacts']) } }),
  };
  if (complete)
    return {
      ...common,
      state: 'succeeded',
      metrics: { ...summary.metrics, mainThreadCpu: wholeMs(summary.mainThread?.ranMs) },
      ...redactedParts(summary),
      steadyWarnings: steadyWarningsOf(summary, observation),
    };

  const { code, auditCode = null, detail } = faultOfHost(faultOf(observation), observation);
  const error = runError(code, {
    auditCode,
    ...(detail && { detail: redactText(detail) }),
    ...(finalUrl && { finalUrl }),
  });
  return { ...common, state: 'failed', error };
};

const finalUrlOf = (summary: AuditSummary | undefined, { mainFrame }: Observation): string | null => {
  const shown = summary?.finalUrl && !isErrorPage(summary) ? summary.finalUrl : mainFrame.url;
  return shown ? redactUrl(shown) : null;
};

/** Returns true if the page loaded without an error and every requested category has its scores and metrics. */
const isComplete = ({ metrics, runtimeError, finalUrl }: AuditSummary, observation: Observation): boolean =>
  !runtimeError &&
  !(
    observation.end.how === 'audited' &&
    (observation.end.document === 'unparsable' || isErrorStatus(observation.end.status))
  ) &&
  !observation.mainFrame.escapedTo &&
  !isBlank(observation) &&
  patternOfDocument(observation) === undefined &&
  !exceededByteLimit(observation) &&
  /^https?:/.test(finalUrl ?? '') &&
  hasMetrics(metrics, categoriesOfOrder(observation.order));

/** Returns true if no metric of these categories is missing. */
const hasMetrics = (metrics: Metrics, categories: readonly Category[]): boolean =>
  metricNames.every((name) => {
    const { category } = pageMetric(name);
    return metrics[name] !== null || !category || !categories.includes(category);
  });

const environmentOf = (
  summary: AuditSummary | undefined,
  complete: boolean,
  observation: Observation,
): Environment | null => {
  const { order, chromium, sandbox, fonts, machine, cpu, starvedShare } = observation;
  if (!chromium) return null;
  return {
    auditVersion: order.auditVersion,
    chromium,
    sandbox,
    fonts,
    revision: AUDIT_REVISION,
    device: order.options.device,
    throttling: summary?.throttling ?? null,
    throttlingValues: summary?.throttlingValues ?? null,
    ...optionsInEnvironment(order.options),
    benchmarkIndex: summary?.benchmarkIndex ?? null,
    benchmarkedAt: summary?.benchmarkedAt ?? null,
    ...machine,
    cpuBusy: rounded(cpu?.others),
    cpuStolen: rounded(cpu?.stolen),
    cpuWaitMs: wholeMs(summary?.mainThread?.waitedMs),
    corrected: summary?.mainThread?.isCorrected ?? null,
    contended:
      stoodStill(observation) ||
      (complete && wasHeld(observation)) ||
      (cpu && (complete && summary ? isDistorted(summary, observation) : starvedShare > MAX_STARVED)),
  };
};

/** Returns true if the load of the machine, or a stop of the browser, may have changed a time, and this was not corrected. */
const isDistorted = ({ mainThread }: AuditSummary, observation: Observation): boolean => {
  const { cpu, frozen } = observation;
  if (!hasPerformance(observation)) return false;
  if (frozen === 'browser' || (cpu?.stolen ?? 0) > MAX_STOLEN) return true;
  if (mainThread?.waitedMs == null) return (cpu?.others ?? 0) > MAX_OTHERS;
  if (mainThread.matters && !mainThread.isCorrected) return true;
  return mainThread.isUnexplained && (cpu?.others ?? 0) > MAX_OTHERS;
};
/** Share of stolen CPU time above which times may be wrong. The part of a thread is only estimated. */
const MAX_STOLEN = 0.1;
/** Share of the CPU time of other processes above which times may be wrong if nobody knows why a thread did not run. */
const MAX_OTHERS = 0.25;
/** Share of the time without a CPU above which a failed audit may have had too little time. */
const MAX_STARVED = 0.1;

const wholeMs = (ms: number | null | undefined): number | null => (ms == null ? null : Math.round(ms));

/** Rounds a share to three decimals. */
const rounded = (share: number | undefined): number | null =>
  share === undefined ? null : Math.round(share * 1000) / 1000;
