import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, withoutOwn } from '../environment.ts';
import { ServiceFaultError, UsageError } from '../exit-codes.ts';

/** A service of this command, until `stop`. `ended` aborts if the service ends before. */
export type OwnService = { url: string; ended: AbortSignal; stop: () => Promise<void> };

type Options = { env: Environment; signal: AbortSignal; file?: string; startMs?: number; stopMs?: number };
type Message = { url?: string; error?: string };

const START_MS = 60_000;
const STOP_MS = 15_000;
const serviceFile = join(import.meta.dirname, '../../../infra/local/command-service.ts');

/**
 * Starts the service of this repository on a free port. The service ends with this process. Its data are in `dataDir`,
 * or in a temporary folder. The service deletes that folder, and so does this process if it had to kill the service.
 */
export const startOwnService = async (
  dataDir: string | undefined,
  { env, signal, file = serviceFile, startMs = START_MS, stopMs = STOP_MS }: Options,
): Promise<OwnService> => {
  if (!import.meta.filename.endsWith('.ts')) {
    throw new UsageError(
      [
        'This package has no service inside. Set PAGE_AUDIT_URL to the URL of a page audit service, such as http://127.0.0.1:4080.',
        'To get one, clone the repository of the service. Then run npm ci && npm start, or build its container: docker build -f infra/container/Dockerfile -t page-audit . && docker run -p 127.0.0.1:4080:4080 page-audit.',
      ].join('\n'),
    );
  }
  if (dataDir === '') throw new UsageError('--data has no folder. Name one, such as --data .local.');
  signal.throwIfAborted();
  const temporary =
    dataDir === undefined ? join(tmpdir(), `page-audit-command-${process.pid}-${randomUUID()}`) : undefined;
  const folder = temporary === undefined ? [dataDir as string] : [temporary, 'temporary'];
  const child = spawn(process.execPath, ['--max-semi-space-size=4', file, ...folder], {
    env: withoutOwn(env),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new ServiceFaultError('The service of this command ended unexpectedly.')));
  const remove = () => temporary && rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  const kill = () => {
    child.kill('SIGKILL');
    remove();
  };
  const stopAndRemove = () => stop(child, stopMs).finally(remove);
  process.once('exit', kill); // a second interrupt: a service that does not start does not end by itself either
  try {
    const url = await urlOf(child, startMs, signal);
    return { url, ended: ended.signal, stop: stopAndRemove };
  } catch (error) {
    await stopAndRemove();
    signal.throwIfAborted();
    throw error;
  } finally {
    process.off('exit', kill);
  }
};

/** Returns the URL of the service when it has started. */
const urlOf = async (child: ChildProcess, startMs: number, signal: AbortSignal): Promise<string> => {
  const either = { signal: AbortSignal.any([signal, AbortSignal.timeout(startMs)]) };
  const tooLong = `it took longer than ${startMs / 1000} s. Retry when the machine is less busy.`;
  const [started] = (await Promise.race([once(child, 'message', either), once(child, 'exit', either)]).catch(
    (error: Error) => [{ error: either.signal.aborted ? tooLong : error.message }],
  )) as [Message];
  if (started?.url) return started.url;
  const reason = started?.error ?? 'its process ended';
  throw new ServiceFaultError(
    `The service did not start: ${reason.replaceAll(/([sS])et DATA_DIR to/g, '$1et --data to')}`,
  );
};

/** Ends the service. Kills one that does not end in time. */
const stop = async (child: ChildProcess, ms: number): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect(); // ends the service
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  await exited;
  clearTimeout(timer);
};
