import { type ChildProcess, fork } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import type { User } from '../host/privileges.ts';
import type { LaunchSettings } from '../messages.ts';

/** Returns the file of the child: its bundle in a folder, or until the folder exists its source or the bundle beside ours. */
export const childModule = (bundleDir?: string): string => {
  const bundle = bundleDir && join(bundleDir, 'child.mjs');
  if (bundle && existsSync(bundle)) return bundle;
  const isSource = import.meta.filename.endsWith('.ts');
  return join(import.meta.dirname, isSource ? '../child/child.ts' : 'child.mjs');
};

/** Starts a child process that imports a Lighthouse release. `dir` is its work folder. */
export const forkChild = (module: string, version: AuditVersion, dir: string, user: User | undefined): ChildProcess =>
  fork(module, [version, dir, String(process.pid)], {
    detached: true, // starts a process group, so that one kill ends all its processes
    serialization: 'advanced', // sends the report as bytes, not as JSON
    execArgv: [],
    cwd: dir,
    env: childEnv(dir),
    ...user,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });

/**
 * Calls back once, after a child has exited and its last message was received. Node may report the exit before it has read
 * the channel to its end.
 */
export const onceEnded = (
  child: EventEmitter & { readonly connected: boolean },
  callback: (code: number | null, killedBy: string | null) => void,
): void => {
  child.once('exit', (code: number | null, killedBy: string | null) => {
    if (child.connected) child.once('disconnect', () => callback(code, killedBy));
    else callback(code, killedBy);
  });
};

/** Returns the settings of a browser that keeps its files in the folder. */
export const inFolder = (dir: string, settings: LaunchSettings): LaunchSettings => ({
  ...settings,
  env: { ...childEnv(dir), ...settings.env },
});

/** Returns the complete environment of an auditor. It holds no credentials, because the auditor runs hostile pages. */
const childEnv = (dir: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: dir,
  TMPDIR: dir,
  LANG: 'en_US.UTF-8',
});
