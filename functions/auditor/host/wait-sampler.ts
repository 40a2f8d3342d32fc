import type { ThreadWaits, Waits } from '../cpu-waits.ts';
import { readCpuTimes } from './cpu-meter.ts';
import { membersOf, readText } from './processes.ts';
import { type OpenThread, openThread, threadsOf } from './run-queue.ts';

/** Interval of the readings, in milliseconds. Shorter ones give the same result. */
const READ_MS = 20;
/** Interval of the looks for new threads, in milliseconds. */
const SCAN_MS = 200;
/** Number of looks at the name of a thread. A page may have thousands of threads, and each look takes time of this process. */
const LOOKS = 5;

/** Threads that a page's main thread may block on, beside the main threads of the browser's other processes. */
const BLOCKED_ON = /^(Compositor|VizCompositorTh|Chrome_ChildIOT|Chrome_IOThread)/;

type Sampled = OpenThread & { pid: number; isPage: boolean; waits: ThreadWaits; readAtUs: number };

/**
 * Samples how long the threads of a browser wait for a CPU: the main threads of pages, and the threads that they may block
 * on. `root` is the process that started the browser. All present threads are known when this returns. The returned function
 * ends the sampling and returns the waits.
 */
export const sampleWaits = (root: number): (() => Waits) => {
  const threads = new Map<number, Sampled>();
  const cpus: NonNullable<Waits['cpus']> = { busy: [], stolen: [] };
  const looks = new Map<number, number>();
  let scannedAtUs: number | undefined;

  /** Returns true for a thread that is not known, and may get another name. */
  const isUnknown = (tid: number): boolean => {
    const seen = looks.get(tid) ?? 0;
    looks.set(tid, seen + 1);
    return seen < LOOKS && !threads.has(tid);
  };
  /** Starts to sample a thread. The kernel counts from its start, and a new thread has started since the previous scan. */
  const add = (pid: number, tid: number) => {
    const thread = openThread(pid, tid);
    const waits: ThreadWaits = scannedAtUs === undefined ? [] : [[scannedAtUs, 0]];
    if (thread) threads.set(tid, { ...thread, pid, isPage: false, waits, readAtUs: scannedAtUs ?? 0 });
  };
  const scan = () => {
    const startedAtUs = nowUs();
    for (const { pid, isPage } of browserProcesses(root)) {
      for (const tid of threadsOf(pid)) if (isUnknown(tid) && isBlockedOn(pid, tid)) add(pid, tid);
      const main = threads.get(pid);
      if (main) main.isPage = isPage; // the zygote starts a renderer under its own name
    }
    read();
    readCpus();
    scannedAtUs = startedAtUs;
  };
  const readCpus = () => {
    const [atUs, times] = [nowUs(), readCpuTimes()];
    if (!times) return;
    cpus.busy.push([atUs, times.busy * 1e6]);
    cpus.stolen.push([atUs, times.stolen * 1e6]);
  };
  const read = () => {
    for (const thread of threads.values()) record(thread);
  };

  scan();
  const timers = [setInterval(read, READ_MS), setInterval(scan, SCAN_MS)];
  return () => {
    for (const timer of timers) clearInterval(timer);
    scan();
    for (const { close } of threads.values()) close();
    const known = [...threads.values()].filter(({ waits }) => waits.length > 0);
    return {
      pages: known.filter(({ isPage }) => isPage).map(({ pid, waits }) => [pid, waits]),
      others: known.filter(({ isPage }) => !isPage).map(({ pid, waits }) => [pid, waits]),
      ...(cpus.busy.length > 0 && { cpus }),
      endUs: nowUs(),
    };
  };
};

/** Returns true for a main thread, and for a thread with one of these names. A thread gets its name after its start. */
const isBlockedOn = (pid: number, tid: number): boolean =>
  tid === pid || BLOCKED_ON.test(readText(`/proc/${pid}/task/${tid}/comm`) ?? '');

/** Adds a reading of a thread. Of readings without a change, only the last one before a change is kept. */
const record = (thread: Sampled): void => {
  const time = thread.read();
  if (!time) return;
  const [atUs, waitedUs] = [nowUs(), Math.round(time.waitedMs * 1000)];
  const last = thread.waits.at(-1);
  if (last && last[1] !== waitedUs && last[0] < thread.readAtUs) thread.waits.push([thread.readAtUs, last[1]]);
  if (last?.[1] !== waitedUs) thread.waits.push([atUs, waitedUs]);
  thread.readAtUs = atUs;
};

/** Reads the clock of a trace, in microseconds. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);

/** Returns the processes of the browser that a process has started. */
const browserProcesses = (root: number): { pid: number; isPage: boolean }[] =>
  descendantsOf(root).flatMap((pid) => {
    const command = readText(`/proc/${pid}/cmdline`) ?? '';
    const isOfBrowser = command.includes('--type=') || command.includes('--remote-debugging-');
    return isOfBrowser ? [{ pid, isPage: command.includes('--type=renderer') }] : [];
  });

const isRenderer = (pid: number): boolean => readText(`/proc/${pid}/cmdline`)?.includes('--type=renderer') === true;

/** Returns the descendants of a process. A kernel may lack the lists of children. Then the process is taken as a group. */
const descendantsOf = (root: number): number[] => {
  const all: number[] = [];
  for (const pids = [root]; pids.length > 0; ) {
    const pid = pids.pop() as number;
    if (isRenderer(pid)) continue; // it starts no process
    const lists = threadsOf(pid).map((tid) => readText(`/proc/${pid}/task/${tid}/children`));
    if (pid === root && lists.every((list) => list === undefined)) return membersOf(root);
    const children = lists.flatMap((list) => list?.split(' ').filter(Boolean).map(Number) ?? []);
    all.push(...children);
    pids.push(...children);
  }
  return all;
};
