import type { CpuUse } from '../messages.ts';
import { allPids, readText, statFieldsOf } from './processes.ts';

/**
 * Starts to measure the CPU use of the machine. The returned function ends the measurement. `ownSeconds` returns the CPU
 * time that the service has used so far.
 */
export const startCpuMeter = (ownSeconds: () => number): (() => CpuUse | null) => {
  const [start, ownBefore] = [readCpuTimes(), ownSeconds()];
  return () => {
    const end = readCpuTimes();
    if (!start || !end) return null;
    const busy = end.busy - start.busy;
    const stolen = end.stolen - start.stolen;
    const foreign = busy - stolen - Math.max(0, ownSeconds() - ownBefore);
    const capacity = Math.max(busy + end.idle - start.idle, 1 / HZ);
    return { others: Math.min(1, Math.max(0, foreign) / capacity), stolen: stolen / Math.max(busy, 1 / HZ) };
  };
};

const HZ = 100; // ticks per second in /proc

/** CPU times in seconds. `busy` includes `stolen`, which a hypervisor took. */
type CpuTimes = { busy: number; stolen: number; idle: number };

/** Reads the times of the CPUs that this process may use. Undefined if the host does not report them. */
export const readCpuTimes = (): CpuTimes | undefined => {
  const allowed = allowedCpus();
  const lines = (readText('/proc/stat') ?? '').split('\n').map((line) => line.split(/\s+/));
  const cpuLines = lines.filter(([name = '']) => /^cpu\d/.test(name) && allowed.has(Number(name.slice(3))));
  if (cpuLines.length === 0) return undefined;
  const sum = (field: number) => cpuLines.reduce((all, line) => all + Number(line[field] ?? 0), 0);
  const [user, nice, system, idle, iowait, irq, softirq, steal] = [1, 2, 3, 4, 5, 6, 7, 8].map(sum) as EightNumbers;
  const busy = user + nice + system + irq + softirq + steal;
  return { busy: busy / HZ, stolen: steal / HZ, idle: (idle + iowait) / HZ };
};
type EightNumbers = [number, number, number, number, number, number, number, number];

/** Returns the numbers of the CPUs that this process may use. A container may be limited to some of the host's CPUs. */
export const allowedCpus = (status = readText('/proc/self/status')): Set<number> => {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(status ?? '') ?? [];
  return new Set(
    list
      .split(',')
      .filter(Boolean)
      .flatMap((range) => {
        const [first = 0, last = first] = range.split('-').map(Number);
        return Array.from({ length: last - first + 1 }, (_, i) => first + i);
      }),
  );
};

/** Counts the CPU time of a service: its own process, and auditors, each a process group. */
export const ownCpu = (secondsByGroup = cpuSecondsByGroup) => {
  const auditors = new Set<number>();
  let ended = 0;
  return {
    add: (group: number): void => void auditors.add(group),
    /** Keeps the time of a group whose processes will exit. */
    remove: (group: number): void => {
      if (auditors.delete(group)) ended += secondsByGroup().get(group) ?? 0;
    },
    seconds: (): number => {
      const groups = secondsByGroup();
      const { user, system } = process.cpuUsage();
      return [...auditors].reduce((sum, group) => sum + (groups.get(group) ?? 0), ended + (user + system) / 1e6);
    },
  };
};

/** Returns the CPU time in seconds of each process group: all threads, and the children that its processes have reaped. */
const cpuSecondsByGroup = (): Map<number, number> => {
  const groups = new Map<number, number>();
  for (const pid of allPids()) {
    const fields = statFieldsOf(pid);
    const group = Number(fields[2]);
    const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / HZ;
    groups.set(group, (groups.get(group) ?? 0) + seconds);
  }
  return groups;
};
