import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startLoops } from '../support/loops.ts';
import { descendantsOf, isGone } from '../support/processes.ts';
import { newFolder, nextMessage, startNode } from './children.ts';

/** Length of a burst of CPU use, and of a burst with the pause after it. In milliseconds. */
const BURST_MS = 5000;
const PERIOD_MS = 15_000;

const start = (code: string) => startNode(['-e', code], { folder: newFolder() });

/** Starts a process that uses one core for a third of the time, as a build or a backup would. */
export const startHog = () =>
  start(`const burst = () => { const end = Date.now() + ${BURST_MS}; while (Date.now() < end); };
    burst(); setInterval(burst, ${PERIOD_MS});`);

/** Starts a process that moves 512 MiB through the caches all the time. */
const startMemoryHog = () =>
  startLoops(1, { before: 'const memory = Buffer.alloc(2 ** 29, 1)', statement: 'memory.copyWithin(0, 2 ** 28)' });

/** Starts a process of other auditors that audits a page again and again, and waits until its first audit has begun. */
const startSecondAudits = async (url: string) => {
  const child = startNode(['test/bench/second-audits.ts', url], { folder: newFolder(), ipc: true });
  await nextMessage(child);
  return child;
};

/** Period of a quota of CPU time, in microseconds. A quota of one CPU is as long. */
const PERIOD_US = 100_000;
const groups = '/sys/fs/cgroup';

/** Puts this process and all that it starts into a control group with the CPU time of one CPU. Throws if it may not do so. */
const limitToOneCpu = (): AsyncDisposable => {
  const isUnified = readFileSync('/proc/mounts', 'utf8').includes(` ${groups} cgroup2 `);
  const parent = isUnified ? groups : join(groups, 'cpu');
  const group = join(parent, `bench-${process.pid}`);
  mkdirSync(group);
  if (isUnified) writeFileSync(join(group, 'cpu.max'), `${PERIOD_US} ${PERIOD_US}`);
  else {
    writeFileSync(join(group, 'cpu.cfs_period_us'), `${PERIOD_US}`);
    writeFileSync(join(group, 'cpu.cfs_quota_us'), `${PERIOD_US}`);
  }
  moveTo(group, [process.pid, ...descendantsOf(process.pid).map((each) => each.pid)]);
  const members = () => readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
  return {
    [Symbol.asyncDispose]: async () => {
      // A process that is just being started or removed can stay for a moment.
      for (let left = members(); left.length > 0; left = members()) {
        moveTo(parent, left);
        await pause(20);
      }
      rmdirSync(group);
    },
  };
};

const moveTo = (group: string, members: readonly number[]) => {
  for (const pid of members) {
    try {
      writeFileSync(join(group, 'cgroup.procs'), `${pid}`);
    } catch (error) {
      if (!isGone(error)) throw error; // it has ended
    }
  }
};

/** Everything beside which pages are audited. `secondUrl` is the page of the other audits. */
export const loads = {
  quiet: () => undefined,
  'one loop': () => startLoops(1),
  'two loops': () => startLoops(2),
  'four loops': () => startLoops(4),
  'memory hog': startMemoryHog,
  'second audit': startSecondAudits,
  'quota of one CPU': limitToOneCpu,
} as const satisfies Record<string, (secondUrl: string) => AsyncDisposable | Promise<AsyncDisposable> | undefined>;
export type Load = keyof typeof loads;
export const loadNames = Object.keys(loads) as Load[];
