import type { CpuUse } from '../messages.ts';
import { fieldsOf, listDir, membersOf, readText, statFieldsOf } from './processes.ts';

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
    for (const [pid, process] of end.processes) {
      const before = start.processes.get(pid);
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

const HZ = 100; // ticks a second in /proc, on every Linux that Node runs on

/** In seconds. Everything of /proc that can be missing may have ended meanwhile. */
const readCpu = (group: number) => {
  const allowed = allowedCpus();
  const lines = (readText('/proc/stat') ?? '').split('\n').map((line) => line.split(/\s+/));
  const cpuLines = lines.filter(([name = '']) => /^cpu\d/.test(name) && allowed.has(Number(name.slice(3))));
  if (cpuLines.length === 0) return undefined;
  const sum = (field: number) => cpuLines.reduce((all, line) => all + Number(line[field] ?? 0), 0);
  const [user, nice, system, idle, iowait, irq, softirq, steal] = [1, 2, 3, 4, 5, 6, 7, 8].map(sum) as EightNumbers;
  const processes = new Map(
    membersOf(group).map((pid) => [pid, { ran: cpuSecondsOf(pid), waits: waitSecondsOf(pid) }]),
  );
  const busy = user + nice + system + irq + softirq + steal;
  return { busy: busy / HZ, stolen: steal / HZ, idle: (idle + iowait) / HZ, processes };
};

type EightNumbers = [number, number, number, number, number, number, number, number];

/** Those that this process may run on, by number: a container may have a few of its host's. */
const allowedCpus = (): Set<number> => {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readText('/proc/self/status') ?? '') ?? [];
  return new Set(
    list.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    }),
  );
};

/** Of all threads of a process, those that have ended too. */
const cpuSecondsOf = (pid: number): number => {
  const [, , , , , , , , , , , user = 0, system = 0] = statFieldsOf(pid).map(Number);
  return (user + system) / HZ;
};

/** How long each thread of a process has waited for a processor. */
const waitSecondsOf = (pid: number): Map<string, number> =>
  new Map(
    listDir(`/proc/${pid}/task`).map((thread) => [
      thread,
      Number(fieldsOf(`/proc/${pid}/task/${thread}/schedstat`)?.[1] ?? 0) / 1e9,
    ]),
  );
