import { setTimeout as pause } from 'node:timers/promises';
import type { CheckView } from '../../shared/check.ts';
import type { RunView } from '../../shared/run.ts';
import { isFinished } from '../../shared/states.ts';
import { freePort } from '../support/free-port.ts';
import { startArguments } from '../support/service.ts';
import { programsOf, startNode } from './children.ts';

export type Service = Awaited<ReturnType<typeof startService>>;

const HEALTH_MS = 20;
const POLL_MS = 25;
const START_LIMIT_MS = 60_000;
const CHECK_LIMIT_MS = 180_000;

/** Starts the service as `npm start` does, on a free port. `readySeconds` is the time until it can audit pages. */
export const startService = async (dataDir: string, env: Record<string, string> = {}) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const startedAt = performance.now();
  const child = startNode(startArguments(), {
    folder: dataDir,
    env: { PORT: new URL(url).port, DATA_DIR: dataDir, CHROMIUM_DIR: programsOf(dataDir), TARGETS: 'local', ...env },
  });
  let printed = '';
  child.child.stdout?.on('data', (data) => {
    printed += data;
  });
  try {
    await Promise.race([
      waitUntilReady(`${url}/ready`),
      child.exited.then((code) => {
        throw new Error(`The service exited with ${code} before it was ready:\n${child.output()}`);
      }),
    ]);
  } catch (error) {
    await child.end();
    throw error;
  }
  const readySeconds = since(startedAt);
  const { pid, stop, end } = child;
  const printedLines = () => printed.split('\n');
  return { url, pid, startedAt, readySeconds, printedLines, stop, [Symbol.asyncDispose]: end };
};

/** Returns the seconds since a time of `performance.now()`. */
export const since = (startedAt: number): number => (performance.now() - startedAt) / 1000;

type ServiceUrl = Pick<Service, 'url'>;
/** Poll interval and time limit for a check. Polling uses some CPU. */
type PollOptions = { pollMs?: number; limitMs?: number };

/** Creates a check and returns its id. */
export const createCheck = async (service: ServiceUrl, body: object): Promise<string> => {
  const created = await fetch(`${service.url}/v1/checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (created.status !== 201) throw new Error(`POST /v1/checks answered ${created.status}: ${await created.text()}`);
  return ((await created.json()) as CheckView).id;
};

/** Polls a check until all its runs are finished. Throws after the time limit. */
export const finishedCheck = async (
  service: ServiceUrl,
  id: string,
  { pollMs = POLL_MS, limitMs = CHECK_LIMIT_MS }: PollOptions = {},
): Promise<CheckView> => {
  for (const deadline = performance.now() + limitMs; ; await pause(pollMs)) {
    const check = await getJson<CheckView>(`${service.url}/v1/checks/${id}`);
    if (check.runs.every((run) => isFinished(run.state))) return check;
    if (performance.now() > deadline) throw new Error(`Check ${id} is still ${check.state} after ${limitMs} ms`);
  }
};

/** Creates a check and polls it until all its runs have succeeded. Throws if a run fails. */
export const succeededCheck = async (
  service: ServiceUrl,
  body: object,
  options: PollOptions = {},
): Promise<CheckView> => {
  const check = await finishedCheck(service, await createCheck(service, body), options);
  const failed = check.runs.find((run) => run.state === 'failed');
  if (failed) throw new Error(`A run failed: ${JSON.stringify(failed.error)}`);
  return check;
};

export const pathOf = (check: CheckView, run: RunView): string => `/v1/checks/${check.id}/runs/${run.id}`;

export const getJson = async <T>(url: string): Promise<T> => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
};

const waitUntilReady = async (url: string): Promise<void> => {
  for (const deadline = performance.now() + START_LIMIT_MS; performance.now() < deadline; await pause(HEALTH_MS)) {
    const response = await fetch(url).catch(() => undefined); // it does not listen yet
    await response?.arrayBuffer();
    if (response?.status === 200) return;
  }
  throw new Error(`${url} did not respond within ${START_LIMIT_MS} ms`);
};
