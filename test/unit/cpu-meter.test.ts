import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { isFalsified, startCpuMeter, wasSlowed } from '../../functions/auditor/host/cpu-meter.ts';
import { cpuShares } from '../../functions/auditor/host/cpu-shares.ts';
import { ownCpu } from '../../functions/auditor/host/own-cpu.ts';
import { killGroup } from '../../functions/auditor/host/processes.ts';

test.each([
  ['a foreign process that takes a CPU from it', { others: 0.5, waited: 1.5, stolen: 0 }, true],
  ['a foreign process that it does not wait for', { others: 0.5, waited: 0.1, stolen: 0 }, false],
  ['a hypervisor', { others: 0, waited: 0, stolen: 0.2 }, true],
  ['an untimed part of another audit', { others: 0.5, own: 0.5, waited: 1.5, stolen: 0 }, false],
  ['an untimed part and some foreign work', { others: 0.5, own: 0.4, waited: 1.5, stolen: 0 }, false],
  ['a foreign process beside an untimed part', { others: 0.9, own: 0.1, waited: 1, stolen: 0 }, true],
])('a sample beside %s', (_, use, falsified) => {
  expect(isFalsified(use)).toBe(falsified);
});

test('other audits excuse a page that hangs, but falsify no numbers', () => {
  const use = { others: 0.6, own: 0.6, waited: 1.5, stolen: 0 };
  expect([wasSlowed(use), isFalsified(use)]).toEqual([true, false]);
});

test('the service counts the CPU time of its auditors outside of their timed parts', () => {
  const groups = new Map<number, number>();
  const own = ownCpu(() => groups);
  for (const group of [1, 2]) own.add(group);
  const before = own.secondsBeside(1);
  const spent = () => Math.round(own.secondsBeside(1) - before); // this process uses some time too
  groups.set(1, 100).set(2, 10);
  expect(spent()).toBe(10);
  own.setTimed(2, true);
  groups.set(2, 30);
  own.setTimed(2, false);
  groups.set(2, 35);
  expect(spent()).toBe(15);
  own.remove(2);
  groups.delete(2);
  expect(spent()).toBe(15);
});

const sessions: number[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) killGroup(session);
});
const startNode = (code: string) => {
  const child = spawn(process.execPath, ['-e', code], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  sessions.push(child.pid as number);
  return child;
};
const NOBODY = -1; // a group without processes, to which all CPU time is that of others
const CPU_SECONDS = `const { user, system } = process.cpuUsage(); (user + system) / 1e6`;

test("a page's own workers and processes are not others, also after they exited", async () => {
  const page = startNode(`
    const seconds = () => { ${CPU_SECONDS.replace('(user', 'return (user')}; };
    const { execFileSync } = require('node:child_process');
    const work = 'while (process.cpuUsage().user < 4e5); console.log(eval(${JSON.stringify(CPU_SECONDS)}))';
    process.once('message', () => {
      const before = seconds();
      new (require('node:worker_threads').Worker)('while (process.cpuUsage().user < 5e5);', { eval: true });
      const exited = Number(execFileSync(process.execPath, ['-e', work]));
      process.send(seconds() - before + exited);
    });
    process.send('ready');`);
  await once(page, 'message');
  const startedAt = performance.now();
  const [readPage, readAll] = [startCpuMeter(page.pid as number), startCpuMeter(NOBODY)];
  page.send('start');
  const [used] = await once(page, 'message');
  const [others = 0, all = 0] = [readPage()?.others, readAll()?.others];
  const seconds = (all - others) * availableParallelism() * ((performance.now() - startedAt) / 1000);
  expect(used).toBeGreaterThan(0.4);
  expect(Math.abs(seconds - used), `${seconds} of ${used}`).toBeLessThan(0.35);
});

test('an untimed auditor is the own share, also after it was killed', async () => {
  const shares = cpuShares(async () => {});
  const { pid = Number.NaN } = startNode('for (;;);');
  shares.add(pid);
  await sleep(300);
  const readCpu = shares.startMeter(NOBODY);
  const startedAt = performance.now();
  await sleep(500);
  shares.remove(pid);
  killGroup(pid);
  await sleep(300);
  const { others = 0, own = 0 } = readCpu() ?? {};
  const ownSeconds = own * availableParallelism() * ((performance.now() - startedAt) / 1000);
  expect(ownSeconds).toBeGreaterThan(0.05); // about 0.5 on a free machine
  expect(ownSeconds).toBeLessThan(0.9);
  expect(others).toBeGreaterThanOrEqual(own);
});
