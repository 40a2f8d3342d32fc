import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Slots } from '../../lib/slots.ts';
import type { CpuUse } from '../messages.ts';
import { startCpuMeter } from './cpu-meter.ts';
import { listDir, membersOf, readText } from './processes.ts';

export type CpuShares = ReturnType<typeof cpuShares>;

/**
 * Divides the CPU time between auditors. Each auditor is a session with a nice value of its own (autogroup in sched(7)).
 * While one auditor is measured, others get a tenth of its share. Otherwise all processes of the machine share alike.
 * Without autogroups the functions have no effect.
 */
export const cpuShares = () => {
  const nices = new Map<number, number>(); // current value by session
  const measured = new Set<number>();
  const apply = async (session: number): Promise<void> => {
    for (let tries = 0; tries < 20; tries++) {
      const nice = measured.size === 0 || measured.has(session) ? 0 : 10;
      if ((nices.get(session) ?? nice) === nice) return;
      try {
        writeFileSync(`/proc/${session}/autogroup`, `${nice}`);
        nices.set(session, nice);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        await sleep(50); // the kernel allows ten changes per second by users other than root
      }
    }
  };
  const applyAll = () => {
    for (const session of nices.keys()) apply(session);
  };
  return {
    add: (session: number): void => {
      nices.set(session, 0);
      apply(session);
    },
    remove: (session: number): void => {
      nices.delete(session);
      if (measured.delete(session)) applyAll();
    },
    /** Resolves when `session` has its full share. */
    startMeasuring: async (session: number): Promise<void> => {
      measured.add(session);
      await apply(session);
      applyAll();
    },
    /** Waits a moment before the change, because the next measurement often starts at once. */
    stopMeasuring: (session: number): void => {
      measured.delete(session);
      setImmediate(applyAll);
    },
  };
};

/** The semaphore of timed parts, and the CPU shares while one of them runs. */
export type CpuAccess = { slot: Slots; shares: CpuShares };

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
  return startCpuMeter(group);
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
