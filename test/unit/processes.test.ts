import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep, setImmediate as soon } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { adoptOrphans, waitForGroupExit } from '../../functions/auditor/host/orphans.ts';
import { killGroup } from '../../functions/auditor/host/processes.ts';
import { removeStale } from '../../functions/auditor/host/stale-entries.ts';
import { waitFor } from '../support/service.ts';
import { unlessMissing } from '../support/skips.ts';

let parent: ChildProcess | undefined;
afterEach(() => {
  parent?.kill('SIGKILL');
});

/** Starts a process group whose parent never reaps it. Returns the pid of its leader. */
const unreapedGroup = async (): Promise<number> => {
  parent = spawn('sh', ['-c', "setsid sh -c 'echo $$; exec sleep 60' & exec sleep 60"], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pid] = await once(parent.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  return Number(pid);
};
const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ')[2];

/** Returns true if `waitForGroupExit` does not wait. */
const isGone = (group: number) => Promise.race([waitForGroupExit(group).then(() => true), soon(false)]);

test('waits for a running group, and not for zombie processes', async () => {
  const group = await unreapedGroup();
  expect(await isGone(group)).toBe(false);

  killGroup(group);
  await waitFor(() => stateOf(group) === 'Z' || undefined, 5);
  expect(await isGone(group)).toBe(true);
});

const require = createRequire(import.meta.url);
const noPackageHere = (): string | undefined => {
  try {
    require.resolve('@koromix/koffi-linux-x64');
    return undefined;
  } catch {
    return 'the package @koromix/koffi-linux-x64 is missing: run npm ci on Linux x64';
  }
};

test('reaps the processes of a group whose own parent has exited', unlessMissing(noPackageHere()), async () => {
  adoptOrphans();
  const leader = spawn('sh', ['-c', 'sleep 60 & echo $!'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [text] = await once(leader.stdout, 'data');
  const orphan = Number(text);
  const parentOf = () => Number(readFileSync(`/proc/${orphan}/stat`, 'latin1').split(' ')[3]);
  await waitFor(() => parentOf() === process.pid || undefined, 5);

  killGroup(leader.pid as number);
  await waitForGroupExit(leader.pid as number);
  expect(existsSync(`/proc/${orphan}`)).toBe(false);
});

test(
  'reaps every orphan that exits later, and no child that Node waits for',
  unlessMissing(noPackageHere()),
  async () => {
    adoptOrphans();
    const starter = spawn('sh', ['-c', 'setsid sleep 0.2 & echo $!'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [text] = await once(starter.stdout, 'data');
    const own = Array.from({ length: 20 }, (_, i) => spawn('sh', ['-c', `sleep 0.${i % 5}; exit ${i}`]));
    const codes = Promise.all(own.map((child) => once(child, 'exit').then(([code]) => code)));
    await waitFor(() => !existsSync(`/proc/${Number(text)}`) || undefined, 10);
    expect(await codes).toEqual(own.map((_, i) => i));
  },
);

test('reaps no child of Node that loses its main thread first', unlessMissing(noPackageHere()), async () => {
  adoptOrphans();
  const exitThread = `require(${JSON.stringify(require.resolve('@koromix/koffi-linux-x64'))}).load(null).func('long syscall(long number, long status)')(60, 0)`;
  const child = spawn(process.execPath, ['-e', exitThread], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await waitFor(() => stateOf(child.pid as number) === 'Z' || undefined, 10); // its other threads run on
  spawn('true'); // its exit starts the first look a second later
  await sleep(1500);
  await soon(); // timers run before Node handles the signals of this phase
  child.kill('SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000); // until the second look is due
  expect(await exited).toEqual([null, 'SIGKILL']);
});

test('a program of a process that writes no core files writes none', unlessMissing(noPackageHere()), () => {
  const module = JSON.stringify(new URL('../../functions/auditor/host/core-files.ts', import.meta.url).href);
  const script = `(await import(${module})).writeNoCoreFiles(); (await import('node:child_process')).execSync('ulimit -c', { stdio: 'inherit' })`;
  const [shell, ...limited] = ['sh', '-c', 'ulimit -S -c 1024 && exec "$0" --input-type=module -e "$1"'];
  expect(execFileSync(shell as string, [...limited, process.execPath, script]).toString()).toBe('0\n');
});

test('removes the folders of exited processes, and of an earlier process with the own pid only if asked to', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'stale-'));
  const [own, alive, exited] = [process.pid, process.ppid, 4_194_305].map((pid) => `work-${pid}-abc`); // the last is no possible pid
  for (const name of [own, alive, exited, 'other'])
    mkdirSync(join(dir, name as string, 'profile'), { recursive: true });
  await removeStale(dir, 'work-');
  expect(readdirSync(dir).sort()).toEqual([own, alive, 'other'].sort());
  await removeStale(dir, 'work-', { ownPid: true });
  expect(readdirSync(dir).sort()).toEqual([alive, 'other'].sort());
  rmSync(dir, { recursive: true });
});
