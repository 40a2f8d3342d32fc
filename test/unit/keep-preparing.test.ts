import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keepPreparing } from '../../infra/local/keep-preparing.ts';

/** Prepares auditors whose machine has these obstacles, one per call of `prepare`. */
const preparing = (...obstacles: (string | undefined)[]) => {
  const printed: string[] = [];
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  let obstacle: string | undefined;
  const prepare = vi.fn(async () => {
    obstacle = obstacles.shift();
    if (obstacle) throw new Error(obstacle);
  });
  const print = (line: string) => void printed.push(line);
  const prepared = keepPreparing({ prepare, obstacle: () => obstacle, print, signal: stopping.signal, retryMs: 1 });
  const fail = (reason: string | undefined) => {
    obstacle = reason;
  };
  return { prepared, printed, prepare, stopping, fail };
};
const OK = undefined;
const AGAIN = '✓ The service can audit pages again.';

test('a service that can audit at once prints nothing, and is prepared once', async () => {
  const { prepared, printed, prepare } = preparing(OK);
  await prepared;
  await sleep(20);
  expect([printed, prepare.mock.calls.length]).toEqual([[], 1]);
});

test('a start that takes long says that it prepares Chromium, and when it is ready', async () => {
  const printed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const print = (line: string) => void printed.push(line);
  const prepared = keepPreparing({
    prepare: () => promise,
    obstacle: () => undefined,
    print,
    signal: stopping.signal,
    slowMs: 5,
  });
  await expect.poll(() => printed).toEqual([expect.stringContaining('Preparing Chromium (first start)')]);
  resolve();
  await prepared;
  await expect.poll(() => printed.slice(1)).toEqual(['✓ Ready to audit pages.']);
});

test('each new reason is printed once, and so is the end of the failures', async () => {
  const { prepared, printed } = preparing('The disk is full.', 'The disk is full.', 'A library is missing.', OK);
  await prepared;
  expect(printed).toEqual([
    expect.stringContaining('The disk is full.'),
    expect.stringContaining('A library is missing.'),
    AGAIN,
  ]);
});

test('a machine that can no longer start an audit is prepared again', async () => {
  const { prepared, printed, fail } = preparing(OK, OK);
  await prepared;
  fail('The disk is full.');
  await expect.poll(() => printed).toEqual([expect.stringContaining('The disk is full.'), AGAIN]);
});

test('an obstacle that goes away by itself is printed once, and so is its end', async () => {
  const { prepared, printed, fail } = preparing(OK, ...Array(2000).fill('The disk is full.'));
  await prepared;
  fail('The disk is full.');
  await expect.poll(() => printed).toHaveLength(1);
  fail(OK);
  await expect.poll(() => printed).toEqual([expect.stringContaining('The disk is full.'), AGAIN]);
});

test('a service that stops prepares no more', async () => {
  const { prepared, prepare, stopping } = preparing('The disk is full.', 'The disk is full.', OK);
  stopping.abort();
  await prepared;
  expect(prepare).toHaveBeenCalledOnce();
});
