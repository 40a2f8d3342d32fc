import { constants, setPriority } from 'node:os';
import { log } from '../../lib/log.ts';
import { type Slots, slots } from '../../lib/slots.ts';
import type { CpuUse } from '../messages.ts';
import { giveRank, type Rank } from './confine.ts';
import { ownCpu, startCpuMeter } from './cpu-meter.ts';
import { listDir, membersOf, readText } from './processes.ts';

export type CpuShares = ReturnType<typeof cpuShares>;

/** An auditor in its present state. */
type Auditor = { rank: Rank; settling?: Promise<void> | undefined };

/**
 * Divides the CPUs between auditors, each a session of its own. While one auditor is measured, the others are confined, so
 * that they don't slow it. The service's own process is the proxy of the measured page, so it gets the same rank. A
 * session that is killed or removed confines no others.
 */
export const cpuShares = (setRank = giveRank) => {
  const own = ownCpu();
  const auditors = new Map<number, Auditor>([[process.pid, { rank: 'usual' }]]);
  const measured = new Set<number>();

  const rankOf = (session: number): Rank => {
    if (measured.size === 0) return 'usual';
    return measured.has(session) || session === process.pid ? 'measured' : 'confined';
  };
  const isSettled = (session: number, auditor: Auditor) =>
    auditors.get(session) !== auditor || auditor.rank === rankOf(session);

  /** Changes the state of an auditor until it is as it should be. One change follows another, because each takes time. */
  const change = async (session: number, auditor: Auditor): Promise<void> => {
    while (!isSettled(session, auditor)) {
      const before = auditor.rank;
      auditor.rank = rankOf(session);
      await setRank(session, auditor.rank, before).catch((error: Error) =>
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
      auditors.set(session, { rank: 'usual' });
      settle(session);
    },
    remove: (session: number): void => {
      own.remove(session);
      auditors.delete(session);
      if (measured.delete(session)) settleAll();
    },
    /** Resolves when `session` may use all CPUs. */
    startMeasuring: async (session: number): Promise<void> => {
      measured.add(session);
      const settled = settle(session);
      settleAll();
      await settled;
    },
    /** Waits a moment before the change, because the next measurement often starts at once. */
    stopMeasuring: (session: number): void => {
      measured.delete(session);
      setImmediate(settleAll);
    },
    /** Starts to measure the CPU use of others. The returned function ends the measurement. */
    startMeter: (): (() => CpuUse | null) => startCpuMeter(own.seconds),
  };
};

/** The semaphore of timed parts, and the CPU shares while one of them runs. */
export type CpuAccess = { slot: Slots; shares: CpuShares };

export const cpuAccess = (timedAtOnce: number, shares = cpuShares()): CpuAccess => ({
  slot: slots(timedAtOnce),
  shares,
});

/**
 * Waits until the group may run its timed part. Resolves with a reader of the CPU use since then. Releases the CPU when
 * `timedPart` aborts.
 */
export const acquireCpu = async (
  group: number,
  { slot, shares }: CpuAccess,
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
  await shares.startMeasuring(group);
  timedPart.throwIfAborted();
  return shares.startMeter();
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
