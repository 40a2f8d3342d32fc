import type { RunProblemCode } from '../../shared/problems.ts';
import { type AuditEnd, type AuditorMessage, type CpuUse, emptyMainFrame, type MainFrame } from './messages.ts';

/** Everything that can happen in an audit: the auditor's messages, and what its parent observes and does. */
export type AuditEvent =
  | { type: 'started'; timed: boolean }
  | AuditorMessage
  | { type: 'cpu-acquired'; remainingMs: number } // the timed part begins; the attempt's limit did not run while it waited
  | { type: 'memory'; browserBytes: number; auditorBytes: number }
  | { type: 'elapsed'; timer: TimerName }
  | { type: 'exited' }; // without a result

export type TimerName = 'attempt' | 'first-response' | 'slow-document' | 'failed-document' | 'crash';

/** How an audit ends, or the timers to start. Starting a timer that is running restarts it. */
export type Decision = { end: AuditEnd } | { start: readonly { timer: TimerName; ms: number }[] };

export type AuditState = {
  timed: boolean;
  /** Whether the auditor waits for the CPU slot. */
  waiting: boolean;
  /** Whether the timed part is over. */
  measured: boolean;
  /** Whether the newest main document failed in a way that ends the audit unless another document follows. */
  documentFailed: boolean;
  mainFrame: MainFrame;
  chromium: string | null;
  sandbox: boolean | null;
  cpu: CpuUse | null;
};

export const initialState: AuditState = {
  timed: false,
  waiting: false,
  measured: false,
  documentFailed: false,
  mainFrame: emptyMainFrame,
  chromium: null,
  sandbox: null,
  cpu: null,
};

export type Limits = { attemptMs: number; browserBytes: number; auditorBytes: number };

/** An attempt that is not over by then is killed, whatever it is doing. */
export const HARD_LIMIT_MS = 120_000;
/** A main document that got no answer by then, or none that the browser could show, will get none that counts. */
const FIRST_RESPONSE_MS = 36_000;
/** Lighthouse waits 36 s for a document that comes slowly, and for ever where it neither ends nor shows anything. */
const SLOW_DOCUMENT_MS = 60_000;
/** A failed main document may yet be followed by another: a page that sends itself elsewhere. */
const FAILURE_GRACE_MS = 500;
export const MAX_NAVIGATIONS = 20;

/** What Lighthouse would wait for a page to load, to be idle, and then some. */
export const TIMED_PART_MS = 60_000;
/** Lighthouse hangs on a page that paints nothing as it waits for something, and has no score for it if it does not. */
export const BLANK_PAGE_MS = 20_000;
export const PROBE_TIMEOUT_MS = 5000;
/** After a rejection that nobody awaited, Lighthouse may yet come to its end. */
export const REJECTION_GRACE_MS = 10_000;

/** Decoded, of one main document: what it is as the browser parses it. */
export const MAX_DOCUMENT_BYTES = 30 * 2 ** 20;
export const LARGE_DOCUMENT_BYTES = 10 * 2 ** 20;
export const MAX_FRAMES = 1000;
/** A page that embeds itself has no end of them. */
export const MAX_NESTED_FRAMES = 50;
/** Of one document, each closed at once. One that opens them without end gets no further, and Lighthouse may call it blank. */
export const MAX_DIALOGS = 100;

/**
 * Limits of an audit on a machine with this much memory: for its browser, and for the auditor itself, whose trace a page
 * can make long. 200,000 nodes take 3.6 GiB.
 */
export const limitsOn = (memoryBytes: number, attemptMs = HARD_LIMIT_MS): Limits => {
  const browserBytes = Math.min(4 * 2 ** 30, 0.62 * memoryBytes);
  return { attemptMs, browserBytes, auditorBytes: Math.min(1.5 * 2 ** 30, browserBytes / 2) };
};

/** Returns the state after an event, and what the parent has to do. */
export const decide = (state: AuditState, event: AuditEvent, limits: Limits): [AuditState, Decision] => {
  switch (event.type) {
    case 'started':
      return [{ ...state, timed: event.timed }, start(['attempt', limits.attemptMs])];
    case 'ready':
      return [state, nothing];
    case 'browser':
      return [
        { ...state, chromium: event.version, sandbox: event.sandbox },
        state.timed ? nothing : start(['first-response', FIRST_RESPONSE_MS]),
      ];
    case 'waiting':
      return [{ ...state, waiting: true }, nothing];
    case 'cpu-acquired':
      return [
        { ...state, waiting: false },
        start(
          ['attempt', event.remainingMs],
          ['first-response', FIRST_RESPONSE_MS],
          ['slow-document', SLOW_DOCUMENT_MS],
        ),
      ];
    case 'mainFrame':
      return onMainFrame(state, event.record);
    case 'measured':
      return [{ ...state, measured: true, cpu: event.cpu }, nothing];
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

/** A page that is shown and asks for what it does not show, such as a download, is still the page. */
const hasFailed = ({ failure, navigations, empty, painted }: MainFrame): boolean =>
  failure ? !(navigations > 0 && failure === 'ERR_ABORTED') : empty && !painted;

/** What then fails is no longer what was measured; Lighthouse comes to its end without it. */
const isSecondVisit = (measured: boolean, { navigations }: MainFrame): boolean => measured && navigations > 0;

const onMemory = ({ browserBytes, auditorBytes }: { browserBytes: number; auditorBytes: number }, limits: Limits) => {
  const excess = (what: string) =>
    stop('page-too-large', `The page takes more memory than an audit may have (${what}).`);
  if (browserBytes > limits.browserBytes) return excess(`the browser ${Math.round(browserBytes / 2 ** 20)} MiB`);
  return auditorBytes > limits.auditorBytes ? excess('its trace') : nothing;
};

const onElapsed: Record<TimerName, (state: AuditState) => Decision> = {
  attempt: ({ waiting }) => (waiting ? nothing : stop('audit-timeout')), // for as long as others are measured
  'first-response': ({ measured, mainFrame }) => {
    const { url, status, navigations, finished, failure } = mainFrame;
    const shown = navigations > 0 && status !== null;
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

const SCRIPTLESS = "The page's Content-Security-Policy (sandbox) lets no script run, and an audit asks by scripts.";
const TOO_MUCH: Record<NonNullable<MainFrame['tooMuch']>, [RunProblemCode, string]> = {
  bytes: ['page-too-large', 'The document is larger than the service loads.'],
  frames: ['page-too-large', 'The page opens more frames than the service loads.'],
  'nested frames': ['page-too-large', 'The page nests its frames deeper than the service loads them.'],
  dialogs: ['page-hung', 'The page opens one dialog after another.'],
};
