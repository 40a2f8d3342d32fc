import { expect, test } from 'vitest';
import type { Request } from '../../functions/lib/http/endpoint.ts';
import { preferredWait, waiting } from '../../functions/lib/http/waiting.ts';
import { watchByPolling } from '../../functions/lib/store/changes.ts';

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
  const started = performance.now();
  for (const part of ['"', '"\\', ',"', 'wait=" ', '\\"']) preferredWait(part.repeat(8000));
  expect(performance.now() - started).toBeLessThan(1000);
});

const forever = { checkId: 'c', seconds: 25, isAwaited: () => false };
const aRequest = (some: Partial<Request> = {}) => ({ owner: 'acme', params: {}, ...some }) as Request;

test('a wait for writes of other processes reads the check after growing pauses, and once more at its end', async () => {
  const started = performance.now();
  const reads: number[] = [];
  const read = async () => void reads.push(performance.now() - started);
  await waiting(watchByPolling)(aRequest(), { ...forever, seconds: 2, read });
  expect(reads.length).toBeGreaterThanOrEqual(2);
  // After 0, 0.5, 1.25 and 2 s. A timer may end the last pause a moment early, and then one more read follows at once.
  const apart = reads.filter((at, i) => i === 0 || at - (reads[i - 1] as number) > 50);
  expect(apart.length).toBeLessThanOrEqual(4);
  expect(reads.at(-1)).toBeGreaterThanOrEqual(1990);
});

test('a wait ends in time before the timeout of its function', async () => {
  const remainingMs = () => 2100;
  const started = performance.now();
  const read = async () => 'unfinished';
  const wait = waiting(watchByPolling);
  expect(await wait(aRequest({ remainingMs }), { ...forever, read })).toBe('unfinished');
  expect(performance.now() - started).toBeLessThan(2000);
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
