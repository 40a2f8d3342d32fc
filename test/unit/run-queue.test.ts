import { expect, test } from 'vitest';
import { readThreadTime, readWaitMs, threadsOf } from '../../functions/auditor/host/run-queue.ts';

test('reads how long each thread of a process ran and waited', () => {
  const threads = threadsOf(process.pid);
  expect(threads).toContain(process.pid);
  const before = readThreadTime(process.pid);
  let sum = 0;
  for (let i = 0; i < 1e7; i++) sum += i % 7;
  const after = readThreadTime(process.pid);
  expect(sum).toBeGreaterThan(0);
  expect(after?.ranMs).toBeGreaterThan(before?.ranMs ?? Infinity);
  expect(after?.waitedMs).toBeGreaterThanOrEqual(before?.waitedMs ?? Infinity);
});

test('knows no time of a thread that does not exist', () => {
  expect(readWaitMs(process.pid, 4_194_305)).toBeUndefined();
});
