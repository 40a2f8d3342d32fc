import { expect, test } from 'vitest';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { preferredWait, waiting } from '../../functions/lib/http/waiting.ts';
import { watchByPolling } from '../../functions/lib/store/changes.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { simulatedMsOf, simulateTimers } from '../support/simulated-timers.ts';

test.each([
  ['wait=20', 20],
  ['wait=0', 0],
  ['wait=9999', 25],
  [`wait=${'9'.repeat(400)}`, 25],
  ['Wait = "10"', 10],
  ['respond-async, wait=10', 10],
  ['foo="a, wait=3", wait=7; bar=2', 7],
  ['wait=5, wait=6', 5],
])('`Prefer: %s` asks to wait for %d s', (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds);
});

test.each([
  undefined,
  '',
  'wait',
  'wait=',
  'wait=-1',
  'wait=abc',
  'wait=1.5',
  'wait=1e1',
  'wait="5',
  'wait=abc, wait=6',
  'waiting=5',
  'foo="wait=5"',
])('`Prefer: %s` has no valid wait and is ignored', (header) => {
  expect(preferredWait(header)).toBeUndefined();
});

test('a header that is full of open quotes takes no time', () => {
  const parts = ['"', '"\\', ',"', 'wait=" ', '\\"'];
  expect(cpuMsOf(() => parts.map((part) => preferredWait(part.repeat(8000))))).toBeLessThan(1000);
});

const forever = { checkId: 'c', seconds: 25, isAwaited: () => false };
const aRequest = (some: Partial<Request> = {}) => ({ owner: 'acme', params: {}, ...some }) as Request;

test('a wait for writes of other processes reads the check after growing pauses, and once more at its end', async () => {
  simulateTimers();
  const started = performance.now();
  const reads: number[] = [];
  const read = async () => void reads.push(performance.now() - started);
  await simulatedMsOf(waiting(watchByPolling)(aRequest(), { ...forever, seconds: 2, read }));
  expect(reads).toEqual([0, 500, 1250, 2000]);
});

test('a wait ends in time before the timeout of its function', async () => {
  simulateTimers();
  const read = async () => 'unfinished';
  const wait = waiting(watchByPolling)(aRequest({ remainingMs: () => 2100 }), { ...forever, read });
  expect(await simulatedMsOf(wait)).toBeLessThan(200); // the last read has two seconds
  expect(await wait).toBe('unfinished');
});

test('an error of a read ends its wait and frees its place', async () => {
  const wait = waiting(() => ({ next: async () => {}, [Symbol.dispose]: () => {} }));
  for (let i = 0; i < 12; i++) {
    let reads = 0;
    const read = async () => {
      if (reads++ > 0) throw new Error('no answer');
    };
    await expect(wait(aRequest(), { ...forever, seconds: 60, read })).rejects.toThrow('no answer');
  }
});
