import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeTimersPatient } from '../../functions/auditor/child/own-time.ts';

let starved = 0;
beforeEach(() => {
  vi.useFakeTimers();
  starved = 0;
  makeTimersPatient(() => starved);
});
afterEach(() => void vi.useRealTimers());

test('a time limit of Lighthouse waits for a starved browser, and a short timer does not', () => {
  const [limit, pace] = [vi.fn(), vi.fn()];
  setTimeout(limit, 30_000, 'PROTOCOL_TIMEOUT');
  setTimeout(pace, 500);
  starved = 12_000;
  vi.advanceTimersByTime(500);
  expect(pace).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(41_000);
  expect(limit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1000);
  expect(limit).toHaveBeenCalledExactlyOnceWith('PROTOCOL_TIMEOUT');
});

test('a time limit can be cleared, also after it was extended', () => {
  const limit = vi.fn();
  const [first, second] = [setTimeout(limit, 30_000), setTimeout(limit, 30_000)];
  clearTimeout(first);
  starved = 12_000;
  vi.advanceTimersByTime(31_000);
  clearTimeout(second);
  vi.advanceTimersByTime(60_000);
  expect(limit).not.toHaveBeenCalled();
});
