import type { CpuUse } from '../messages.ts';
import { fieldsOf, listDir, membersOf, readText, statFieldsOf } from './processes.ts';

/**
 * Returns true if other processes slowed the group: its threads waited for a CPU while others used the CPUs.
 *
 * Values of `others * waited` with script-heavy pages on two CPUs: 0.00 for an audit alone. 0.1 to 0.65 beside an untimed
 * audit, with the same median performance within a point. 0.5 to 0.9 beside an endless loop, with nearly twice the total
 * blocking time of short tasks. 0.6 to 1.05 beside that loop and an audit. 0.9 or more beside one loop per CPU.
 */
export const wasSlowed = ({ others, waited }: CpuUse): boolean => others * waited > 0.6;

/**
 * Returns true if the machine may have changed the measured times. A hypervisor interrupts tasks, so little stolen time has
 * a large effect. A page with thirty short tasks had a total blocking time of 1.6 to 1.85 s without stolen time, 2.0 s at
 * 0.02, 2.1 to 2.35 s at 0.09, and 2.25 to 2.45 s at 0.12 to 0.2.
 */
export const isFalsified = (cpu: CpuUse): boolean => wasSlowed(cpu) || cpu.stolen > 0.1;

/** Starts to measure the CPU use that affects a group. The returned function ends the measurement. */
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

const HZ = 100; // ticks per second in /proc

/** Reads CPU times in seconds. A process may exit meanwhile, so its files in /proc may be missing. */
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

/** Returns the numbers of the CPUs that this process may use. A container may be limited to some of the host's CPUs. */
const allowedCpus = (): Set<number> => {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readText('/proc/self/status') ?? '') ?? [];
  return new Set(
    list.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    }),
  );
};

/** Returns the CPU time of all threads of a process, including exited threads. */
const cpuSecondsOf = (pid: number): number => {
  const [, , , , , , , , , , , user = 0, system = 0] = statFieldsOf(pid).map(Number);
  return (user + system) / HZ;
};

/** Returns the time in seconds that each thread of a process has waited for a CPU. */
const waitSecondsOf = (pid: number): Map<string, number> =>
  new Map(
    listDir(`/proc/${pid}/task`).map((thread) => [
      thread,
      Number(fieldsOf(`/proc/${pid}/task/${thread}/schedstat`)?.[1] ?? 0) / 1e9,
    ]),
  );
