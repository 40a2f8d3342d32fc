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
 * Returns the share (0 to 1) of the CPU time that neither the audit nor the service used. The service keeps its own untimed
 * parts apart from the timed part, so they are no reason to distrust a number.
 */
const foreignShare = ({ others, own = 0 }: CpuUse): number => Math.max(0, others - own);

/** Returns the use without the service's own share. The group waited for foreign processes in proportion to their share. */
const foreignOnly = (cpu: CpuUse): CpuUse => {
  const others = foreignShare(cpu);
  return { ...cpu, others, waited: others > 0 ? (cpu.waited * others) / cpu.others : 0 };
};

/**
 * Returns true if foreign processes or a hypervisor may have changed the measured times. A hypervisor interrupts tasks, so
 * little stolen time has a large effect. A page with thirty short tasks had a total blocking time of 1.6 to 1.85 s without stolen time, 2.0 s at
 * 0.02, 2.1 to 2.35 s at 0.09, and 2.25 to 2.45 s at 0.12 to 0.2.
 */
export const isFalsified = (cpu: CpuUse): boolean => wasSlowed(foreignOnly(cpu)) || cpu.stolen > 0.1;

/** Returns what a CPU use says about the group's measurement. */
export const contentionOf = (cpu: CpuUse) => ({
  others: foreignShare(cpu),
  stolen: cpu.stolen,
  wasSlowed: wasSlowed(cpu),
  isFalsified: isFalsified(cpu),
  foreignWaitShare: 1 - (1 - cpu.stolen) / (1 + foreignOnly(cpu).waited),
});

/**
 * Starts to measure the CPU use that affects a group. The returned function ends the measurement. `ownSeconds` returns the
 * CPU time that the service has used so far outside the group.
 */
export const startCpuMeter = (group: number, ownSeconds = () => 0): (() => CpuUse | null) => {
  const start = readCpu(group);
  const ownBefore = ownSeconds();
  return () => {
    const end = readCpu(group);
    if (!start || !end) return null;
    let waited = 0;
    for (const [thread, wait] of end.waits) waited += wait - (start.waits.get(thread) ?? 0);
    const ran = Math.max(0, end.ran - start.ran);
    const capacity = Math.max(end.busy + end.idle - start.busy - start.idle, 1 / HZ);
    const taken = Math.min(capacity, Math.max(0, end.busy - start.busy - ran));
    return {
      others: taken / capacity,
      own: Math.min(taken, ownSeconds() - ownBefore) / capacity,
      waited: Math.min(waited, taken) / Math.max(ran, 1 / HZ),
      stolen: (end.stolen - start.stolen) / Math.max(end.busy - start.busy, 1 / HZ),
    };
  };
};

const HZ = 100; // ticks per second in /proc

/** Reads the CPU times of the CPUs that this process may use, in seconds. Undefined if the host does not report them. */
export const readCpuTimes = (): { busy: number; stolen: number; idle: number } | undefined => {
  const allowed = allowedCpus();
  const lines = (readText('/proc/stat') ?? '').split('\n').map((line) => line.split(/\s+/));
  const cpuLines = lines.filter(([name = '']) => /^cpu\d/.test(name) && allowed.has(Number(name.slice(3))));
  if (cpuLines.length === 0) return undefined;
  const sum = (field: number) => cpuLines.reduce((all, line) => all + Number(line[field] ?? 0), 0);
  const [user, nice, system, idle, iowait, irq, softirq, steal] = [1, 2, 3, 4, 5, 6, 7, 8].map(sum) as EightNumbers;
  const busy = user + nice + system + irq + softirq + steal;
  return { busy: busy / HZ, stolen: steal / HZ, idle: (idle + iowait) / HZ };
};

/** Reads CPU times in seconds. A process may exit meanwhile, so its files in /proc may be missing. */
const readCpu = (group: number) => {
  const times = readCpuTimes();
  if (!times) return undefined;
  const members = membersOf(group);
  const ran = members.reduce((all, pid) => all + cpuSecondsOf(statFieldsOf(pid)), 0);
  const waits = new Map(members.flatMap(waitSecondsOf));
  return { ...times, ran, waits };
};

type EightNumbers = [number, number, number, number, number, number, number, number];

/** Returns the numbers of the CPUs that this process may use. A container may be limited to some of the host's CPUs. */
export const allowedCpus = (status = readText('/proc/self/status')): Set<number> => {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(status ?? '') ?? [];
  return new Set(
    list.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    }),
  );
};

/** Returns the CPU time of a process in seconds: all its threads, and the children that it has reaped. */
const cpuSecondsOf = (statFields: readonly string[]): number =>
  statFields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / HZ;

/** Returns the CPU time in seconds of each process group. */
export const cpuSecondsByGroup = (): Map<number, number> => {
  const groups = new Map<number, number>();
  for (const pid of listDir('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statFieldsOf(Number(pid));
    const group = Number(fields[2]);
    groups.set(group, (groups.get(group) ?? 0) + cpuSecondsOf(fields));
  }
  return groups;
};

/** Returns the time in seconds that each thread of a process has waited for a CPU. */
const waitSecondsOf = (pid: number): [thread: string, seconds: number][] =>
  listDir(`/proc/${pid}/task`).map((thread) => [
    thread,
    Number(fieldsOf(`/proc/${pid}/task/${thread}/schedstat`)?.[1] ?? 0) / 1e9,
  ]);
