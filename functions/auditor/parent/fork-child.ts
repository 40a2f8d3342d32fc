import { type ChildProcess, fork } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { log } from '../../lib/log.ts';
import type { FailedTargets } from '../failed-targets.ts';
import { waitForGroupExit } from '../host/orphans.ts';
import type { User } from '../host/privileges.ts';
import { killGroup } from '../host/processes.ts';
import type { HostSettings, ParentMessage } from '../messages.ts';

/** Returns the file of the child: its bundle in a folder, or until the folder exists its source or the bundle beside ours. */
export const childModule = (bundleDir?: string): string => {
  const bundle = bundleDir && join(bundleDir, 'child.mjs');
  if (bundle && existsSync(bundle)) return bundle;
  const isSource = import.meta.filename.endsWith('.ts');
  return join(import.meta.dirname, isSource ? '../child/child.ts' : 'child.mjs');
};

export const WORK_DIR_PREFIX = 'page-audit-'; // the pid of the parent follows

/** Creates the work folder of an auditor. */
export const newWorkDir = async (user: User | undefined): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), `${WORK_DIR_PREFIX}${process.pid}-`));
  if (user) await chown(dir, user.uid, user.gid);
  return dir;
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

/** Sends a message to an auditor. An auditor that can't receive it exits, and its exit ends the audit. */
export const sendTo = (auditor: ChildProcess, message: ParentMessage | FailedTargets): void =>
  void auditor.send(message, () => {});

export type Exit = { code: number | null; killedBy: string | null };

/**
 * Resolves after a child has exited and its last message was received. Node may report the exit before it has read the
 * channel to its end. Rejects if the child can't start.
 */
export const exitOf = (child: EventEmitter & { readonly connected: boolean }): Promise<Exit> => {
  const { promise, resolve, reject } = Promise.withResolvers<Exit>();
  child.on('error', reject);
  child.once('exit', (code: number | null, killedBy: string | null) => {
    if (child.connected) child.once('disconnect', () => resolve({ code, killedBy }));
    else resolve({ code, killedBy });
  });
  return promise;
};

/** Time that a finished auditor has to close its browser, in milliseconds. */
const BROWSER_CLOSE_MS = 1000;
/** Time for the exit of a killed auditor, in milliseconds. */
const EXIT_MS = 30_000;

/** Kills the process group of an auditor and waits for its exit, but not forever, because other audits wait too. */
export const endGroup = async (
  auditor: ChildProcess,
  { exited, completed }: { exited: boolean; completed: boolean },
): Promise<void> => {
  const pid = auditor.pid as number;
  const exit = exited ? Promise.resolve() : once(auditor, 'exit');
  if (completed) await Promise.race([exit, sleep(BROWSER_CLOSE_MS)]); // a closed browser ends its processes by itself
  killGroup(pid);
  const hasExited = await Promise.race([exit.then(() => true), sleep(EXIT_MS, false, { ref: false })]);
  if (!hasExited) log.error('A killed auditor has not exited. It may still use memory and CPU.', { pid });
  await waitForGroupExit(pid); // the browser may still write to its profile
};

/** Keeps the end of the text of a stream. */
export const lastTextOf = (stream: Readable | null): (() => string) => {
  let text = '';
  stream?.on('error', () => {}); // only the log lacks the rest
  stream?.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-10_000);
  });
  return () => text;
};

/** Returns the settings of a browser that keeps its files in the folder. */
export const inFolder = (dir: string, settings: HostSettings): HostSettings => ({
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
