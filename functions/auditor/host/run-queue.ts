import { closeSync, openSync, readSync } from 'node:fs';
import { listDir } from './processes.ts';

/** Time of a thread since its start, in milliseconds: it ran, or it was ready to run and waited for a CPU. */
export type ThreadTime = { ranMs: number; waitedMs: number };

/** A thread whose time can be read again and again at little cost. */
export type OpenThread = { read: () => ThreadTime | undefined; close: () => void };

const buffer = Buffer.alloc(96);

/**
 * Opens a thread, by default the main thread of a process. The kernel books a wait when it ends, so a wait that goes on is
 * missing. A wait includes the time in which a CPU quota or the share of a session kept the thread from running. Returns
 * undefined if the thread has exited, or the kernel reports no such times. So does `read`.
 */
export const openThread = (pid: number, tid = pid): OpenThread | undefined => {
  try {
    const file = openSync(`/proc/${pid}/task/${tid}/schedstat`, 'r');
    return { read: () => readTime(file), close: () => closeSync(file) };
  } catch {
    return undefined;
  }
};

const readTime = (file: number): ThreadTime | undefined => {
  try {
    const text = buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
    const [ran = 0, waited = 0] = text.split(' ').map(Number);
    return ran > 0 ? { ranMs: ran / 1e6, waitedMs: waited / 1e6 } : undefined;
  } catch {
    return undefined;
  }
};

/** Reads the time of a thread once. */
export const readThreadTime = (pid: number, tid = pid): ThreadTime | undefined => {
  const thread = openThread(pid, tid);
  const time = thread?.read();
  thread?.close();
  return time;
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
