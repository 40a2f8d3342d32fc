import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import { observed } from '../support/observation.ts';

const script = `
  import { watchStandstill } from '${import.meta.resolve('../../functions/auditor/parent/standstill.ts')}';
  const stoodStill = watchStandstill(new AbortController().signal);
  process.on('message', () => process.send(stoodStill()));
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
