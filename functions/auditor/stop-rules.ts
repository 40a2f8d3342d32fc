import type { RunProblemCode } from '../../shared/problems.ts';
import { keepingLoad, type Loaded, type OfLoad } from './interactions/loaded.ts';
import {
  type AuditEnd,
  type AuditorMessage,
  type Benchmark,
  type CpuUse,
  emptyMainFrame,
  type FrozenPart,
  type MainFrame,
  type Pulse,
} from './messages.ts';

/** Everything that can happen in an audit: the auditor's messages, and the observations and actions of its parent. */
export type AuditEvent =
  | { type: 'started'; timed: boolean }
  | Exclude<AuditorMessage, { type: 'measured' }>
  | { type: 'measured'; cpu: CpuUse | null; benchmark?: Benchmark } // the timed part is over
  | { type: 'cpu-acquired'; remainingMs: number } // the timed part begins. The attempt's limit paused during the wait
  | { type: 'memory'; browserBytes: number; auditorBytes: number }
  | { type: 'elapsed'; timer: TimerName }
  | { type: 'exited' }; // without a result

export type TimerName = 'attempt' | 'first-response' | 'slow-document' | 'failed-document' | 'crash';

/** The end of the audit, or the timers to start. Starting a timer that is running restarts it. */
export type Decision = { end: AuditEnd } | { start: readonly { timer: TimerName; ms: number }[] };

export type AuditState = {
  timed: boolean;
  /** True while the auditor waits for the CPU slot. */
  waiting: boolean;
  /** True if the auditor may have requested the page. A timed audit waits for the CPU before. */
  begun: boolean;
  /** True after the timed part. */
  measured: boolean;
  /** True if the newest main document failed, so that the audit ends unless another document follows. */
  documentFailed: boolean;
  /** Time without progress until the newest pulse, in milliseconds. */
  stall: { silentMs: number; idleMs: number; stuckMs: number };
  /** The part that was frozen at any time. */
  frozen: FrozenPart | null;
  mainFrame: MainFrame;
  chromium: string | null;
  sandbox: boolean | null;
  cpu: CpuUse | null;
  loaded: Loaded;
};

export const initialState: AuditState = {
  timed: false,
  waiting: false,
  begun: false,
  measured: false,
  documentFailed: false,
  stall: { silentMs: 0, idleMs: 0, stuckMs: 0 },
  frozen: null,
  mainFrame: emptyMainFrame,
  chromium: null,
  sandbox: null,
  cpu: null,
  loaded: null,
};

export type Limits = { attemptMs: number; browserBytes: number; auditorBytes: number };

/** Time limit of one attempt, in milliseconds. The parent kills the auditor after it. */
export const HARD_LIMIT_MS = 120_000;
/** Time of an attempt after which no simulation of its load starts, in milliseconds. One takes seconds on a busy machine. */
export const LAST_SIMULATION_MS = HARD_LIMIT_MS - 30_000;
/** Time limit for the main document's response, in milliseconds. */
const FIRST_RESPONSE_MS = 36_000;
/** Time limit for the complete main document. Lighthouse waits forever if the document neither ends nor paints. */
const SLOW_DOCUMENT_MS = 60_000;
/** Grace period after a failure. The page may navigate elsewhere, or the auditor may report the crash itself. */
const FAILURE_GRACE_MS = 500;
/** Maximum number of documents that the main frame may show. */
export const MAX_NAVIGATIONS = 20;

/** Time after which the auditor tests whether the page responds. Lighthouse waits less for a page to load and be idle. */
export const TIMED_PART_MS = 60_000;
/** Time limit after measuring for a page that painted nothing. Lighthouse may hang on it, and never gives it a score. */
export const BLANK_PAGE_MS = 20_000;
/** Time in which a page must run a script that tests it. */
export const PROBE_TIMEOUT_MS = 5000;
/** Interval at which the auditor tests whether the browser and the page respond. Most audits are over before the first test. */
export const LIVENESS_MS = 10_000;
/** Interval at which the auditor looks for progress after the timed part. */
export const PULSE_MS = 5000;
/** Time for which one pulse may count. The host may have paused the whole audit for longer. */
const LONGEST_PULSE_MS = PULSE_MS + PROBE_TIMEOUT_MS;
/** Time without progress after which the audit ends. */
export const STALL_MS = 30_000;
/** The same if Lighthouse waits for an event. It waits up to 36 s for a page that it loads again. */
export const EVENT_STALL_MS = 45_000;
/** Share of a CPU below which nothing happens in an audit. */
export const IDLE_SHARE = 0.1;
/** Grace period after an unhandled rejection. Lighthouse may still finish. */
export const REJECTION_GRACE_MS = 10_000;

/** Maximum size of one main document, after decompression. */
export const MAX_DOCUMENT_BYTES = 30 * 2 ** 20;
/** Size above which the browser may be too slow for a document, although the server is fast. */
export const LARGE_DOCUMENT_BYTES = 10 * 2 ** 20;
export const MAX_FRAMES = 1000;
/** Maximum depth of frames. A page that embeds itself would nest them without end. */
export const MAX_NESTED_FRAMES = 50;
/** Maximum number of dialogs of one document. The browser closes each one at once, but an endless series blocks the page. */
export const MAX_DIALOGS = 100;

/**
 * Returns the limits of an audit on a machine with this much memory. A page with 200,000 nodes needs 3.6 GiB in the browser.
 * A page can also make the trace long, which needs memory in the auditor.
 */
export const limitsOn = (memoryBytes: number, attemptMs = HARD_LIMIT_MS): Limits => {
  const browserBytes = Math.min(4 * 2 ** 30, 0.62 * memoryBytes);
  return { attemptMs, browserBytes, auditorBytes: Math.min(1.5 * 2 ** 30, browserBytes / 2) };
};

/** Returns the state after an event, and whether the audit ends or which timers start. */
export const decide = (state: AuditState, event: AuditEvent, limits: Limits): [AuditState, Decision] =>
  keepingLoad(state, event, (each: OfLoad<AuditEvent>) => decideOn(state, each, limits), nothing);

const decideOn = (state: AuditState, event: OfLoad<AuditEvent>, limits: Limits): [AuditState, Decision] => {
  switch (event.type) {
    case 'started':
      return [{ ...state, timed: event.timed }, start(['attempt', limits.attemptMs])];
    case 'ready':
      return [state, nothing];
    case 'browser':
      return [
        { ...state, chromium: event.version, sandbox: event.sandbox, begun: !state.timed },
        state.timed ? nothing : start(['first-response', FIRST_RESPONSE_MS]),
      ];
    case 'waiting':
      return [{ ...state, waiting: true }, nothing];
    case 'cpu-acquired':
      return [{ ...state, waiting: false, begun: true }, startTimedPart(event.remainingMs)];
    case 'mainFrame':
      return onMainFrame(state, event.record);
    case 'measured':
      return [{ ...state, measured: true, cpu: event.cpu }, nothing];
    case 'frozen':
      return [{ ...state, frozen: state.frozen === 'browser' ? 'browser' : event.part }, nothing];
    case 'pulse':
      return onPulse(state, event);
    case 'memory':
      return [state, onMemory(event, limits)];
    case 'elapsed':
      return [state, onElapsed[event.timer](state)];
    case 'audited': {
      const { type: _, ...result } = event;
      return [state, { end: { how: 'audited', ...result } }];
    }
    case 'failed': {
      const { type: _, ...failure } = event;
      return [state, { end: { how: 'failed', ...failure } }];
    }
    case 'exited':
      return [state, { end: { how: 'exited' } }];
  }
};

const startTimedPart = (remainingMs: number): Decision =>
  start(['attempt', remainingMs], ['first-response', FIRST_RESPONSE_MS], ['slow-document', SLOW_DOCUMENT_MS]);

const onMainFrame = (state: AuditState, record: MainFrame): [AuditState, Decision] => {
  const documentFailed = hasFailed(record) && !isSecondVisit(state.measured, record);
  const next = { ...state, mainFrame: record, documentFailed };
  if (record.navigations > MAX_NAVIGATIONS) return [next, stop('redirect-loop')];
  if (record.scriptless && record.finished) return [next, stop('page-hung', SCRIPTLESS)];
  if (record.tooMuch) return [next, stop(...TOO_MUCH[record.tooMuch])];
  const crashed = record.crashed && !state.mainFrame.crashed;
  return [
    next,
    start(
      ...(crashed ? [['crash', FAILURE_GRACE_MS] as const] : []),
      ...(documentFailed ? [['failed-document', FAILURE_GRACE_MS] as const] : []),
    ),
  ];
};

/**
 * Returns true if the document failed or is empty. A download that a visible page starts also aborts a navigation, but the
 * page is still valid.
 */
const hasFailed = ({ failure, navigations, empty, painted }: MainFrame): boolean =>
  failure ? !(navigations > 0 && failure === 'ERR_ABORTED') : empty && !painted;

/** Returns true if Lighthouse has started its second visit. A failure from now on doesn't change the result. */
const isSecondVisit = (measured: boolean, { navigations }: MainFrame): boolean => measured && navigations > 0;

/**
 * Ends an audit without progress. An audit may wait if all processes are idle. It may also wait if the page runs scripts and
 * Lighthouse gets no answer, because a promise never settles. A page that runs no scripts is stuck if the browser has used the
 * CPU that long. Waiting for a CPU counts as using it, so a busy machine changes no verdict.
 */
const onPulse = (state: AuditState, pulse: Pulse): [AuditState, Decision] => {
  const { silentMs, isAsked, answers, windowMs, browserMs, auditorMs, isLongTask } = pulse;
  const before = silentMs > state.stall.silentMs ? state.stall : initialState.stall;
  const stepMs = Math.min(silentMs - before.silentMs, LONGEST_PULSE_MS);
  const hasRun = browserMs === null || browserMs + auditorMs >= IDLE_SHARE * windowMs;
  const isIdle = !hasRun || (answers && isAsked);
  const stall = {
    silentMs,
    idleMs: isIdle ? before.idleMs + stepMs : 0,
    stuckMs: answers || isLongTask ? 0 : before.stuckMs + Math.min(browserMs ?? 0, stepMs),
  };
  const isStalled = stall.idleMs >= (isAsked ? STALL_MS : EVENT_STALL_MS) || stall.stuckMs >= STALL_MS;
  return [{ ...state, stall }, isStalled ? stop('page-stalled') : nothing];
};

const onMemory = ({ browserBytes, auditorBytes }: { browserBytes: number; auditorBytes: number }, limits: Limits) => {
  const exceeded = (bytes: number, where: string) =>
    stop(
      'page-too-large',
      `The page needs more memory than an audit may use: ${Math.round(bytes / 2 ** 20)} MiB ${where}.`,
    );
  if (browserBytes > limits.browserBytes) return exceeded(browserBytes, 'in the browser');
  return auditorBytes > limits.auditorBytes ? exceeded(auditorBytes, 'for its trace') : nothing;
};

const onElapsed: Record<TimerName, (state: AuditState) => Decision> = {
  attempt: ({ waiting }) => (waiting ? nothing : stop('audit-timeout')),
  'first-response': ({ measured, mainFrame }) => {
    const { url, status, navigations, finished, failure, standsAlone } = mainFrame;
    const shown = standsAlone || (navigations > 0 && status !== null);
    const missing = url && !shown && !finished && !failure;
    return missing && !isSecondVisit(measured, mainFrame) ? stop('load-timeout') : nothing;
  },
  'slow-document': ({ measured, mainFrame: { url, everFinished, failure } }) =>
    !measured && url && !everFinished && !failure ? stop('load-timeout') : nothing,
  'failed-document': ({ documentFailed }) => (documentFailed ? stop('main-document-failed') : nothing),
  crash: () => stop('page-crashed'),
};

const nothing: Decision = { start: [] };
const start = (...timers: (readonly [TimerName, number])[]): Decision => ({
  start: timers.map(([timer, ms]) => ({ timer, ms })),
});
const stop = (why: Extract<AuditEnd, { how: 'stopped' }>['why'], detail?: string): Decision => ({
  end: { how: 'stopped', why, ...(detail && { detail }) },
});

const SCRIPTLESS =
  "The page's Content-Security-Policy contains `sandbox` without `allow-scripts`. An audit needs scripts to inspect the page.";
const TOO_MUCH: Record<NonNullable<MainFrame['tooMuch']>, [RunProblemCode, string]> = {
  bytes: ['page-too-large', `The document is larger than the limit of ${MAX_DOCUMENT_BYTES / 2 ** 20} MiB.`],
  frames: ['page-too-large', `The page opened more than ${MAX_FRAMES} frames.`],
  'nested frames': ['page-too-large', `The page nested frames more than ${MAX_NESTED_FRAMES} levels deep.`],
  dialogs: ['page-hung', `The page opened more than ${MAX_DIALOGS} dialogs.`],
};

/** Code of the error of a browser that did not start. */
export const NO_BROWSER = 'NO_BROWSER';
