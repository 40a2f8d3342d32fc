import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acquireCpu, cpuShares } from '../../functions/auditor/host/cpu-shares.ts';
import { slots } from '../../functions/lib/slots.ts';
import { waitFor } from '../support/service.ts';
import { unlessMissing } from '../support/skips.ts';

const hasAutogroups = existsSync('/proc/self/autogroup');
describe('CPU shares', unlessMissing(hasAutogroups ? undefined : 'this kernel has no autogroups'), () => {
  let sleepers: ChildProcess[];
  beforeAll(() => {
    sleepers = ['first', 'second'].map(() => spawn('sleep', ['60'], { detached: true }));
  });
  afterAll(() => {
    for (const sleeper of sleepers) sleeper.kill('SIGKILL');
  });

  test('only an auditor beside a measured one has a lower share', async () => {
    const [one, other] = sleepers.map(({ pid }) => pid as number) as [number, number];
    const nices = () =>
      [one, other].map((pid) => Number(readFileSync(`/proc/${pid}/autogroup`, 'utf8').split(' ').at(-1)));
    const become = (wanted: number[]) => waitFor(() => nices().join() === wanted.join() || undefined, 5);
    const shares = cpuShares();
    for (const pid of [one, other]) shares.add(pid);
    expect(nices()).toEqual([0, 0]);

    await shares.startMeasuring(one);
    await become([0, 10]);
    shares.stopMeasuring(one);
    await shares.startMeasuring(other);
    expect(nices()[1]).toBe(0);
    await become([10, 0]);
    shares.remove(other); // its process was killed
    await become([0, 0]);
  });
});

describe('acquiring the CPU', () => {
  const noShares = { add: () => {}, remove: () => {}, startMeasuring: async () => {}, stopMeasuring: () => {} };
  const isFree = (slot: ReturnType<typeof slots>) =>
    slot(AbortSignal.timeout(50)).then(
      () => true,
      () => false,
    );

  test('holds the slot until the timed part ends', async () => {
    const cpuAccess = { slot: slots(1), shares: noShares };
    const timedPart = new AbortController();
    await acquireCpu(process.pid, cpuAccess, timedPart.signal);
    expect(await isFree(cpuAccess.slot)).toBe(false);
    timedPart.abort();
    expect(await isFree(cpuAccess.slot)).toBe(true);
  });

  test('releases a slot that is granted in the moment of the abort', async () => {
    const cpuAccess = { slot: slots(1), shares: noShares };
    const first = new AbortController();
    const second = new AbortController();
    await acquireCpu(process.pid, cpuAccess, first.signal);
    const waiting = acquireCpu(process.pid, cpuAccess, second.signal);
    first.abort(); // grants the slot
    second.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    expect(await isFree(cpuAccess.slot)).toBe(true);
  });
});

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
test(
  'the CPU meter counts only the CPUs that the process may use',
  unlessMissing(canPin ? undefined : 'the test needs taskset and two CPUs'),
  () => {
    const loop = spawn('taskset', ['-c', '0', process.execPath, '-e', 'for (;;);']);
    try {
      const code = `import { startCpuMeter } from '${new URL('../../functions/auditor/host/cpu-meter.ts', import.meta.url)}';
        const read = startCpuMeter(process.pid);
        setTimeout(() => console.log(read().others), 1000);`;
      const measured = execFileSync('taskset', ['-c', '0', process.execPath, '--input-type=module', '-e', code]);
      expect(Number(measured)).toBeGreaterThan(0.8); // it would be half of that with two CPUs
    } finally {
      loop.kill('SIGKILL');
    }
  },
);
