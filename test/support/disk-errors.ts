import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { waitFor } from './service.ts';

/** Returns why this machine can't let system calls of a process fail. */
export const noDiskErrorsHere = (): string | undefined => {
  const attach = 'sleep 0.5 & exec strace -qq -o /dev/null -p $!';
  const { status, stderr } = spawnSync('sh', ['-c', attach], { encoding: 'utf8' });
  return status === 0 ? undefined : `errors of a disk need strace, and the right to attach it: ${stderr.trim()}`;
};

/**
 * Lets system calls of a running process fail with EIO, as those of a broken disk do: all of them, or those of one file.
 * Returns the function that ends it.
 */
export const breakDisk = async (pid: number, calls: string, file?: string) => {
  const options = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`];
  const strace = spawn('strace', [...options, ...(file ? ['-P', file] : []), '-p', `${pid}`], { stdio: 'inherit' });
  onTestFinished(() => void strace.kill());
  const exited = once(strace, 'exit');
  await waitFor(() => tracersOf(pid).every((tracer) => tracer === strace.pid) || undefined);
  return async () => {
    strace.kill();
    await exited;
  };
};

/** Returns the process that traces each thread of a process, or 0. */
const tracersOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(/^TracerPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'))?.[1]),
  );
