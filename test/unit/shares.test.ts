import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cpuShares } from '../../functions/auditor/host/cpu-shares.ts';
import { waitFor } from '../support/service.ts';
import { unlessMissing } from '../support/skips.ts';

const canShare = existsSync('/proc/self/autogroup');
describe('shares of the processors', unlessMissing(canShare ? undefined : 'this kernel has no autogroups'), () => {
  let sleepers: ChildProcess[];
  beforeAll(() => {
    sleepers = ['first', 'second'].map(() => spawn('sleep', ['60'], { detached: true }));
  });
  afterAll(() => {
    for (const sleeper of sleepers) sleeper.kill('SIGKILL');
  });

  test('who is not measured gives way to who is, and to nobody else', async () => {
    const [one, other] = sleepers.map(({ pid }) => pid as number) as [number, number];
    const nices = () =>
      [one, other].map((pid) => Number(readFileSync(`/proc/${pid}/autogroup`, 'utf8').split(' ').at(-1)));
    const become = (wanted: number[]) => waitFor(() => nices().join() === wanted.join() || undefined, 5);
    const processor = cpuShares();
    for (const pid of [one, other]) processor.add(pid);
    expect(nices()).toEqual([0, 0]);

    await processor.startMeasuring(one);
    await become([0, 10]);
    processor.stopMeasuring(one);
    await processor.startMeasuring(other);
    expect(nices()[1]).toBe(0);
    await become([10, 0]);
    processor.remove(other); // it was killed
    await become([0, 0]);
  });
});

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
test(
  "of a machine's processors those count that we may run on",
  unlessMissing(canPin ? undefined : 'they need taskset and two processors'),
  () => {
    const loop = spawn('taskset', ['-c', '0', process.execPath, '-e', 'for (;;);']);
    try {
      const code = `import { startCpuMeter } from '${new URL('../../functions/auditor/host/cpu-meter.ts', import.meta.url)}';
        const read = startCpuMeter(process.pid);
        setTimeout(() => console.log(read().others), 1000);`;
      const measured = execFileSync('taskset', ['-c', '0', process.execPath, '--input-type=module', '-e', code]);
      expect(Number(measured)).toBeGreaterThan(0.8); // of the one; of two it would be half
    } finally {
      loop.kill('SIGKILL');
    }
  },
);
