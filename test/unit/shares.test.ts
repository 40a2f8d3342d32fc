import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shares } from '../../functions/auditor/machine.ts';
import { waitFor } from '../support/service.ts';

const canShare = existsSync('/proc/self/autogroup');
describe.skipIf(!canShare)(`shares of the processors${canShare ? '' : ' (not run here: no autogroups)'}`, () => {
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
    const processor = shares();
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
