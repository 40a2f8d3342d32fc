import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import zlib from 'node:zlib';
import type { Random } from './random.ts';
import { type Context, contexts, type Timeline, type TimelineEvent } from './timeline.ts';

/** A timer of a simulated process. */
class SimTimer {
  event: TimelineEvent | undefined;
  ref = () => this;
  unref = () => this;
  hasRef = () => true;
  refresh = () => this;
}

/**
 * Replaces the clock, the timers, the random values and zlib's threads for simulated processes. Code outside of them keeps the real ones.
 * Returns a function that restores everything.
 */
export const replaceGlobals = (timeline: Timeline, random: Random): (() => void) => {
  const real = {
    Date: globalThis.Date,
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
    clearTimeout: globalThis.clearTimeout,
    clearInterval: globalThis.clearInterval,
    sleep: timersPromises.setTimeout,
    random: Math.random,
    randomUUID: crypto.randomUUID,
    webRandomUUID: globalThis.crypto.randomUUID,
    performanceNow: performance.now,
    abortAfter: AbortSignal.timeout,
    gzip: zlib.gzip,
    gunzip: zlib.gunzip,
  };
  const clockOf = ({ process }: Context) => timeline.wallNow() + process.clockOffset;

  class SimDate extends real.Date {
    constructor(...args: unknown[]) {
      const context = args.length === 0 ? contexts.getStore() : undefined;
      super(...((context ? [clockOf(context)] : args) as [number]));
    }
    static override now(): number {
      const context = contexts.getStore();
      return context ? clockOf(context) : real.Date.now();
    }
    static override [Symbol.hasInstance](value: unknown): boolean {
      return Object.prototype.toString.call(value) === '[object Date]';
    }
  }

  const startTimer = (run: () => void, ms: number, repeat: boolean): SimTimer => {
    const timer = new SimTimer();
    const context = contexts.getStore() as Context;
    const start = () => {
      timer.event = timeline.after(Math.max(1, ms || 0), fire, context);
    };
    const fire = () => {
      if (repeat) start();
      run();
    };
    start();
    return timer;
  };
  const timerOr =
    <F>(realOne: F, repeat: boolean) =>
    (run: (...args: unknown[]) => void, ms: number, ...args: unknown[]) =>
      contexts.getStore()
        ? startTimer(() => run(...args), ms, repeat)
        : (realOne as typeof setTimeout)(run, ms, ...args);
  const clear =
    <F>(realOne: F) =>
    (timer: unknown) => {
      if (!(timer instanceof SimTimer)) return (realOne as typeof clearTimeout)(timer as never);
      if (timer.event) timeline.cancel(timer.event);
    };

  const sleep = (ms: number, value?: unknown, options: { signal?: AbortSignal } = {}) => {
    if (!contexts.getStore()) return real.sleep(ms, value, options);
    const { signal } = options;
    return new Promise((resolve, reject) => {
      const abort = () =>
        reject(Object.assign(new Error('aborted', { cause: signal?.reason }), { name: 'AbortError' }));
      if (signal?.aborted) return abort();
      const timer = startTimer(() => resolve(value), ms, false);
      signal?.addEventListener('abort', () => {
        if (timer.event) timeline.cancel(timer.event);
        abort();
      });
    });
  };

  const abortAfter = (ms: number): AbortSignal => {
    if (!contexts.getStore()) return real.abortAfter.call(AbortSignal, ms);
    const controller = new AbortController();
    startTimer(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms, false);
    return controller.signal;
  };

  /** Answers before the next event. The threads of zlib answer at a time that depends on the load of the machine. */
  const atOnce = <F>(realOne: F, compute: (...args: never[]) => Buffer): F =>
    ((...args: unknown[]) => {
      if (!contexts.getStore()) return (realOne as (...all: unknown[]) => void)(...args);
      const done = args.pop() as (error: unknown, result?: Buffer) => void;
      try {
        const result = compute(...(args as never[]));
        process.nextTick(done, null, result);
      } catch (error) {
        process.nextTick(done, error);
      }
    }) as F;

  const install = (all: typeof real) => {
    globalThis.Date = all.Date;
    globalThis.setTimeout = all.setTimeout;
    globalThis.setInterval = all.setInterval;
    globalThis.clearTimeout = all.clearTimeout;
    globalThis.clearInterval = all.clearInterval;
    timersPromises.setTimeout = all.sleep;
    Math.random = all.random;
    crypto.randomUUID = all.randomUUID;
    globalThis.crypto.randomUUID = all.webRandomUUID;
    performance.now = all.performanceNow;
    AbortSignal.timeout = all.abortAfter;
    zlib.gzip = all.gzip;
    zlib.gunzip = all.gunzip;
    syncBuiltinESMExports(); // also for `import { randomUUID } from 'node:crypto'`
  };
  const seededUuid = () => (contexts.getStore() ? random.uuid() : real.randomUUID());
  install({
    Date: SimDate as DateConstructor,
    setTimeout: timerOr(real.setTimeout, false) as unknown as typeof setTimeout,
    setInterval: timerOr(real.setInterval, true) as unknown as typeof setInterval,
    clearTimeout: clear(real.clearTimeout) as typeof clearTimeout,
    clearInterval: clear(real.clearInterval) as typeof clearInterval,
    sleep: sleep as typeof real.sleep,
    random: () => (contexts.getStore() ? random.next() : real.random()),
    randomUUID: seededUuid,
    webRandomUUID: seededUuid,
    performanceNow: () => (contexts.getStore() ? timeline.now() : real.performanceNow.call(performance)),
    abortAfter,
    gzip: atOnce(real.gzip, zlib.gzipSync),
    gunzip: atOnce(real.gunzip, zlib.gunzipSync),
  });
  return () => install(real);
};
