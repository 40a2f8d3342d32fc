import { expect, test } from 'vitest';
import { pause, retry } from '../../functions/lib/retry.ts';

const never = new AbortController().signal;
/** A write that fails `failures` times, and the number of its calls. */
const failing = (failures: number, error: Error = new Error('DynamoDB is away')) => {
  const calls: number[] = [];
  const write = async () => {
    calls.push(calls.length + 1);
    if (calls.length <= failures) throw error;
    return 'written';
  };
  return { write, calls };
};

const invocation = { retryDelaysMs: [1], signal: never, remainingMs: () => 60_000 };

test('a write is retried until it succeeds, after the last delay too', async () => {
  const { write, calls } = failing(5);
  expect(await retry(write, { ...invocation, retryDelaysMs: [1, 2] }, 0)).toBe('written');
  expect(calls).toHaveLength(6);
});

test('a write fails with its last error if no time is left for another try', async () => {
  const { write, calls } = failing(9);
  const left = [18_000, 18_000, 18_000, 9000];
  await expect(retry(write, { ...invocation, remainingMs: () => left.shift() ?? 0 }, 8000)).rejects.toThrow(
    'DynamoDB is away',
  );
  expect(calls).toHaveLength(2);
  const late = failing(9);
  await expect(retry(late.write, { ...invocation, retryDelaysMs: [5000], remainingMs: () => 5500 }, 0)).rejects.toThrow(
    'is away',
  );
  expect(late.calls).toHaveLength(1);
});

test('the time left may be a fraction of a millisecond', async () => {
  const { write } = failing(0);
  expect(await retry(write, { ...invocation, remainingMs: () => 5000.123 }, 0)).toBe('written');
});

test('an abort during a delay throws its reason', async () => {
  const stop = new AbortController();
  const { write, calls } = failing(9);
  const retrying = retry(write, { ...invocation, retryDelaysMs: [30_000], signal: stop.signal }, 0);
  setTimeout(() => stop.abort(new Error('the service stops')), 1);
  await expect(retrying).rejects.toThrow('the service stops');
  expect(calls).toHaveLength(1);
  await expect(pause(60_000, stop.signal)).rejects.toThrow('the service stops');
});

test('a write that succeeds counts although the signal has aborted', async () => {
  const aborted = AbortSignal.abort(new Error('the service stops'));
  expect(await retry(failing(0).write, { ...invocation, signal: aborted }, 0)).toBe('written');
});
