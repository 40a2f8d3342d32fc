import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { untimedCpus } from '../../functions/auditor/host/confine.ts';
import { allowedCpus } from '../../functions/auditor/host/cpu-meter.ts';
import { acquireCpu, cpuAccess, cpuShares } from '../../functions/auditor/host/cpu-shares.ts';
import { timedAtOnceOn } from '../../functions/auditor/host/machine.ts';
import { killGroup, listDir, membersOf, readText } from '../../functions/auditor/host/processes.ts';
import type { slots } from '../../functions/lib/slots.ts';
import { waitFor } from '../support/service.ts';
import { unlessMissing } from '../support/skips.ts';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
const hasAutogroups = existsSync('/proc/self/autogroup');
const mayRaise = spawnSync('setsid', ['sh', '-c', 'echo -1 > /proc/self/autogroup']).status === 0;
describe('CPU shares', unlessMissing(hasAutogroups ? undefined : 'this kernel has no autogroups'), () => {
  let sleepers: ChildProcess[];
  beforeAll(() => {
    sleepers = ['first', 'second'].map(() => spawn('sleep', ['60'], { detached: true }));
  });
  afterAll(() => {
    for (const sleeper of sleepers) sleeper.kill('SIGKILL');
  });

  const niceOf = (pid: number) => Number(readFileSync(`/proc/${pid}/autogroup`, 'utf8').split(' ').at(-1));
  /** Returns true if this user may raise a session above others. */
  const canRaise = (pid: number) => {
    try {
      writeFileSync(`/proc/${pid}/autogroup`, '-1');
      writeFileSync(`/proc/${pid}/autogroup`, '0');
      return true;
    } catch {
      return false;
    }
  };

  test('a measured auditor has a higher share where permitted, and one beside it has a lower share', async () => {
    const [one, other] = sleepers.map(({ pid }) => pid as number) as [number, number];
    const nices = () => [one, other].map(niceOf);
    const become = (wanted: number[]) => waitFor(() => nices().join() === wanted.join() || undefined, 5);
    const shares = cpuShares();
    for (const pid of [one, other]) shares.add(pid);
    expect(nices()).toEqual([0, 0]);

    const measured = canRaise(one) ? -20 : 0;
    await shares.startMeasuring(one);
    await become([measured, 10]);
    shares.stopMeasuring(one);
    await shares.startMeasuring(other);
    expect(niceOf(other)).toBe(measured);
    await become([10, measured]);
    shares.remove(other); // its process was killed
    await become([0, measured]);
  });
});

test(
  'a service that starts in the session of a killed one takes back its highest share, and no other share',
  unlessMissing(mayRaise ? undefined : 'only root may raise a session'),
  () => {
    const niceAfterStart = (nice: number) => {
      const code = `import { readFileSync, writeFileSync } from 'node:fs';
        import { resetOwnRank } from '${new URL('../../functions/auditor/host/confine.ts', import.meta.url)}';
        writeFileSync('/proc/self/autogroup', '${nice}');
        await resetOwnRank();
        console.log(readFileSync('/proc/self/autogroup', 'utf8').trim().split(' ').at(-1));`;
      return Number(execFileSync('setsid', ['--wait', process.execPath, '--input-type=module', '-e', code]));
    };
    expect([-20, -5, 10].map(niceAfterStart)).toEqual([0, -5, 10]);
  },
);

describe('acquiring the CPU', () => {
  const shares = cpuShares(async () => {});
  const isFree = (slot: ReturnType<typeof slots>) =>
    slot(AbortSignal.timeout(50)).then(
      () => true,
      () => false,
    );

  test('holds the slot until the timed part ends', async () => {
    const access = cpuAccess(1, shares);
    const timedPart = new AbortController();
    await acquireCpu(process.pid, access, timedPart.signal);
    expect(await isFree(access.slot)).toBe(false);
    timedPart.abort();
    expect(await isFree(access.slot)).toBe(true);
  });

  test('releases a slot that is granted in the moment of the abort', async () => {
    const access = cpuAccess(1, shares);
    const first = new AbortController();
    const second = new AbortController();
    await acquireCpu(process.pid, access, first.signal);
    const waiting = acquireCpu(process.pid, access, second.signal);
    first.abort(); // grants the slot
    second.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    expect(await isFree(access.slot)).toBe(true);
  });
});

test('only the auditors beside a timed part are confined, however it ends', async () => {
  const ranks = new Map<number, string>();
  const shares = cpuShares(async (session, rank) => void ranks.set(session, rank));
  const ownRank = () => ranks.get(process.pid); // this process would be the proxy of the page
  const now = () => [1, 2, 3].map((session) => ranks.get(session) === 'confined');
  for (const session of [1, 2]) shares.add(session);
  await shares.startMeasuring(1);
  shares.add(3); // an auditor that starts beside the timed part
  expect(now()).toEqual([false, true, true]);
  expect(ownRank()).toBe('measured');

  shares.stopMeasuring(1);
  await shares.startMeasuring(2);
  await soon();
  expect(now()).toEqual([true, false, true]);

  shares.remove(2); // it was killed
  await soon();
  expect(now()).toEqual([false, false, false]);
  expect(ownRank()).toBe('usual');
});

test('a slow change of an auditor does not outlast the next one', async () => {
  const changes: string[] = [];
  const shares = cpuShares(async (session, rank) => {
    await sleep(20);
    if (session === 2) changes.push(rank);
  });
  for (const session of [1, 2]) shares.add(session);
  await shares.startMeasuring(1);
  shares.stopMeasuring(1); // while the other one is being confined
  await shares.startMeasuring(2);
  expect(changes).toEqual(['confined', 'measured']);
});

test('two CPUs have two timed parts at once if both audits have their memory, and more CPUs one per two', () => {
  const gib = 2 ** 30;
  expect([1, 2, 3, 4, 5, 8].map((cpus) => timedAtOnceOn(cpus, 8 * gib))).toEqual([1, 2, 2, 2, 2, 4]);
  expect([1, 2, 3, 4, 8].map((cpus) => timedAtOnceOn(cpus, 4 * gib))).toEqual([1, 1, 1, 2, 4]);
});

test('untimed parts get half of the CPUs', () => {
  expect(untimedCpus([4, 5])).toEqual([4]);
  expect(untimedCpus([0, 1, 2, 3, 4])).toEqual([0, 1]);
  expect(untimedCpus([3])).toEqual([3]);
});

describe('real processes', unlessMissing(canPin ? undefined : 'the tests need taskset and two CPUs'), () => {
  const sessions: number[] = [];
  afterEach(() => {
    for (const session of sessions.splice(0)) killGroup(session);
  });
  /** Starts a session of a shell and a Node process, which has several threads. */
  const startSession = async (): Promise<number> => {
    const script = `${process.execPath} -e 'setInterval(() => {}, 1000)' & wait`;
    const { pid = Number.NaN } = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' });
    sessions.push(pid);
    await waitFor(() => threadsOf(pid).length > 4 || undefined, 10);
    return pid;
  };
  const threadsOf = (session: number) =>
    membersOf(session).flatMap((pid) => listDir(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`));
  /** Returns how many CPUs the threads of a session may use, each number once. */
  const cpuCountsOf = (session: number) => [
    ...new Set(threadsOf(session).map((thread) => allowedCpus(readText(`${thread}/status`)).size)),
  ];
  const all = allowedCpus().size;
  const becomes = (session: number, counts: number[]) =>
    waitFor(() => cpuCountsOf(session).join() === counts.join() || undefined, 10);

  test('beside a timed part, all threads of an auditor run on half of the CPUs', async () => {
    const [timed, beside] = [await startSession(), await startSession()];
    const access = cpuAccess(1);
    for (const session of [timed, beside]) access.shares.add(session);
    const timedPart = new AbortController();
    await acquireCpu(timed, access, timedPart.signal);
    await becomes(beside, [Math.floor(all / 2)]);
    expect(cpuCountsOf(timed)).toEqual([all]);
    timedPart.abort();
    await becomes(beside, [all]);
  });

  test('the end of a killed auditor sets the others free', async () => {
    const [timed, beside] = [await startSession(), await startSession()];
    const shares = cpuShares();
    for (const session of [timed, beside]) shares.add(session);
    await shares.startMeasuring(timed);
    await becomes(beside, [Math.floor(all / 2)]);
    killGroup(timed);
    shares.remove(timed);
    await becomes(beside, [all]);
  });
});

test(
  'the CPU meter counts only the CPUs that the process may use',
  unlessMissing(canPin ? undefined : 'the test needs taskset and two CPUs'),
  () => {
    const loop = spawn('taskset', ['-c', '0', process.execPath, '-e', 'for (;;);']);
    try {
      const code = `import { startCpuMeter } from '${new URL('../../functions/auditor/host/cpu-meter.ts', import.meta.url)}';
        const read = startCpuMeter(() => 0);
        setTimeout(() => console.log(read().others), 1000);`;
      const measured = execFileSync('taskset', ['-c', '0', process.execPath, '--input-type=module', '-e', code]);
      expect(Number(measured)).toBeGreaterThan(0.8); // it would be half of that with two CPUs
    } finally {
      loop.kill('SIGKILL');
    }
  },
);
