import { allowedCpus } from './cpu-meter.ts';
import { membersOf, readText, statFieldsOf } from './processes.ts';
import { readWaitMs, threadsOf } from './run-queue.ts';

/** Times of a process group in milliseconds. `waits` has each thread that must run before the group answers. */
export type GroupTimes = { atMs: number; ranMs: number; waits: ReadonlyMap<number, number> };

/** Names of the threads that pass messages and paint. The kernel cuts a name after 15 characters. */
const MESSENGER = /^(Chrome_ChildIOT|Chrome_IOThread|Compositor|VizCompositorTh)$/;
/** Age at which a reading is repeated, and at which the list of threads is repeated, in milliseconds. */
const READING_MS = 250;
const LIST_MS = 1000;
const TICK_MS = 10; // of /proc/<pid>/stat

/**
 * Counts the time for which a process group was starved: it wanted to answer, but had no CPU. The returned function returns
 * the total in milliseconds. A time limit that counts this time would blame a page for the load of its machine.
 */
export const starvationOf = (group: number, read = readerOf(group), cpus = allowedCpus().size): (() => number) => {
  let before = read();
  let total = 0;
  return () => {
    if (performance.now() - before.atMs < READING_MS) return total;
    const after = read();
    total += starvedMs(before, after, cpus);
    before = after;
    return total;
  };
};

/**
 * Returns for how long a group was starved between two readings. A group that uses its CPUs waits for itself, so the time
 * that it ran is no starvation. A CPU quota is starvation.
 */
export const starvedMs = (before: GroupTimes, after: GroupTimes, cpus: number): number => {
  let waited = 0;
  for (const [thread, ms] of after.waits) waited += ms - (before.waits.get(thread) ?? 0);
  const ran = Math.max(0, after.ranMs - before.ranMs); // an exited process has taken its time with it
  return Math.max(0, Math.min(waited, after.atMs - before.atMs - ran / Math.max(1, cpus)));
};

const readerOf = (group: number): (() => GroupTimes) => {
  let pids: number[] = [];
  let threads: { pid: number; tid: number }[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - listedAt >= LIST_MS) {
      listedAt = performance.now();
      pids = membersOf(group);
      threads = pids.flatMap(answeringThreads);
    }
    const waits = threads.map(({ pid, tid }) => [tid, readWaitMs(pid, tid) ?? 0] as const);
    return { atMs: performance.now(), ranMs: pids.reduce((sum, pid) => sum + ranMsOf(pid), 0), waits: new Map(waits) };
  };
};

const answeringThreads = (pid: number) =>
  threadsOf(pid)
    .filter((tid) => tid === pid || MESSENGER.test(readText(`/proc/${pid}/task/${tid}/comm`)?.trim() ?? ''))
    .map((tid) => ({ pid, tid }));

const ranMsOf = (pid: number): number => {
  const [user, system] = statFieldsOf(pid).slice(11, 13);
  return (Number(user ?? 0) + Number(system ?? 0)) * TICK_MS;
};
