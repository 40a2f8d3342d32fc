import { expect, test, vi } from 'vitest';
import { BusyHostError, foreignLoad } from '../../functions/auditor/host/foreign-load.ts';
import { simulatedMsOf, simulateTimers } from '../support/simulated-timers.ts';

const never = new AbortController().signal;

/** Returns the load of two CPUs, one of which a foreign process uses until `busyMs`. */
const busyUntil = (busyMs: number, maxWaitMs: number) => {
  const startedAt = performance.now();
  const read = () => {
    const ms = performance.now() - startedAt;
    return { foreign: Math.min(ms, busyMs) / 1000, capacity: (2 * ms) / 1000 };
  };
  return foreignLoad(read, maxWaitMs);
};

test('waits until foreign processes are quiet', async () => {
  simulateTimers();
  const load = busyUntil(700, 60_000);
  const ms = await simulatedMsOf(load.waitForQuiet(never));
  expect(ms).toBeGreaterThan(700);
  expect(ms).toBeLessThan(1500);
});

test('waits for a busy machine once, then takes a short look until it is quiet', async () => {
  simulateTimers();
  const load = busyUntil(2200, 1500);
  const isQuiet = load.waitForQuiet(never);
  expect(await simulatedMsOf(isQuiet)).toBeGreaterThanOrEqual(1500);
  expect(await isQuiet).toBe(false);
  expect(await simulatedMsOf(load.waitForQuiet(never))).toBeLessThan(200);
  const retake = expect(load.startRetake(never)).rejects.toBeInstanceOf(BusyHostError);
  await simulatedMsOf(retake);
  await vi.advanceTimersByTimeAsync(1000);
  const later = load.waitForQuiet(never);
  await simulatedMsOf(later);
  expect(await later).toBe(true);
});

test('a watched machine that is quiet needs no wait', async () => {
  simulateTimers();
  const load = busyUntil(0, 60_000);
  const stop = load.watch();
  await vi.advanceTimersByTimeAsync(300);
  let isOver = false;
  void load.waitForQuiet(never).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(isOver).toBe(true);
  stop();
});

test('one retake follows another', async () => {
  const load = busyUntil(0, 60_000);
  const first = await load.startRetake(never);
  let isSecond = false;
  const second = load.startRetake(never).then(() => {
    isSecond = true;
  });
  await load.waitForQuiet(never);
  expect(isSecond).toBe(false);
  first[Symbol.dispose]();
  await second;
});

test('an aborted retake lets the next one start', async () => {
  const load = busyUntil(60_000, 60_000);
  const abort = new AbortController();
  const aborted = load.startRetake(abort.signal);
  abort.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow();
  const next = new AbortController();
  const waiting = load.startRetake(next.signal);
  setTimeout(() => next.abort(new Error('stopped too')), 100);
  await expect(waiting).rejects.toThrow();
});

test('a host that does not report its CPU use counts as quiet', async () => {
  expect(await foreignLoad(() => undefined).waitForQuiet(never)).toBe(true);
});
