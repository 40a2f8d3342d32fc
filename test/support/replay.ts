import type { AuditEnd, MainFrame } from '../../functions/auditor/messages.ts';
import {
  type AuditEvent,
  type AuditState,
  decide,
  initialState,
  limitsOn,
  type TimerName,
} from '../../functions/auditor/stop-rules.ts';
import { initialProgress, next, type Progress, record, type Step } from '../../functions/auditor/verdict/attempts.ts';
import { type AuditResult, judge } from '../../functions/auditor/verdict/judge.ts';
import { anOrder } from './order.ts';
import { missingInSummary, type RecordedAudit, type RecordedEvent } from './recording.ts';

/** The machine that made the recordings had more memory than the limits depend on. */
const limits = limitsOn(16 * 2 ** 30);

/** How and when a replayed audit ended, how many of its events came before, and its verdict. */
export type Replayed = { end: AuditEnd; atMs: number; events: number; verdict: AuditResult };

/** Feeds the events of a recorded audit to `decide`, on a simulated clock, and judges the result. */
export const replay = ({ order, repeated, events, observation }: RecordedAudit): Replayed => {
  let state = initialState;
  let end: AuditEnd | undefined;
  let nowMs = 0;
  const timers = new Map<TimerName, number>();
  const step = (atMs: number, event: AuditEvent) => {
    const [next, decision] = decide(state, event, limits);
    state = next;
    nowMs = atMs;
    if ('end' in decision) end = decision.end;
    else for (const { timer, ms } of decision.start) timers.set(timer, atMs + ms);
  };
  /** Lets all timers before a time elapse, until one ends the audit. */
  const passUntil = (atMs: number) => {
    while (!end) {
      const [first] = [...timers].toSorted(([, a], [, b]) => a - b);
      if (!first || first[1] >= atMs) return;
      const [timer, dueMs] = first;
      timers.delete(timer);
      step(dueMs, { type: 'elapsed', timer });
    }
  };

  let count = 0;
  for (const [atMs, recorded] of events) {
    passUntil(atMs);
    if (end) break;
    step(atMs, eventOf(recorded, state));
    count++;
    if (end) break;
  }
  passUntil(Infinity);
  if (!end) throw new Error('No rule ends this audit.');
  const verdict = judge({
    order: anOrder({ ...order, skipOptionalParts: repeated }),
    ...observation,
    ...observed(state),
    ...fixed(observation),
    end,
  });
  return { end, atMs: nowMs, events: count, verdict };
};

/** A run of one sample on a quiet machine. */
const rules = { samples: 1, timeLeftMs: Infinity };
const time = { startedAt: new Date(0), seconds: 0 };

/** Replays the audits of a run. Returns the progress of the run, and its next step. */
export const replayRun = (audits: readonly RecordedAudit[]): { progress: Progress; step: Step } => {
  const progress = audits.reduce((run, audit) => record(run, replay(audit).verdict, time), initialProgress([]));
  return { progress, step: next(progress, rules) };
};

const eventOf = (recorded: RecordedEvent, { mainFrame }: AuditState): AuditEvent => {
  if (recorded.type === 'mainFrame')
    return { type: 'mainFrame', record: { ...mainFrame, ...recorded.record } as MainFrame };
  if (recorded.type !== 'audited') return recorded;
  return {
    ...recorded,
    summary: { ...missingInSummary, ...recorded.summary, report: Buffer.alloc(0), reportBytes: 0 },
  };
};

const observed = ({ frozen, mainFrame, chromium, sandbox }: AuditState) => ({ frozen, mainFrame, chromium, sandbox });
const fixed = ({ decision }: RecordedAudit['observation']) => ({
  fonts: '5c1b9a7e',
  cpu: { others: 0, stolen: 0 },
  starvedShare: 0,
  stoodStillMs: 0,
  proxyHeldMs: 0,
  shortage: undefined,
  machine: { cpuCount: 2, memoryMiB: 16_384, kernel: 'recorded', host: 'recorded' },
  decisionOn: () => decision ?? undefined,
});
