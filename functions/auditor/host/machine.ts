import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { availableParallelism, constants, cpus, release, setPriority, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CpuUse } from '../messages.ts';
import { afterName, fieldsOf, listed, membersOf, textOf } from './processes.ts';

/** What a run tells of the machine that measured it. `host` is equal for machines of equal processor, memory and kernel. */
export const machine = () => {
  const cpuCount = availableParallelism();
  const memoryMiB = Math.round(MEMORY_BYTES / 2 ** 20);
  const kernel = release();
  const host = createHash('sha256')
    .update(JSON.stringify([cpus()[0]?.model, cpuCount, memoryMiB, kernel]))
    .digest('hex')
    .slice(0, 12);
  return { cpuCount, memoryMiB, kernel, host };
};

/** Memory in bytes that this machine has, or as much of it as its container may use. */
export const MEMORY_BYTES = Math.min(totalmem(), process.constrainedMemory() || Infinity);

/** Audits that may be measured at once on this machine: a browser keeps more than one core busy. */
export const TIMED_AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));

/**
 * Whether others slowed the group: its threads had to wait for a processor, and it was others who had them. Measured on two
 * processors, pages of heavy scripts: an audit alone comes to 0.00; beside one that is not timed to 0.1 to 0.65, and the
 * median performance is the same within a point; beside an endless loop to 0.5 to 0.9, with nearly twice the total blocking
 * time where scripts come in short tasks; beside that loop and an audit to 0.6 to 1.05; beside as many loops as processors,
 * or more, to 0.9 and above.
 */
export const wasSlowed = ({ others, waited }: CpuUse): boolean => others * waited > 0.6;

/**
 * Whether what was measured may be the machine's. A hypervisor stops tasks in their midst, and little is much: of a page of
 * thirty short tasks the total blocking time was 1.6 to 1.85 s where nothing was stolen, 2.0 s at 0.02, 2.1 to 2.35 s at 0.09,
 * 2.25 to 2.45 s at 0.12 to 0.2.
 */
export const isFalsified = (cpu: CpuUse): boolean => wasSlowed(cpu) || cpu.stolen > 0.1;

/** Measures from now until the function that it gives is called. */
export const startCpuMeter = (group: number): (() => CpuUse | null) => {
  const start = readCpu(group);
  return () => {
    const end = readCpu(group);
    if (!start || !end) return null;
    let ran = 0;
    let waited = 0;
    for (const [pid, process] of end.own) {
      const before = start.own.get(pid);
      ran += process.ran - (before?.ran ?? 0);
      for (const [thread, wait] of process.waits) waited += wait - (before?.waits.get(thread) ?? 0);
    }
    const capacity = Math.max(end.busy + end.idle - start.busy - start.idle, 1 / HZ);
    const taken = Math.min(capacity, Math.max(0, end.busy - start.busy - ran));
    return {
      others: taken / capacity,
      waited: Math.min(waited, taken) / Math.max(ran, 1 / HZ),
      stolen: (end.stolen - start.stolen) / Math.max(end.busy - start.busy, 1 / HZ),
    };
  };
};

/**
 * What each auditor gets of the processors beside others (sched(7), autogroup: it is a session of its own): while one is
 * measured, those that are not get a tenth of its share; else all share alike, with the rest of the machine too. Where Linux
 * does not group by session nothing changes.
 */
export const shares = () => {
  const nices = new Map<number, number>(); // as last set, by session
  const measured = new Set<number>();
  const settle = async (session: number): Promise<void> => {
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
  const settleAll = () => {
    for (const session of nices.keys()) settle(session);
  };
  return {
    add: (session: number): void => {
      nices.set(session, 0);
      settle(session);
    },
    remove: (session: number): void => {
      nices.delete(session);
      if (measured.delete(session)) settleAll();
    },
    /** Resolves when `session` has its full share. */
    startMeasuring: async (session: number): Promise<void> => {
      measured.add(session);
      await settle(session);
      settleAll();
    },
    /** Changes nothing where the next starts in the same moment. */
    stopMeasuring: (session: number): void => {
      measured.delete(session);
      setImmediate(settleAll);
    },
  };
};

/** The workers of a group's pages give way to all else in it: they would have as much of a processor as its auditor. */
export const holdBackWorkers = (group: number): void => {
  for (const pid of membersOf(group)) {
    for (const thread of listed(`/proc/${pid}/task`)) {
      if (!textOf(`/proc/${pid}/task/${thread}/comm`)?.startsWith('DedicatedWorker')) continue;
      try {
        setPriority(Number(thread), constants.priority.PRIORITY_LOW);
      } catch {
        // it ended meanwhile
      }
    }
  }
};

const HZ = 100; // ticks a second in /proc, on every Linux that Node runs on

/** In seconds. Everything of /proc that can be missing may have ended meanwhile. */
const readCpu = (group: number) => {
  const ours = processors();
  const lines = (textOf('/proc/stat') ?? '').split('\n').map((line) => line.split(/\s+/));
  const mine = lines.filter(([name = '']) => /^cpu\d/.test(name) && ours.has(Number(name.slice(3))));
  if (mine.length === 0) return undefined;
  const sum = (field: number) => mine.reduce((all, line) => all + Number(line[field] ?? 0), 0);
  const [user, nice, system, idle, iowait, irq, softirq, steal] = [1, 2, 3, 4, 5, 6, 7, 8].map(sum) as Eight;
  const own = new Map(membersOf(group).map((pid) => [pid, { ran: ranOf(pid), waits: waitsOf(pid) }]));
  const busy = user + nice + system + irq + softirq + steal;
  return { busy: busy / HZ, stolen: steal / HZ, idle: (idle + iowait) / HZ, own };
};

type Eight = [number, number, number, number, number, number, number, number];

/** Those that this process may run on, by number: a container may have a few of its host's. */
const processors = (): Set<number> => {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(textOf('/proc/self/status') ?? '') ?? [];
  return new Set(
    list.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    }),
  );
};

/** Of all threads of a process, those that have ended too. */
const ranOf = (pid: number): number => {
  const [, , , , , , , , , , , user = 0, system = 0] = afterName(pid).map(Number);
  return (user + system) / HZ;
};

/** How long each thread of a process has waited for a processor. */
const waitsOf = (pid: number): Map<string, number> =>
  new Map(
    listed(`/proc/${pid}/task`).map((thread) => [
      thread,
      Number(fieldsOf(`/proc/${pid}/task/${thread}/schedstat`)?.[1] ?? 0) / 1e9,
    ]),
  );
