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

test('a write is retried after each delay until it succeeds', async () => {
  const { write, calls } = failing(2);
  expect(await retry(write, [1, 1], never)).toBe('written');
  expect(calls).toHaveLength(3);
});

test('a write that fails after the last delay throws its error', async () => {
  const { write, calls } = failing(9);
  await expect(retry(write, [1, 1], never)).rejects.toThrow('DynamoDB is away');
  expect(calls).toHaveLength(3);
});

test('an abort during a delay throws its reason', async () => {
  const stop = new AbortController();
  const { write, calls } = failing(9);
  const retrying = retry(write, [60_000], stop.signal);
  setTimeout(() => stop.abort(new Error('the service stops')), 1);
  await expect(retrying).rejects.toThrow('the service stops');
  expect(calls).toHaveLength(1);
  await expect(pause(60_000, stop.signal)).rejects.toThrow('the service stops');
});

test('a write that succeeds counts although the signal has aborted', async () => {
  const aborted = AbortSignal.abort(new Error('the service stops'));
  expect(await retry(failing(0).write, [1], aborted)).toBe('written');
});
