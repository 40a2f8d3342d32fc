import { type AuditVersion, auditVersion } from '../../../shared/audit-versions.ts';
import { pick } from '../../../shared/pick.ts';
import type { MainThreadCpu, Waits } from '../cpu-waits.ts';
import type { FindFailed } from '../failed-targets.ts';
import type { RunnerResult } from './result.ts';
import type { Trace, TraceEvent } from './trace.ts';
import { withoutWaits } from './waits.ts';

export type Flags = { skipAudits?: string[]; [name: string]: unknown };
export type TraceGatherer = { endTraceAndCollectEvents(session: unknown): Promise<Trace> };
export type AccessibilityGatherer = { prototype: { getArtifact(context: GatherContext): Promise<unknown> } };
type GatherContext = { driver: { defaultSession: { setNextProtocolTimeout(ms: number): void } } };
export type AxeAudit = { audit(this: { meta: { id: string } }, artifacts: unknown): AuditProduct };
type AuditProduct = { score: number | null; errorMessage?: string; notApplicable?: boolean; warnings?: string[] };
export type DefaultConfig = { passes?: { gatherers: string[] }[] }; // passes only in version 9
export type AuditArtifacts = (
  flow: { gatherSteps: object[]; name: string },
  config?: object,
) => Promise<{ steps: RunnerResult[] }>;

/** A trace that Lighthouse reads, and what the service has changed in it. */
export type PatchedTrace = {
  trace: Trace;
  /** The trace as the browser recorded it, with the added paints. */
  recorded: Trace;
  addedMeaningfulPaint: boolean;
  mainThread: MainThreadCpu | undefined;
};

/**
 * Calls `onMeasured` when the trace ends. Removes the waits that it returns from the trace. Adds the first meaningful paints
 * that the trace lacks, if the version needs them for TTI and TBT. `slowdown` is as for `withoutWaits`. The returned function
 * returns the trace.
 */
export const patchTrace = (
  gatherer: TraceGatherer,
  version: AuditVersion,
  slowdown: number | null,
  onMeasured: () => Promise<Waits | undefined>,
): (() => PatchedTrace | undefined) => {
  let patched: PatchedTrace | undefined;
  const endTrace = gatherer.endTraceAndCollectEvents;
  gatherer.endTraceAndCollectEvents = async (session) => {
    gatherer.endTraceAndCollectEvents = endTrace; // the traces of interactions are others
    const measured = onMeasured();
    const trace = await endTrace.call(gatherer, session);
    const { needsMeaningfulPaint } = auditVersion(version);
    const missing = needsMeaningfulPaint ? missingMeaningfulPaints(trace.traceEvents) : [];
    trace.traceEvents.push(...missing);
    const recorded = { ...trace };
    const waits = await measured;
    const corrected = waits && withoutWaits(recorded.traceEvents, waits, slowdown);
    if (corrected) trace.traceEvents = corrected.events;
    const mainThread = corrected && pick(corrected, ['ranMs', 'waitedMs', 'matters', 'isUnexplained', 'isCorrected']);
    patched = { trace, recorded, addedMeaningfulPaint: missing.length > 0, mainThread };
    return trace;
  };
  return () => patched;
};

export type PageFunctions = { computeBenchmarkIndex: () => number };

/** Gives Lighthouse a known benchmark. Lighthouse evaluates the function's source in the page. */
export const patchBenchmark = (pageFunctions: PageFunctions, index: number): void => {
  pageFunctions.computeBenchmarkIndex = Object.assign(() => index, { toString: () => `() => ${index}` });
};

/** The class of formatters of messages. Since version 11 it resolves a locale for each message. */
export type MessageFormat = {
  new (message: string, ...options: unknown[]): object;
  __parse: (message: string, ...options: unknown[]) => unknown;
};
/** The module of the class. Lighthouse takes the class from the property, except for version 10. */
export type MessageFormatModule = { IntlMessageFormat?: MessageFormat; default?: MessageFormat };

const PATCHED = Symbol.for('page-audit.patched');

/**
 * Makes Lighthouse build the formatter of each message once. It formats 600 messages 10,000 times, all in one language.
 * Version 10 parses each message once.
 */
export const patchMessageFormat = (module: MessageFormatModule): void => {
  const MessageFormat = module.default ?? (module as MessageFormat);
  if (PATCHED in MessageFormat) return; // releases of one process may share the class
  Object.defineProperty(MessageFormat, PATCHED, { value: true });
  MessageFormat.__parse = remembering(MessageFormat.__parse);
  const make = remembering((message, ...options) => new MessageFormat(message, ...options));
  const construct = (_: object, [message, ...options]: unknown[]) => make(String(message), ...options);
  const value = new Proxy(MessageFormat, { construct });
  for (const holder of [module, MessageFormat]) Object.defineProperty(holder, 'IntlMessageFormat', { value });
};

/** Returns the function with a memory of its results by the first argument. */
const remembering = <Rest extends unknown[], Result>(compute: (text: string, ...rest: Rest) => Result) => {
  const results = new Map<string, Result>();
  return (text: string, ...rest: Rest): Result => {
    const known = results.get(text);
    if (known) return known;
    const result = compute(text, ...rest);
    results.set(text, result);
    return result;
  };
};

export type NetworkMonitor = { prototype: { getNavigationUrls(): Promise<unknown> } };

/** Calls `onLoaded` when Lighthouse has waited for a page to load, before it notes the page's address. */
export const patchNavigation = (monitor: NetworkMonitor, onLoaded: () => Promise<void>): void => {
  const { getNavigationUrls } = monitor.prototype;
  monitor.prototype.getNavigationUrls = async function () {
    await onLoaded();
    return getNavigationUrls.call(this);
  };
};

const MEANINGFUL = /^firstMeaningfulPaint(Candidate)?$/;

/**
 * Returns the first meaningful paints that a trace lacks. Lighthouse before 12 computes no TTI and TBT without them.
 * Chromium reports none if most text appears after the network is idle, because of a slow font or a slow machine. The
 * largest contentful paint replaces them, as in Lighthouse 12 and later.
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

/** Lighthouse's commands to the browser. `answeredAt` is the time of the newest answer, on the clock of `performance`. */
export type ProtocolTraffic = { pending: number; answeredAt: number; longTasks: number };
export type Protocol = { prototype: Record<string, (...args: unknown[]) => Promise<unknown>> };

/** Returns the name of the method that sends every command. Version 9 has both methods. */
const commandOf = (prototype: Protocol['prototype']) =>
  'sendCommandToSession' in prototype ? 'sendCommandToSession' : 'sendCommand';

export type ProtocolHooks = {
  /** Receives what Lighthouse asks the browser. */
  traffic: ProtocolTraffic;
  /** Returns the request id to use for a request id with which Lighthouse asks for a response. */
  documentFor: (requestId: unknown) => unknown;
  /** Called before Lighthouse navigates. */
  onNavigate: () => void;
  failedTargets?: FindFailed;
};

/** Calls the hooks for Lighthouse's commands. */
export const patchProtocol = ({ prototype }: Protocol, { traffic, documentFor, onNavigate }: ProtocolHooks): void => {
  const name = commandOf(prototype);
  const send = prototype[name];
  if (!send) throw new Error(`Lighthouse's protocol session has no method ${name}.`);
  prototype[name] = function (...args) {
    traffic.pending++;
    if (args[0] === 'Page.navigate') onNavigate();
    const [parameters] = args.slice(-1) as [{ requestId?: unknown } | undefined];
    if (args[0] === 'Network.getResponseBody' && parameters) parameters.requestId = documentFor(parameters.requestId);
    const answer = send.apply(this, args);
    const onEnd = (error?: { code?: string }) => {
      traffic.pending--;
      if (error?.code !== 'PROTOCOL_TIMEOUT') traffic.answeredAt = performance.now();
    };
    answer.then(() => onEnd(), onEnd);
    return answer;
  };
};

/** Blocks the patterns in frames of other sites and in workers too. Lighthouse blocks them only in the target of the page. */
export const blockInAllTargets = ({ prototype }: Protocol, urls: readonly string[]): void => {
  const name = commandOf(prototype);
  const send = prototype[name] as Protocol['prototype'][string];
  prototype[name] = function (...args) {
    const answer = send.apply(this, args);
    const target = name === 'sendCommandToSession' ? args.slice(1, 2) : [];
    if (args[0] === 'Network.enable') {
      send.call(this, 'Network.setBlockedURLs', ...target, { urls }).catch(() => {}); // the target may be gone
    }
    return answer;
  };
};

/** Gives axe-core 85 s instead of Lighthouse's 60 s, because a long document takes longer. */
export const patchAccessibilityTimeout = (accessibility: AccessibilityGatherer, traffic: ProtocolTraffic): void => {
  const { getArtifact } = accessibility.prototype;
  accessibility.prototype.getArtifact = async function (context) {
    context.driver.defaultSession.setNextProtocolTimeout(ACCESSIBILITY_MS);
    traffic.longTasks++;
    try {
      return await getArtifact.call(this, context);
    } finally {
      traffic.longTasks--;
    }
  };
};
const ACCESSIBILITY_MS = 85_000;

/** Makes a rule that axe-core can't check not applicable. Otherwise one rule would cost the accessibility score. */
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
/** If more rules fail, the remaining rules make no meaningful score. */
const MAX_UNCHECKED = 3;

/** Moves the accessibility gatherer to the start, as in later versions. On a page that grows, a later start takes longer. */
export const gatherAccessibilityFirst = (defaultConfig: DefaultConfig): void => {
  const rank = (gatherer: string) => (gatherer === 'accessibility' ? 0 : 1);
  defaultConfig.passes?.[0]?.gatherers.sort((a, b) => rank(a) - rank(b));
};

/**
 * Repeats the audits without `charset`, on the same artifacts, if `charset` failed. The browser keeps no document that exceeds 10 MB
 * or did not finish loading, and one failed audit would cost the score of its category.
 */
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
