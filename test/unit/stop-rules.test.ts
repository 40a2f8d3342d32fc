import { describe, expect, test } from 'vitest';
import {
  type AuditEnd,
  type AuditorMessage,
  type AuditSummary,
  emptyMainFrame,
  type MainFrame,
} from '../../functions/auditor/messages.ts';
import {
  type AuditEvent,
  type AuditState,
  decide,
  initialState,
  limitsOn,
  type TimerName,
} from '../../functions/auditor/stop-rules.ts';
import { faultOf } from '../../functions/auditor/verdict/faults.ts';
import { observed } from '../support/observation.ts';

const GIB = 2 ** 30;
const limits = limitsOn(16 * GIB);

type Step = readonly [atMs: number, event: AuditEvent];
type Played = { end?: AuditEnd; atMs: number; state: AuditState };

/** Plays events on a clock of its own, and runs the timers that `decide` starts, until the audit ends. */
const play = (...steps: Step[]): Played => {
  let state = initialState;
  let atMs = 0;
  const due = new Map<TimerName, number>();
  const rest = [...steps];
  const nextEvent = (): AuditEvent | undefined => {
    const [timer, timerMs] = [...due].sort(([, one], [, other]) => one - other)[0] ?? [];
    const step = rest[0];
    if (timer && timerMs !== undefined && (!step || timerMs <= step[0])) {
      due.delete(timer);
      atMs = timerMs;
      return { type: 'elapsed', timer };
    }
    if (step) [atMs] = step;
    return rest.shift()?.[1];
  };
  for (let event = nextEvent(); event; event = nextEvent()) {
    const [next, decision] = decide(state, event, limits);
    state = next;
    if ('end' in decision) return { end: decision.end, atMs, state };
    for (const { timer, ms } of decision.start) due.set(timer, atMs + ms);
  }
  return { atMs, state };
};

const browser: AuditorMessage = { type: 'browser', version: 'HeadlessChrome/1', sandbox: true };
/** A timed audit whose browser is ready, and which gets the CPU slot, at 1,000 ms. */
const timed = (...steps: Step[]): Played =>
  play(
    [0, { type: 'started', timed: true }],
    [500, { type: 'ready' }],
    [1000, browser],
    [1000, { type: 'waiting' }],
    [1000, { type: 'cpu-acquired', remainingMs: 119_000 }],
    ...steps,
  );
const untimed = (...steps: Step[]): Played => play([0, { type: 'started', timed: false }], [1000, browser], ...steps);

const url = 'https://example.com/';
const frame = (changes: Partial<MainFrame> = {}): AuditEvent => ({
  type: 'mainFrame',
  record: { ...emptyMainFrame, url, ...changes },
});
const shown = { status: 200, mimeType: 'text/html', navigations: 1 };
const complete = { ...shown, finished: true, everFinished: true, loaded: true, painted: true };
const measured: AuditEvent = { type: 'measured', cpu: { others: 0.1, stolen: 0 } };
const audited: Extract<AuditorMessage, { type: 'audited' }> = {
  type: 'audited',
  summary: { finalUrl: url } as AuditSummary,
  pageAnswers: null,
  document: 'shown',
  status: 200,
};
const stopped = (why: string, detail?: unknown) => ({ how: 'stopped', why, ...(detail ? { detail } : {}) });

test('a page that loads is audited to the end, and the state holds what was observed', () => {
  const { end, atMs, state } = timed(
    [2000, frame()],
    [2500, frame(shown)],
    [3000, frame(complete)],
    [7000, measured],
    [9000, audited],
  );
  const { type: _, ...result } = audited;
  expect({ end, atMs }).toEqual({ end: { how: 'audited', ...result }, atMs: 9000 });
  expect(state).toMatchObject({
    mainFrame: complete,
    chromium: 'HeadlessChrome/1',
    sandbox: true,
    cpu: { others: 0.1, stolen: 0 },
  });
});

test("an auditor's failure and its exit without a result end the audit", () => {
  const failure = { code: 'PAGE_HUNG', message: 'It hung.', browserAlive: true, pageAnswers: false };
  expect(timed([5000, { type: 'failed', ...failure }]).end).toEqual({ how: 'failed', ...failure });
  expect(timed([5000, { type: 'exited' }]).end).toEqual({ how: 'exited' });
});

describe('time limit of an attempt', () => {
  test.each([
    ['timed', timed],
    ['untimed', untimed],
  ])('stops a %s audit after 120 s', (_, run) => {
    expect(run([3000, frame(complete)])).toMatchObject({ end: stopped('audit-timeout'), atMs: 120_000 });
  });

  test('does not run while the auditor waits for the CPU slot', () => {
    const { end, atMs } = play(
      [0, { type: 'started', timed: true }],
      [5000, browser],
      [6000, { type: 'waiting' }],
      [306_000, { type: 'cpu-acquired', remainingMs: 114_000 }],
      [310_000, frame(complete)],
    );
    expect({ end, atMs }).toEqual({ end: stopped('audit-timeout'), atMs: 420_000 });
  });

  test('stops an auditor whose browser does not start', () => {
    const { end, atMs } = play([0, { type: 'started', timed: true }]);
    expect({ end, atMs }).toEqual({ end: stopped('audit-timeout'), atMs: 120_000 });
  });
});

describe('time limit of the first response', () => {
  test('stops an audit 36 s after its timed part began', () => {
    expect(timed([2000, frame()])).toMatchObject({ end: stopped('load-timeout'), atMs: 37_000 });
  });

  test('runs from the start of the browser in an untimed audit', () => {
    expect(untimed([20_000, frame()])).toMatchObject({ end: stopped('load-timeout'), atMs: 37_000 });
  });

  test('does not count a response that the browser has not shown', () => {
    expect(timed([2000, frame({ status: 200 })])).toMatchObject({ end: stopped('load-timeout'), atMs: 37_000 });
  });

  test('stops an audit whose page moves to a document without a response', () => {
    const moved = frame({ navigations: 1, everFinished: true });
    expect(timed([2000, frame(complete)], [3000, moved])).toMatchObject({ end: stopped('load-timeout'), atMs: 37_000 });
  });

  test.each([
    ['a shown document', frame(shown)],
    ['a shown document that began a download', frame({ navigations: 1, failure: 'ERR_ABORTED' })],
    ['a finished document', frame({ finished: true, everFinished: true })],
    ['no document request', frame({ url: null })],
    ['a shown document that can be measured', frame({ navigations: 1, everFinished: true, standsAlone: true })],
  ])('does not stop an audit with %s', (_, event) => {
    expect(timed([2000, event], [50_000, audited]).end).toMatchObject({ how: 'audited' });
  });

  test('does not stop an audit whose page is visited again after measuring', () => {
    const visitedAgain = frame({ navigations: 1, everFinished: true });
    expect(timed([2000, frame(complete)], [30_000, measured], [36_000, visitedAgain], [50_000, audited])).toMatchObject(
      {
        end: { how: 'audited' },
      },
    );
  });
});

describe('time limit of a slow document', () => {
  test('stops an audit whose document is shown but does not end within 60 s', () => {
    expect(timed([2000, frame(shown)])).toMatchObject({ end: stopped('load-timeout'), atMs: 61_000 });
  });

  test.each([
    ['that is measured by then', [40_000, measured] as const],
    ['whose document began a download', [40_000, frame({ navigations: 1, failure: 'ERR_ABORTED' })] as const],
    ['in which an earlier document has arrived', [40_000, frame({ ...shown, everFinished: true })] as const],
  ])('does not stop an audit %s', (_, step) => {
    expect(timed([2000, frame(shown)], step, [70_000, audited]).end).toMatchObject({ how: 'audited' });
  });

  test('does not apply to an untimed audit', () => {
    expect(untimed([2000, frame(shown)], [70_000, audited]).end).toMatchObject({ how: 'audited' });
  });
});

describe('a failed main document', () => {
  const failed = frame({ failure: 'ERR_CONNECTION_REFUSED' });
  const documentFailed = stopped('main-document-failed');

  test('stops the audit after 500 ms', () => {
    expect(timed([2000, failed])).toMatchObject({ end: documentFailed, atMs: 2500 });
    expect(untimed([2000, failed])).toMatchObject({ end: documentFailed, atMs: 2500 });
  });

  test('does not stop the audit if another document follows within 500 ms', () => {
    expect(timed([2000, failed], [2400, frame()], [3000, frame(complete)], [9000, audited]).end).toMatchObject({
      how: 'audited',
    });
  });

  test('stops the audit 500 ms after its newest change', () => {
    const changed = frame({ failure: 'ERR_CONNECTION_REFUSED', navigations: 1 });
    expect(timed([2000, failed], [2300, changed])).toMatchObject({ end: documentFailed, atMs: 2800 });
    expect(timed([2000, failed], [2200, frame()], [2400, failed])).toMatchObject({ end: documentFailed, atMs: 2900 });
  });

  test('stops the audit if the timed part ends within the 500 ms', () => {
    const shownBefore = frame({ ...complete, failure: 'ERR_CONNECTION_REFUSED' });
    expect(timed([2000, shownBefore], [2300, measured])).toMatchObject({ end: documentFailed, atMs: 2500 });
  });

  test('stops the audit although an earlier page was shown', () => {
    const leftForDead = frame({ navigations: 1, failure: 'ERR_CONNECTION_REFUSED' });
    expect(timed([2000, frame(complete)], [3000, leftForDead])).toMatchObject({ end: documentFailed, atMs: 3500 });
  });

  test('stops the audit if it is a download and no page was shown', () => {
    expect(timed([2000, frame({ failure: 'ERR_ABORTED' })])).toMatchObject({ end: documentFailed, atMs: 2500 });
  });

  test('does not stop the audit if it is a download that a shown page began', () => {
    const download = frame({ navigations: 1, everFinished: true, failure: 'ERR_ABORTED' });
    expect(timed([2000, frame(complete)], [3000, download], [9000, audited]).end).toMatchObject({ how: 'audited' });
  });

  test('does not stop the audit on the second visit, after measuring', () => {
    const again = frame({ navigations: 1, everFinished: true, failure: 'ERR_CONNECTION_REFUSED' });
    expect(timed([2000, frame(complete)], [7000, measured], [8000, again], [9000, audited]).end).toMatchObject({
      how: 'audited',
    });
  });

  test('stops the audit after measuring if no page was shown', () => {
    expect(timed([7000, measured], [8000, failed])).toMatchObject({ end: documentFailed, atMs: 8500 });
  });
});

describe('an empty main document', () => {
  const empty = { ...shown, finished: true, everFinished: true, empty: true };

  test('stops the audit after 500 ms', () => {
    expect(timed([2000, frame(empty)])).toMatchObject({ end: stopped('main-document-failed'), atMs: 2500 });
  });

  test('does not stop the audit if something is painted', () => {
    expect(timed([2000, frame({ ...empty, painted: true })], [9000, audited]).end).toMatchObject({ how: 'audited' });
  });
});

describe('a crashed renderer', () => {
  test('stops the audit after 500 ms, also while the main frame navigates', () => {
    const crashed = { ...complete, crashed: true };
    expect(timed([2000, frame(crashed)], [2400, frame({ ...crashed, navigations: 2 })])).toMatchObject({
      end: stopped('page-crashed'),
      atMs: 2500,
    });
  });

  test('is the reason of the stop if its document failed in the same moment', () => {
    const both = frame({ crashed: true, failure: 'ERR_FAILED' });
    expect(timed([2000, both])).toMatchObject({ end: stopped('page-crashed'), atMs: 2500 });
  });

  test('lets an auditor report first', () => {
    const failure = { code: 'TARGET_CRASHED', message: 'It crashed.', browserAlive: true, pageAnswers: null };
    const { end } = timed([2000, frame({ crashed: true })], [2300, { type: 'failed', ...failure }]);
    expect(end).toEqual({ how: 'failed', ...failure });
  });
});

describe('redirects by the page itself', () => {
  test('stop the audit with the 21st document', () => {
    const documents = Array.from({ length: 30 }, (_, i): Step => [2000 + i, frame({ ...shown, navigations: i + 1 })]);
    expect(timed(...documents)).toMatchObject({ end: stopped('redirect-loop'), atMs: 2020 });
  });

  test('do not stop the audit with the 20th document', () => {
    expect(timed([2000, frame({ ...complete, navigations: 20 })], [9000, audited]).end).toMatchObject({
      how: 'audited',
    });
  });
});

describe('a page on which no script may run', () => {
  test('stops the audit when its document has ended', () => {
    const { end, atMs } = timed(
      [2000, frame({ ...shown, scriptless: true })],
      [3000, frame({ ...shown, scriptless: true, finished: true })],
    );
    expect({ end, atMs }).toEqual({
      end: stopped('page-hung', expect.stringContaining('Content-Security-Policy')),
      atMs: 3000,
    });
  });
});

test.each([
  ['bytes', 'page-too-large', /document is larger .* 30 MiB/],
  ['frames', 'page-too-large', /more than 1000 frames/],
  ['nested frames', 'page-too-large', /more than 50 levels/],
  ['dialogs', 'page-hung', /more than 100 dialogs/],
] as const)('a page with too many %s stops the audit as %s', (tooMuch, code, detail) => {
  expect(timed([2000, frame({ ...shown, tooMuch })])).toMatchObject({
    end: stopped(code, expect.stringMatching(detail)),
    atMs: 2000,
  });
});

describe('memory', () => {
  const memory = (browserBytes: number, auditorBytes: number): AuditEvent => ({
    type: 'memory',
    browserBytes,
    auditorBytes,
  });

  test.each([
    ['the browser', memory(4 * GIB + 2 ** 20, 0), / 4097 MiB in the browser/],
    ['the auditor', memory(0, 1.5 * GIB + 1), / 1536 MiB for its trace/],
  ])('of %s above the limit stops the audit', (_, event, detail) => {
    expect(timed([3000, event])).toMatchObject({
      end: stopped('page-too-large', expect.stringMatching(detail)),
      atMs: 3000,
    });
  });

  test('at the limit does not stop the audit', () => {
    expect(timed([3000, memory(4 * GIB, 1.5 * GIB)], [9000, audited]).end).toMatchObject({ how: 'audited' });
  });

  test('on a small machine is limited to a part of it', () => {
    expect(limitsOn(2 * GIB)).toEqual({ attemptMs: 120_000, browserBytes: 1.24 * GIB, auditorBytes: 0.62 * GIB });
  });
});

describe('an audit without progress', () => {
  const loaded: Step[] = [
    [2000, frame({ ...shown, loaded: true, painted: true })],
    [4000, { type: 'measured', cpu: null }],
  ];
  const idle = { isAsked: true, answers: true, windowMs: 5000, browserMs: 10, auditorMs: 5, isLongTask: false };
  /** Pulses every 5 s, each as long after the newest answer. */
  const pulses = (count: number, changes: object, from = 4000): Step[] =>
    Array.from({ length: count }, (_, i) => {
      const silentMs = (i + 1) * 5000;
      return [from + silentMs, { type: 'pulse', silentMs, ...idle, ...changes } as AuditEvent];
    });
  const stalled = { end: { how: 'stopped', why: 'page-stalled' }, atMs: 34_000 };

  test.each([
    ['all is idle', {}],
    ['all is idle and the page runs no scripts', { answers: false }],
    ['the page draws, and one of its promises never settles', { browserMs: 4000 }],
    ['the page runs no scripts and keeps a CPU busy', { answers: false, browserMs: 5000 }],
  ])('ends after 30 s if %s', (_, changes) => {
    expect(timed(...loaded, ...pulses(10, changes))).toMatchObject(stalled);
  });

  test.each([
    ['Lighthouse computes', { isAsked: false, auditorMs: 5000 }],
    ['a long check of the page runs', { answers: false, browserMs: 5000, isLongTask: true }],
    ['the page had little CPU time on a busy machine', { answers: false, browserMs: 1500 }],
    ['the machine hides the processes of the browser', { answers: false, browserMs: null, auditorMs: 0 }],
  ])('goes on while %s', (_, changes) => {
    expect(timed(...loaded, ...pulses(10, changes)).end).toEqual(stopped('audit-timeout'));
  });

  test('ends later if Lighthouse waits for an event, because it may load the page again', () => {
    const end = timed(...loaded, ...pulses(10, { isAsked: false }));
    expect(end).toMatchObject({ ...stalled, atMs: 49_000 });
  });

  test('goes on after a pause of the whole audit', () => {
    const pulse = { type: 'pulse', silentMs: 60_000, ...idle, windowMs: 60_000 } as const;
    expect(timed(...loaded, [64_000, pulse], [65_000, audited]).end).toMatchObject({ how: 'audited' });
  });

  test('goes on if the browser has answered meanwhile', () => {
    expect(timed(...loaded, ...pulses(5, {}), ...pulses(5, {}, 30_000)).end).toEqual(stopped('audit-timeout'));
  });

  test('becomes the fault of the page', () => {
    expect(faultOf(observed({ how: 'stopped', why: 'page-stalled' }))).toMatchObject({
      code: 'page-hung',
      auditCode: 'PAGE_STALLED',
    });
  });
});
