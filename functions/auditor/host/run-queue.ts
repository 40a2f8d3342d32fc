import { listDir, readText } from './processes.ts';

/** Time of a thread since its start, in milliseconds: it ran, or it was ready to run and waited for a CPU. */
export type ThreadTime = { ranMs: number; waitedMs: number };

/**
 * Reads the time of a thread, by default of the main thread. The kernel books a wait when it ends, so a wait that goes on is
 * missing. A wait includes the time in which a CPU quota or the share of a session kept the thread from running. Returns
 * undefined if the thread has exited, or the kernel reports no such times.
 */
export const readThreadTime = (pid: number, tid = pid): ThreadTime | undefined => {
  const [ran = 0, waited = 0] = (readText(`/proc/${pid}/task/${tid}/schedstat`) ?? '').split(' ').map(Number);
  return ran > 0 ? { ranMs: ran / 1e6, waitedMs: waited / 1e6 } : undefined;
};

/** Reads how long a thread has waited for a CPU since its start, in milliseconds. */
export const readWaitMs = (pid: number, tid = pid): number | undefined => readThreadTime(pid, tid)?.waitedMs;

/** Returns the ids of the threads of a process. */
export const threadsOf = (pid: number): number[] => listDir(`/proc/${pid}/task`).map(Number);

/**
 * Returns how long the threads of a process have run or have waited for a CPU, in milliseconds. A waiting thread counts as
 * busy, so that no process seems idle because the machine is busy. A thread without readings is missing.
 */
export const busyMsByThread = (pid: number): (readonly [thread: number, ms: number])[] =>
  threadsOf(pid).flatMap((tid) => {
    const time = readThreadTime(pid, tid);
    return time ? [[tid, time.ranMs + time.waitedMs] as const] : [];
  });
