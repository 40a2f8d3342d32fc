import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { withoutOwn } from '../environment.ts';
import { UsageError } from '../exit-codes.ts';
import type { Collect } from '../lighthouserc/collect.ts';
import { htmlFilesIn, serveFolder } from './folder-server.ts';

/** The URLs of the pages, and the server that ends with the command. */
type Served = AsyncDisposable & { urls: readonly string[] };

/**
 * Serves the pages of a lighthouserc file while the command runs: its `staticDistDir` on loopback, or by its
 * `startServerCommand`. `check` throws if the command can't audit the URLs.
 */
export const servePages = async (
  collect: Collect,
  urls: readonly string[],
  context: Context,
  check: (urls: readonly string[]) => void,
): Promise<Served> => {
  const { staticDistDir, startServerCommand } = collect;
  if (staticDistDir !== undefined) return serveStatic(staticDistDir, collect, urls, context, check);
  check(urls);
  if (startServerCommand === undefined) return { urls, [Symbol.asyncDispose]: async () => {} };
  return { urls, ...(await startServer(startServerCommand, collect, context)) };
};

const serveStatic = async (
  folder: string,
  collect: Collect,
  given: readonly string[],
  { serviceUrl, note }: Context,
  check: (urls: readonly string[]) => void,
): Promise<Served> => {
  const { autodiscoverUrlBlocklist = [], maxAutodiscoverUrls = 5, staticDirFileDiscoveryDepth = 2 } = collect;
  const server = await serveFolder(folder, collect.isSinglePageApplication ?? false);
  try {
    const onServer = (url: string) => urlOn(server.port, url);
    const blocked = autodiscoverUrlBlocklist.map(onServer);
    const found = () => htmlFilesIn(folder, staticDirFileDiscoveryDepth).map(onServer);
    const limit = maxAutodiscoverUrls || Number.POSITIVE_INFINITY;
    const urls =
      given.length > 0
        ? given.map(onServer)
        : found()
            .filter((url) => !blocked.includes(url))
            .slice(0, limit);
    if (urls.length === 0) throw new UsageError(`${folder} has no HTML file. Build the site, or name a URL.`);
    check(urls);
    note(`${folder} is served on http://localhost:${server.port}/ while the command runs.`);
    if (serviceUrl && !isLoopback(serviceUrl)) {
      note(`The service at ${serviceUrl} may not reach this machine. Unset PAGE_AUDIT_URL to audit from here.`);
    }
    return { urls, [Symbol.asyncDispose]: server.close };
  } catch (error) {
    await server.close();
    throw error;
  }
};

/** Returns a URL with the port of the server, if the server has the page. A path such as `about.html` is on the server. */
const urlOn = (port: number, given: string): string => {
  if (!URL.canParse(given, 'http://localhost')) return given;
  const url = new URL(given, 'http://localhost');
  if (url.protocol !== 'http:' || !isLoopback(url.href)) return given;
  url.port = String(port);
  return url.href;
};

const isLoopback = (url: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

const MAX_OUTPUT = 4000;
const STOP_MS = 5000;

/** Starts a server with a shell, and waits until it prints the pattern. After the timeout, the audits start anyway. */
const startServer = async (
  command: string,
  collect: Collect,
  { signal, note, env }: Context,
): Promise<AsyncDisposable> => {
  const { startServerReadyPattern = 'listen|ready', startServerReadyTimeout = 10_000 } = collect;
  signal.throwIfAborted();
  const isReady = new RegExp(startServerReadyPattern, 'i');
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(command, { shell: true, detached: true, stdio: [...stdio], env: withoutOwn(env) });
  const kill = () => signalGroup(child, 'SIGKILL');
  process.once('exit', kill); // a second interrupt ends this process at once
  const stop = async () => {
    process.off('exit', kill);
    await stopServer(child);
  };
  let output = '';
  const ready = new Promise<'ready'>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        if (isReady.test(text)) resolve('ready');
        output = (output + text).slice(-MAX_OUTPUT);
      });
    }
  });
  const failed = new Promise<number>((resolve) => {
    child.once('exit', (code) => code !== 0 && resolve(code ?? 1));
    child.once('error', () => resolve(1));
  });
  const waiting = new AbortController();
  const timeout = delay(startServerReadyTimeout, 'late' as const, {
    signal: AbortSignal.any([signal, waiting.signal]),
  }).catch(() => 'late' as const);
  const result = await Promise.race([ready, failed, timeout]);
  waiting.abort();
  if (signal.aborted || typeof result === 'number') {
    await stop();
    signal.throwIfAborted();
    const text = output.trim() === '' ? '' : ` Its output was:\n${output.trim()}`;
    throw new UsageError(`ci.collect.startServerCommand ended with exit code ${result}: ${command}.${text}`);
  }
  if (result === 'late') {
    note(
      `The server printed nothing that matches ${isReady} within ${startServerReadyTimeout} ms. The audits start now. Correct startServerReadyPattern, or raise startServerReadyTimeout.`,
    );
  } else note(`The server of ci.collect.startServerCommand runs until the command ends: ${command}`);
  return { [Symbol.asyncDispose]: stop };
};

/** Ends the shell and the processes that it started. A process that outlives its time is killed. */
const stopServer = async (child: ChildProcess): Promise<void> => {
  const closed = once(child, 'close');
  const isOver = child.exitCode !== null && child.stdout?.closed && child.stderr?.closed;
  if (!isOver) {
    signalGroup(child, 'SIGTERM');
    const waiting = new AbortController();
    await Promise.race([closed, delay(STOP_MS, undefined, { signal: waiting.signal }).catch(() => {})]);
    waiting.abort();
  }
  signalGroup(child, 'SIGKILL');
  child.stdout?.destroy(); // a process that left the group may hold the pipes
  child.stderr?.destroy();
  child.unref();
};

const signalGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // the group has ended
  }
};
