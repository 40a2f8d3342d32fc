import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readText } from '../../functions/auditor/host/processes.ts';
import { threadsOf } from '../../functions/auditor/host/run-queue.ts';
import { sampleWaits } from '../../functions/auditor/host/wait-sampler.ts';
import { unlessMissing } from '../support/skips.ts';

/** Starts all threads of its pool at once, and looks like a page. */
const PROGRAM = "require('fs').readFile('/', () => {}); setInterval(() => {}, 1e6)";
const THREADS = 1000;

const cpuMsOf = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

const noProc = threadsOf(process.pid).length === 0 ? 'this system has no /proc' : undefined;
test('the names of the threads of a page are read a few times only', unlessMissing(noProc), async () => {
  const env = { ...process.env, UV_THREADPOOL_SIZE: `${THREADS}` };
  const page = spawn(process.execPath, ['-e', PROGRAM, '--', '--type=renderer'], { env, stdio: 'ignore' });
  const pid = page.pid as number;
  try {
    await expect.poll(() => threadsOf(pid).length, { timeout: 20_000 }).toBeGreaterThan(THREADS);
    const end = sampleWaits(process.pid);
    await pause(1500);
    const once = await cpuMsOf(() => threadsOf(pid).map((tid) => readText(`/proc/${pid}/task/${tid}/comm`)));
    const inTenScans = await cpuMsOf(() => pause(2000));
    expect(inTenScans).toBeLessThan(10 * once);
    expect(end().pages.map(([each]) => each)).toContain(pid);
  } finally {
    page.kill('SIGKILL');
  }
});
