import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { listDir, membersOf, readText } from './processes.ts';

export type CpuShares = ReturnType<typeof cpuShares>;

/**
 * What each auditor gets of the processors beside others (sched(7), autogroup: it is a session of its own): while one is
 * measured, those that are not get a tenth of its share; else all share alike, with the rest of the machine too. Where Linux
 * does not group by session nothing changes.
 */
export const cpuShares = () => {
  const nices = new Map<number, number>(); // as last set, by session
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
        await sleep(50); // who is not root may make ten changes a second on the whole machine
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
    /** Changes nothing where the next starts in the same moment. */
    stopMeasuring: (session: number): void => {
      measured.delete(session);
      setImmediate(applyAll);
    },
  };
};

/** The workers of a group's pages give way to all else in it: they would have as much of a processor as its auditor. */
export const deprioritizeWorkers = (group: number): void => {
  for (const pid of membersOf(group)) {
    for (const thread of listDir(`/proc/${pid}/task`)) {
      if (!readText(`/proc/${pid}/task/${thread}/comm`)?.startsWith('DedicatedWorker')) continue;
      try {
        setPriority(Number(thread), constants.priority.PRIORITY_LOW);
      } catch {
        // it ended meanwhile
      }
    }
  }
};
