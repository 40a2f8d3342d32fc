import type { CDPSession } from 'puppeteer-core';
import { membersOf, partOf } from '../host/processes.ts';
import { busyMsByThread } from '../host/run-queue.ts';
import type { ProtocolTraffic } from '../lighthouse/patches.ts';
import type { Pulse } from '../messages.ts';
import { PULSE_MS } from '../stop-rules.ts';
import { canRunScripts } from './page-probe.ts';

/** Reports a pulse every few seconds while the browser answers nothing to Lighthouse. Returns a function that ends this. */
export const watchProgress = (
  session: CDPSession,
  traffic: ProtocolTraffic,
  starvedMs: () => number,
  onPulse: (pulse: Pulse) => void,
): (() => void) => {
  const startedAt = performance.now();
  let before = readCpu();
  let probing = false;
  let starvedBefore = starvedMs(); // at the newest answer, or a little earlier
  let seen = { answeredAt: traffic.answeredAt, starved: starvedBefore };
  const timer = setInterval(async () => {
    const { answeredAt } = traffic;
    if (answeredAt !== seen.answeredAt) starvedBefore = seen.starved;
    seen = { answeredAt, starved: starvedMs() };
    const silentMs = Math.round(
      performance.now() - Math.max(startedAt, answeredAt) - Math.max(0, seen.starved - starvedBefore),
    );
    if (probing || silentMs < PULSE_MS) return;
    probing = true;
    const answers = await canRunScripts(session);
    probing = false;
    const cpu = readCpu();
    const windowMs = cpu.at - before.at;
    onPulse({
      silentMs,
      isAsked: traffic.pending > 0,
      answers,
      windowMs: Math.round(windowMs),
      browserMs: cpu.seesPages ? Math.round(spentBy(cpu.browser, before.browser)) : null,
      auditorMs: Math.round(spentBy(cpu.auditor, before.auditor)),
      isLongTask: traffic.longTasks > 0,
    });
    before = cpu;
  }, PULSE_MS);
  return () => clearInterval(timer);
};

/** Time by thread, in milliseconds. */
type Times = Map<number, number>;

/** Reads how long each thread of the browser and of the auditor was busy. */
const readCpu = (): { at: number; browser: Times; auditor: Times; seesPages: boolean } => {
  const pids = membersOf(process.pid);
  const browser: Times = new Map();
  const auditor: Times = new Map();
  for (const pid of pids) {
    for (const [thread, ms] of busyMsByThread(pid)) (pid === process.pid ? auditor : browser).set(thread, ms);
  }
  return { at: performance.now(), browser, auditor, seesPages: pids.some((pid) => partOf(pid) === 'page') };
};

const spentBy = (times: Times, before: Times): number =>
  [...times].reduce((sum, [thread, ms]) => sum + ms - (before.get(thread) ?? 0), 0);
