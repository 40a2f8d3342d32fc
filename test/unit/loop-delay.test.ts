import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchLoop } from '../../functions/auditor/parent/loop-delay.ts';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import { holdLoop } from '../support/hold-loop.ts';
import { observed } from '../support/observation.ts';

const script = `
  import { watchLoop } from '${import.meta.resolve('../../functions/auditor/parent/loop-delay.ts')}';
  const stoodStill = watchLoop(250, new AbortController().signal);
  process.on('message', () => process.send(stoodStill().lateMs));
  process.send('ready');
`;

test('a process that was stopped knows for how long', async () => {
  const watched = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    await once(watched, 'message');
    watched.kill('SIGSTOP');
    await sleep(1500);
    watched.kill('SIGCONT');
    watched.send('tell');
    const [ms] = await once(watched, 'message');
    expect(ms).toBeGreaterThan(1000);
  } finally {
    watched.kill('SIGKILL');
  }
});

test('work that holds the event loop is seen but for the interval of the looks, and a wait is no work', async () => {
  const over = new AbortController();
  const work = watchLoop(10, over.signal);
  await sleep(20);
  holdLoop(100);
  expect(work().heldMs).toBeGreaterThan(89);
  expect(work().heldMs).toBeLessThanOrEqual(work().lateMs);
  const wait = watchLoop(10, over.signal);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  expect(wait().lateMs).toBeGreaterThan(89);
  expect(wait().heldMs).toBeLessThan(50);
  over.abort();
});

test('a page that was late while the service stood still is not to blame, and is audited again', () => {
  const late = (stoodStillMs: number) => judge({ ...observed({ how: 'stopped', why: 'load-timeout' }), stoodStillMs });
  expect(late(35_000)).toMatchObject({
    error: {
      code: 'internal',
      blame: 'service',
      retryable: true,
      message: expect.stringContaining('stood still for 35 s'),
    },
    environment: { contended: true },
  });
  expect(late(1000)).toMatchObject({ error: { code: 'load-timeout', blame: 'page' } });
});
