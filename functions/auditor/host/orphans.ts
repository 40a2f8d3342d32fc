import { setTimeout as sleep } from 'node:timers/promises';
import { onLambda } from './free-resources.ts';
import { loadedLibraries } from './libc.ts';
import { allPids, listDir, membersOf, statFieldsOf } from './processes.ts';
import { isAlive } from './stale-entries.ts';

let isTried = false;
let waitpid: ((pid: number, status: null, options: number) => number) | undefined;

/**
 * Makes this process the parent of its descendants whose own parent has exited, and reaps them. Otherwise they pass to
 * process 1. In a container whose process 1 is Node, that process reaps none of them. Each zombie process then counts
 * towards the limit of processes. Process 1 of Lambda reaps none either, but Lambda refuses `prctl`. There the auditor closes
 * its browser so that few remain, and a spent instance is replaced. Node itself can't make these system calls.
 */
export const adoptOrphans = (): void => {
  if (isTried || onLambda()) return;
  isTried = true;
  try {
    const { func, errno } = loadedLibraries();
    const prctl = func('int prctl(int option, unsigned long value)');
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) !== 0) throw new Error(`prctl failed with errno ${errno()}`);
    waitpid = func('int waitpid(int pid, void *status, int options)');
    process.on('SIGCHLD', reapSoon);
  } catch {
    // `canReap` says so.
  }
};

/** Returns true if this process reaps the orphans of its browsers. */
export const canReap = (): boolean => waitpid !== undefined;

/** Time after which a zombie process is an orphan, in milliseconds. Node reaps its own children at once. */
const ORPHAN_MS = 1000;
let willLook = false;
let unreaped = new Map<number, string>();

/**
 * Reaps the orphans that have exited. Only a zombie process that two successive looks find is an orphan. Between the looks
 * Node handles every SIGCHLD, and reaps each child that it started. The kernel sends this signal when the last thread of a
 * process exits, which may be long after its main thread.
 */
const reapSoon = (): void => {
  if (willLook) return;
  willLook = true;
  setTimeout(() => {
    willLook = false;
    const zombies = zombieChildren();
    const orphans = [...zombies].filter(([pid, startedAt]) => unreaped.get(pid) === startedAt);
    for (const [pid] of orphans) {
      reap(pid);
      zombies.delete(pid);
    }
    unreaped = zombies;
    if (unreaped.size > 0) reapSoon();
  }, ORPHAN_MS).unref();
};

/** Returns the zombie processes among this process's children: their pids, and their start times, because pids are reused. */
const zombieChildren = (): Map<number, string> => {
  const zombies = new Map<number, string>();
  for (const pid of allPids()) {
    const fields = statFieldsOf(pid);
    const [state, parent] = fields;
    if (state === 'Z' && Number(parent) === process.pid && !hasThreads(pid)) zombies.set(pid, fields[19] ?? '');
  }
  return zombies;
};

/** Reaps a process. Never call it for a process that Node started: Node would miss its exit. */
const reap = (pid: number): void => void waitpid?.(pid, null, WNOHANG);

const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;

/**
 * Waits up to a second until all processes of a killed group have exited, and reaps those that this process has adopted.
 * Zombie processes count as exited if another process is their parent, because that one may never reap them.
 */
export const waitForGroupExit = async (group: number): Promise<void> => {
  const members = membersOf(group); // one slow scan of /proc is enough, because killed processes start no others
  const adoptable = members.filter((pid) => pid !== group); // Node started the leader, and reaps it
  const haveExited = () => {
    adoptable.forEach(reap);
    return members.length > 0 && members.every((pid) => hasExited(pid, [process.pid, ...members]));
  };
  for (let tries = 0; tries < 100 && !haveExited() && isAlive(-group); tries++) await sleep(10);
};

/** Returns true if a process and all its threads have exited, and none of these parents can reap it. */
const hasExited = (pid: number, parents: readonly number[]): boolean => {
  const [state, parent] = statFieldsOf(pid);
  if (!state) return true;
  return state === 'Z' && !hasThreads(pid) && !parents.includes(Number(parent));
};

/** Returns true if a process has a thread beside its main thread. */
const hasThreads = (pid: number): boolean => listDir(`/proc/${pid}/task`).length > 1;
