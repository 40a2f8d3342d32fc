import { constants, setPriority } from 'node:os';
import { log } from '../../lib/log.ts';
import { type Slots, slots } from '../../lib/slots.ts';
import type { CpuUse } from '../messages.ts';
import { confine } from './confine.ts';
import { readCpuTimes, startCpuMeter } from './cpu-meter.ts';
import { type ForeignLoad, foreignLoad, type LoadReading } from './foreign-load.ts';
import { ownCpu } from './own-cpu.ts';
import { listDir, membersOf, readText } from './processes.ts';

export type CpuShares = ReturnType<typeof cpuShares>;

/** An auditor in its present state. */
type Auditor = { confined: boolean; settling?: Promise<void> | undefined };

/**
 * Divides the CPUs between auditors, each a session of its own. While one auditor is measured, the others are confined, so
 * that they don't slow it. A session that is killed or removed confines no others.
 */
export const cpuShares = (setConfined = confine, own = ownCpu()) => {
  const auditors = new Map<number, Auditor>();
  const measured = new Set<number>();

  const isSettled = (session: number, auditor: Auditor) =>
    auditors.get(session) !== auditor || auditor.confined === (measured.size > 0 && !measured.has(session));

  /** Changes the state of an auditor until it is as it should be. One change follows another, because each takes time. */
  const change = async (session: number, auditor: Auditor): Promise<void> => {
    while (!isSettled(session, auditor)) {
      auditor.confined = !auditor.confined;
      await setConfined(session, auditor.confined).catch((error: Error) =>
        log.warn('Could not change the CPUs of an audit. Its times may be less steady.', { error }),
      );
    }
    auditor.settling = undefined;
  };
  const settle = async (session: number): Promise<void> => {
    const auditor = auditors.get(session);
    if (!auditor || (!auditor.settling && isSettled(session, auditor))) return;
    auditor.settling ??= change(session, auditor);
    await auditor.settling;
  };
  const settleAll = () => {
    for (const session of auditors.keys()) settle(session);
  };
  return {
    add: (session: number): void => {
      own.add(session);
      auditors.set(session, { confined: false });
      settle(session);
    },
    remove: (session: number): void => {
      own.remove(session);
      auditors.delete(session);
      if (measured.delete(session)) settleAll();
    },
    /** Resolves when `session` may use all CPUs. */
    startMeasuring: async (session: number): Promise<void> => {
      own.setTimed(session, true);
      measured.add(session);
      const settled = settle(session);
      settleAll();
      await settled;
    },
    /** Waits a moment before the change, because the next measurement often starts at once. */
    stopMeasuring: (session: number): void => {
      own.setTimed(session, false);
      measured.delete(session);
      setImmediate(settleAll);
    },
    /** Reads the CPU time of processes outside the service. */
    readForeign: (): LoadReading | undefined => {
      const times = readCpuTimes();
      return times && { foreign: times.busy - times.stolen - own.seconds(), capacity: times.busy + times.idle };
    },
    /** Starts to measure the CPU use that affects a session. The returned function ends the measurement. */
    startMeter: (session: number): (() => CpuUse | null) => startCpuMeter(session, () => own.secondsBeside(session)),
  };
};

/** The semaphore of timed parts, the CPU shares while one of them runs, and the load of foreign processes. */
export type CpuAccess = { slot: Slots; shares: CpuShares; load: ForeignLoad };

/** Returns the access of a machine. Without `avoidsLoad`, no timed part waits for a quiet moment. */
export const cpuAccess = (timedAtOnce: number, avoidsLoad: boolean, shares = cpuShares()): CpuAccess => ({
  slot: slots(timedAtOnce),
  shares,
  load: foreignLoad(avoidsLoad ? shares.readForeign : () => undefined),
});

/**
 * Waits until the group may run its timed part and the machine is quiet. Resolves with a reader of the CPU use since then.
 * Releases the CPU when `timedPart` aborts.
 */
export const acquireCpu = async (
  group: number,
  { slot, shares, load }: CpuAccess,
  timedPart: AbortSignal,
): Promise<() => CpuUse | null> => {
  const releaseSlot = await slot(timedPart);
  if (timedPart.aborted) releaseSlot(); // aborted after the semaphore granted the slot
  timedPart.throwIfAborted();
  const release = () => {
    shares.stopMeasuring(group);
    releaseSlot();
  };
  timedPart.addEventListener('abort', release, { once: true });
  await load.waitForQuiet(timedPart);
  await shares.startMeasuring(group);
  timedPart.throwIfAborted();
  return shares.startMeter(group);
};

/** Lowers the priority of the pages' worker threads in a group. They would otherwise use as much CPU as the auditor. */
export const deprioritizeWorkers = (group: number): void => {
  for (const pid of membersOf(group)) {
    for (const thread of listDir(`/proc/${pid}/task`)) {
      if (!readText(`/proc/${pid}/task/${thread}/comm`)?.startsWith('DedicatedWorker')) continue;
      try {
        setPriority(Number(thread), constants.priority.PRIORITY_LOW);
      } catch {
        // The thread has exited.
      }
    }
  }
};
