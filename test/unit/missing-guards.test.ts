import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { hidesProcesses } from '../../functions/auditor/host/missing-guards.ts';
import { commandsByPs, killStrays } from '../../functions/auditor/host/processes.ts';
import { guardNames, unguardedLine } from '../../shared/service/guards.ts';

test('ps lists the same command as /proc, so that a machine without /proc ends strays too', async () => {
  const child = spawn('sleep', ['61.25'], { stdio: 'ignore' });
  await once(child, 'spawn');
  await expect.poll(commandsByPs).toContainEqual({ pid: child.pid, command: 'sleep 61.25' });
  child.kill();
});

test('a process that left its group ends with the audit whose work folder it names, and no other', async () => {
  const argument = (dir: string) => ['-e', 'setTimeout(() => {}, 60_000)', '--', `--database=${dir}/profile/Crashpad`];
  const start = (dir: string) => spawn(process.execPath, argument(dir), { detached: true, stdio: 'ignore' });
  const [stray, other] = [start('/tmp/page-audit-7-abc'), start('/tmp/page-audit-7-xyz')];
  await Promise.all([once(stray, 'spawn'), once(other, 'spawn')]);
  const exited = once(stray, 'exit');
  await expect.poll(() => commandsByPs().map(({ pid }) => pid)).toEqual(expect.arrayContaining([stray.pid, other.pid]));
  killStrays('/tmp/page-audit-7-abc');
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(other.exitCode).toBe(null);
  other.kill('SIGKILL');
});

test.each([
  ['proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0', false, false],
  ['proc /proc proc rw,relatime,hidepid=0 0 0', false, false],
  ['proc /proc proc rw,relatime,hidepid=off 0 0', false, false],
  ['proc /proc proc rw,relatime,hidepid=2 0 0', false, true],
  ['tmpfs /tmp tmpfs rw 0 0\nproc /proc proc rw,hidepid=invisible 0 0', false, true],
  ['proc /proc proc rw,hidepid=invisible 0 0', true, false],
])('%s with root %s hides renderers: %s', (mounts, isRoot, expected) => {
  expect(hidesProcesses(mounts, isRoot)).toBe(expected);
});

test('the start names each missing guard with its effect', () => {
  expect(unguardedLine(['memory', 'strays'])).toBe(
    'Not guarded on this machine: memory (The memory of a browser has no limit.) strays (A process that leaves the group of its audit is not ended.)',
  );
  expect(guardNames.length).toBeGreaterThan(5);
});
