import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareChromium } from '../../functions/auditor/host/chromium.ts';
import type { CheckView } from '../../shared/check.ts';
import { auditorDir } from './auditor-dir.ts';
import { chromiumDir, makeReadable, testChromium } from './chromium-dir.ts';
import { compileCache } from './compile-cache.ts';
import { outputOf } from './output.ts';
import { commandOf, pids } from './processes.ts';

/** Limit of each wait. It ends a test that hangs, and says nothing about speed. */
const PATIENCE_SECONDS = 300;

/** Returns the Node.js arguments of `npm start`, with another module in place of the service if `main` is given. */
export const startArguments = (main?: string): string[] => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    scripts: { start: string };
  };
  const given = scripts.start.split(' ').slice(2); // exec, node
  return main ? [...given.slice(0, -1), main] : given;
};

/** Starts the service as `npm start` does, on a free port. `by` is the prefix of the command. */
export const startLocally = async (dataDir: string, env: Record<string, string> = {}, by: readonly string[] = []) => {
  const [command, ...given] = [...by, process.execPath, ...startArguments()] as [string, ...string[]];
  const { PATH, HOME, CHROMIUM } = process.env;
  const child = spawn(command, given, {
    env: {
      ...compileCache,
      PATH,
      HOME,
      TMPDIR: tmpdir(),
      PORT: '0',
      DATA_DIR: dataDir,
      CHROMIUM_DIR: await preparedPrograms(),
      ...(CHROMIUM && { CHROMIUM }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = outputOf(child);
  const exited = once(child, 'exit');
  const url = await waitFor(() => {
    if (child.exitCode !== null) throw new Error(`The service has ended: ${output()}`);
    return output().match(/http:\/\/[\d.]+:\d+/)?.[0];
  });

  const post = async (body: unknown): Promise<{ id: string; runs: { id: string }[] }> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const answer = await fetchWhenAvailable(`${url}/v1/checks`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { id: string; runs: { id: string }[] };
  };
  const get = async (id: string): Promise<CheckView> => {
    const answer = await fetchWhenAvailable(`${url}/v1/checks/${id}`);
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.json()) as CheckView;
  };

  return {
    url,
    pid: child.pid as number,
    output,
    post,
    get,
    /** Returns the check when `holds` is true. */
    until: (id: string, holds: (check: CheckView) => boolean, seconds = PATIENCE_SECONDS) =>
      waitFor(
        async () => {
          const check = await get(id);
          return holds(check) ? check : undefined;
        },
        seconds,
        250,
      ), // a poll takes CPU time from the audit
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    exited: async () => (await exited) as [number | null, NodeJS.Signals | null],
    stop: () => stop(child, exited),
  };
};

/** Returns a folder with the tests' Chromium and auditor's bundle, so that a service unpacks and builds none. */
export const preparedPrograms = async (): Promise<string> => {
  await prepareChromium(testChromium());
  const folder = dirname(await auditorDir());
  makeReadable(folder);
  for (const name of readdirSync(chromiumDir()).filter((each) => /^(chromium|fonts)-[^/]*$/.test(each))) {
    try {
      symlinkSync(join(chromiumDir(), name), join(folder, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return folder;
};

const stop = async (child: ChildProcess, exited: Promise<unknown>): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await exited;
};

/** Fetches, and retries a 503 as a client must: on a busy machine the engine may answer late. */
export const fetchWhenAvailable = (url: string, init: RequestInit = {}): Promise<Response> =>
  waitFor(
    async () => {
      const answer = await fetch(url, init);
      return answer.status === 503 ? undefined : answer;
    },
    PATIENCE_SECONDS,
    1000,
  );

/** Polls `probe` until it returns a value. */
export const waitFor = async <T>(
  probe: () => T | undefined | Promise<T | undefined>,
  seconds = PATIENCE_SECONDS,
  pauseMs = 50,
): Promise<T> => {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`The condition did not hold within ${seconds} seconds.`);
    await sleep(pauseMs);
  }
};

/** Returns the processes whose command line contains a text, such as the work folder of auditors and browsers. */
export const processesWith = (text: string): { pid: number; command: string }[] =>
  pids()
    .map((pid) => ({ pid, command: commandOf(pid) }))
    .filter(({ pid, command }) => command.includes(text) && pid !== process.pid);

/** Returns the temporary folders of a service process, and its auditors and browsers. */
export const remainsOf = (pid: number) => ({
  folders: readdirSync(tmpdir()).filter((name) => name.startsWith(`page-audit-${pid}-`)),
  processes: processesWith(`page-audit-${pid}-`),
});

/** Returns the auditors of a service process. */
export const auditorsOf = (pid: number) =>
  processesWith(`page-audit-${pid}-`).filter(({ command }) => /child\.(ts|mjs) /.test(command));

/** Returns the main processes of the browsers of a service process. */
export const browsersOf = (pid: number) =>
  processesWith(`page-audit-${pid}-`).filter(
    ({ command }) => / --user-data-dir=/.test(command) && !/ --type=/.test(command),
  );
