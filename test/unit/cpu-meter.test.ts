import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { ownCpu, startCpuMeter } from '../../functions/auditor/host/cpu-meter.ts';
import { killGroup } from '../../functions/auditor/host/processes.ts';

test('the service counts the CPU time of its auditors, also after they have ended', () => {
  const groups = new Map<number, number>();
  const own = ownCpu(() => groups);
  for (const group of [1, 2]) own.add(group);
  const before = own.seconds();
  const spent = () => Math.round(own.seconds() - before); // this process uses some time too
  groups.set(1, 100).set(2, 10).set(3, 1000);
  expect(spent()).toBe(110);
  own.remove(2);
  groups.delete(2);
  expect(spent()).toBe(110);
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
const CPU_SECONDS = `const { user, system } = process.cpuUsage(); (user + system) / 1e6`;

test("an audit's workers and processes are not others, also after they have exited", async () => {
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
  const own = ownCpu();
  own.add(page.pid as number);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const [readForeign, readAll] = [startCpuMeter(own.seconds), startCpuMeter(() => 0)];
  page.send('start');
  const [used] = await once(page, 'message');
  const [others = 0, all = 0] = [readForeign()?.others, readAll()?.others];
  const { user, system } = process.cpuUsage(before);
  const seconds = (all - others) * availableParallelism() * ((performance.now() - startedAt) / 1000);
  const expected = used + (user + system) / 1e6;
  expect(used).toBeGreaterThan(0.4);
  expect(Math.abs(seconds - expected), `${seconds} of ${expected}`).toBeLessThan(0.35);
});
