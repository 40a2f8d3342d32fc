import { auditVersion } from '../../shared/audit-versions.ts';
import type { RunnerResult } from './lighthouse-result.ts';
import type { AuditPlan } from './messages.ts';

export type Flags = { skipAudits?: string[]; [name: string]: unknown };
export type TraceGatherer = { endTraceAndCollectEvents(session: unknown): Promise<{ traceEvents: TraceEvent[] }> };
export type AccessibilityGatherer = { prototype: { getArtifact(context: GatherContext): Promise<unknown> } };
type GatherContext = { driver: { defaultSession: { setNextProtocolTimeout(ms: number): void } } };
export type AxeAudit = { audit(this: { meta: { id: string } }, artifacts: unknown): AuditProduct };
type AuditProduct = { score: number | null; errorMessage?: string; notApplicable?: boolean; warnings?: string[] };
export type DefaultConfig = { passes?: { gatherers: string[] }[] }; // passes: version 9 alone
export type AuditArtifacts = (
  flow: { gatherSteps: object[]; name: string },
  config?: object,
) => Promise<{ steps: RunnerResult[] }>;

/**
 * Calls `onMeasured` as the part ends whose timing counts: when the trace does, in all versions. Adds the first meaningful
 * paints that the trace lacks, where the version needs them for TTI and TBT.
 */
export const patchTrace = (
  trace: TraceGatherer,
  { version }: Pick<AuditPlan, 'version'>,
  onMeasured: () => void,
): { addedMeaningfulPaint(): boolean } => {
  let added = false;
  const endTrace = trace.endTraceAndCollectEvents;
  trace.endTraceAndCollectEvents = async (session) => {
    onMeasured();
    const result = await endTrace.call(trace, session);
    if (auditVersion(version).needsMeaningfulPaint) {
      const missing = missingMeaningfulPaints(result.traceEvents);
      result.traceEvents.push(...missing);
      added = missing.length > 0;
    }
    return result;
  };
  return { addedMeaningfulPaint: () => added };
};

/** The parts of a trace event that are read here: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
export type TraceEvent = {
  name: string;
  ts: number;
  args: { data?: { navigationId?: string; isOutermostMainFrame?: boolean } };
};

const MEANINGFUL = /^firstMeaningfulPaint(Candidate)?$/;

/**
 * First meaningful paints that a trace lacks. Lighthouse before 12 has no TTI and no TBT without one, and Chromium tells of
 * none where most of the text comes into view after the network is at rest: where a font is late, or the machine is slow.
 * The largest contentful paint stands in, from which Lighthouse takes TTI since 12.
 */
export const missingMeaningfulPaints = <Event extends TraceEvent>(events: readonly Event[]): Event[] => {
  const painted = new Set<string | undefined>();
  const largest = new Map<string, Event>();
  for (const event of events) {
    const { navigationId, isOutermostMainFrame } = event.args?.data ?? {};
    if (MEANINGFUL.test(event.name)) painted.add(navigationId);
    if (event.name !== 'largestContentfulPaint::Candidate' || !isOutermostMainFrame || !navigationId) continue;
    if (event.ts > (largest.get(navigationId)?.ts ?? 0)) largest.set(navigationId, event);
  }
  return [...largest]
    .filter(([navigationId]) => !painted.has(navigationId))
    .map(([, event]) => ({ ...event, name: 'firstMeaningfulPaintCandidate' }));
};

/** For axe, which takes long on a long document. Lighthouse gives it a minute; here an audit has a limit as a whole. */
export const patchAccessibilityTimeout = (accessibility: AccessibilityGatherer): void => {
  const { getArtifact } = accessibility.prototype;
  accessibility.prototype.getArtifact = function (context) {
    context.driver.defaultSession.setNextProtocolTimeout(ACCESSIBILITY_MS);
    return getArtifact.call(this, context);
  };
};
const ACCESSIBILITY_MS = 85_000;

/** A rule that axe-core can not check on this page is left out: it alone would cost the score. */
export const patchFailedRules = (axeAudit: AxeAudit): { uncheckedRules(): string[] } => {
  const uncheckedRules = new Set<string>();
  const { audit } = axeAudit;
  axeAudit.audit = function (artifacts) {
    const product = audit.call(this, artifacts);
    if (product.errorMessage) uncheckedRules.add(this.meta.id);
    if (!product.errorMessage || uncheckedRules.size > MAX_UNCHECKED) return product;
    return { score: null, notApplicable: true, warnings: [product.errorMessage] };
  };
  return { uncheckedRules: () => [...uncheckedRules] };
};
/** Where more checks fail than these, what is left is no score for accessibility. */
const MAX_UNCHECKED = 3;

/** As later versions do, before all else: of a page that grows it would take longer by the time. */
export const gatherAccessibilityFirst = (defaultConfig: DefaultConfig): void => {
  const rank = (gatherer: string) => (gatherer === 'accessibility' ? 0 : 1);
  defaultConfig.passes?.[0]?.gatherers.sort((a, b) => rank(a) - rank(b));
};

/** The browser keeps no document of over 10 MB, and none that has not ended: this audit alone would cost a score. */
export const auditAgainWithoutCharset = async (
  auditArtifacts: AuditArtifacts,
  result: RunnerResult,
  url: string,
  flags: Flags,
  config: object | undefined,
): Promise<RunnerResult> => {
  if (result.lhr.audits.charset?.scoreDisplayMode !== 'error') return result;
  const skipAudits = [...(flags.skipAudits ?? []), 'charset'];
  const artifacts = { ...result.artifacts, settings: { ...result.artifacts?.settings, skipAudits } };
  const step = { artifacts, name: url, flags: { ...flags, skipAudits } };
  const { steps } = await auditArtifacts({ gatherSteps: [step], name: url }, config);
  return steps[0] as RunnerResult;
};
