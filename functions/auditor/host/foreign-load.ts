import { setTimeout as sleep } from 'node:timers/promises';
import { slots } from '../../lib/slots.ts';

export type ForeignLoad = ReturnType<typeof foreignLoad>;

/** CPU time in seconds since some moment: of processes outside the service, and of all CPUs including their idle time. */
export type LoadReading = { foreign: number; capacity: number };

/** Share of the CPU time below which foreign processes hardly change a measurement. */
export const QUIET_SHARE = 0.25;
/** Shortest time over which a share is meaningful, in milliseconds. */
const WINDOW_MS = 100;
/** Interval of the readings while an audit may soon ask, in milliseconds. */
const INTERVAL_MS = 500;
/** Longest wait for a quiet moment, in milliseconds. */
const MAX_WAIT_MS = 5000;

/** Foreign processes keep the CPUs busy, so a retake makes no sense. */
export class BusyHostError extends Error {}

/** Measures how much CPU time processes outside the service use. It reads the CPU times only while an audit watches. */
export const foreignLoad = (read: () => LoadReading | undefined, maxWaitMs = MAX_WAIT_MS) => {
  const retake = slots(1);
  let watchers = 0;
  let timer: NodeJS.Timeout | undefined;
  let readings: { atMs: number; reading: LoadReading }[] = [];
  let staysBusy = false;

  const take = () => {
    const reading = read();
    if (reading) readings = [...readings.slice(-1), { atMs: performance.now(), reading }];
  };

  /** Starts to read the CPU times. The signal and the returned function stop it. */
  const watch = (signal?: AbortSignal): (() => void) => {
    if (watchers++ === 0) {
      readings = [];
      take();
      timer = setInterval(take, INTERVAL_MS).unref();
    }
    let watching = true;
    const stop = () => {
      if (watching && --watchers === 0) clearInterval(timer);
      watching = false;
    };
    signal?.addEventListener('abort', stop, { once: true });
    return stop;
  };

  /** Returns the newest share (0 to 1) of the CPU time that foreign processes used. Undefined if there is none yet. */
  const recentShare = (): number | undefined => {
    const before = readings.findLast(({ atMs }) => performance.now() - atMs >= WINDOW_MS)?.reading;
    const now = before && read();
    return now && Math.max(0, now.foreign - before.foreign) / Math.max(0.01, now.capacity - before.capacity);
  };

  /**
   * Waits until foreign processes leave the CPUs to the service, but at most five seconds. Returns whether they do. A machine
   * that stayed busy for so long gets only one short look each time, until a quiet moment comes.
   */
  const waitForQuiet = async (signal: AbortSignal): Promise<boolean> => {
    const stopWatching = watch();
    try {
      if (readings.length === 0) return true; // the host does not report CPU use
      for (const end = performance.now() + (staysBusy ? WINDOW_MS : maxWaitMs); ; ) {
        const share = recentShare();
        const isQuiet = share !== undefined && share < QUIET_SHARE;
        const isOver = share !== undefined && performance.now() >= end;
        if (isQuiet || isOver) staysBusy = !isQuiet;
        if (isQuiet || isOver) return isQuiet;
        const watchedMs = performance.now() - (readings[0]?.atMs ?? 0);
        await sleep(Math.max(1, WINDOW_MS - (share === undefined ? watchedMs : 0)), undefined, { signal });
      }
    } finally {
      stopWatching();
    }
  };

  /**
   * Waits until a sample can be retaken: no other retake is in flight, and the machine is quiet. Returns the retake, whose
   * disposal ends it. Throws `BusyHostError` if the retake would be contended too.
   */
  const startRetake = async (signal: AbortSignal): Promise<Disposable> => {
    const end = await retake(signal);
    let isQuiet = false;
    try {
      isQuiet = await waitForQuiet(signal);
    } finally {
      if (!isQuiet) end();
    }
    if (!isQuiet) throw new BusyHostError();
    return { [Symbol.dispose]: end };
  };

  return { watch, waitForQuiet, startRetake };
};
