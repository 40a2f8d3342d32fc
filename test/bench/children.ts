import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startedWith } from '../support/processes.ts';

export type Child = Awaited<ReturnType<typeof startNode>>;

export const root = fileURLToPath(new URL('../..', import.meta.url));

const GRACE_MS = 5000;
const running = new Set<Child>();
const folders = new Set<string>();
let ending: Promise<void> | undefined;

/** Creates a temporary folder. `endAll` removes it. */
export const newFolder = (): string => {
  if (ending) throw new Error('The bench is ending');
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  folders.add(folder);
  return folder;
};

/** Returns the folder of Chromium and of the auditor's bundle for a service on a data folder. */
export const programsOf = (dataDir: string): string => join(dataDir, 'programs');

export const removeFolder = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  folders.delete(folder);
};

/**
 * Starts a Node process of the same release, in a session of its own. Ctrl-C then reaches only the bench, which ends its
 * children. `folder` is the home and the temporary folder of this one child. The child inherits only `PATH`.
 */
export const startNode = (
  args: string[],
  { folder, env = {}, ipc = false }: { folder: string; env?: Record<string, string>; ipc?: boolean },
) => {
  if (ending) throw new Error('The bench is ending');
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    env: { PATH: process.env.PATH, LANG: 'en_US.UTF-8', HOME: folder, TMPDIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    serialization: 'advanced',
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${process.execPath} did not start`);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data) => {
      output = (output + data).slice(-4000);
    });
  }
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);

  /** Sends SIGTERM, and SIGKILL after a grace period. Processes that the child started stay. */
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await Promise.race([exited, pause(GRACE_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await exited;
  };

  /** Stops the child and kills every process that has its folder in its environment. */
  const end = async (): Promise<void> => {
    await stop();
    for (let left = startedWith(folder); left.length > 0; left = startedWith(folder)) {
      for (const each of left) kill(each);
      await pause(20);
    }
    running.delete(started);
  };
  const started = { pid, child, exited, output: () => output.trim(), stop, end, [Symbol.asyncDispose]: end };
  running.add(started);
  return started;
};

/** Returns the next message of a child that was started with `ipc`. Throws if the child exits before. */
export const nextMessage = async <T>({ child, exited, output }: Child): Promise<T> => {
  const ended = exited.then((code) => {
    throw new Error(`${child.spawnargs.slice(1).join(' ')} exited with ${code}:\n${output()}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message as T;
};

/** Ends every child and removes every folder. After it no child can start. */
export const endAll = (): Promise<void> => {
  ending ??= (async () => {
    await Promise.all([...running].map((child) => child.end()));
    await Promise.all([...folders].map(removeFolder));
  })();
  return ending;
};

const kill = (pid: number) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has exited
  }
};
