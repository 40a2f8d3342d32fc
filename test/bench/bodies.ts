import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { CheckView } from '../../shared/check.ts';
import type { RunView } from '../../shared/run.ts';
import { startArguments } from '../support/service.ts';
import { type Child, newFolder, nextMessage, startNode } from './children.ts';
import { type LargeBody, largestBodies } from './largest-bodies.ts';
import { table } from './numbers.ts';

/** A request, and the longest time for which the service's event loop stood still meanwhile, in milliseconds. */
export type Stall = { request: string; bytes: number; status: number; seconds: number; stallMs: number };

/** Time in which a stall of an earlier request ends up in the figures. */
const SETTLE_MS = 50;

/** Sends the largest legal body to each route that takes one, and reads what it made. */
export const measureBodies = async (log: (line: string) => void): Promise<Stall[]> => {
  const folder = newFolder();
  await using child = startNode([...startArguments('test/bench/bodies-server.ts'), folder], { folder, ipc: true });
  const { url } = await nextMessage<{ url: string }>(child);
  const stalls: Stall[] = [];
  const send = async (request: string, path: string, init: RequestInit = {}): Promise<Response> => {
    await stallOf(child);
    const startedAt = performance.now();
    const answer = await fetch(`${url}${path}`, init);
    const text = await answer.text();
    const seconds = (performance.now() - startedAt) / 1000;
    const { status, headers } = answer;
    const bytes = (init.body as Buffer | undefined)?.length ?? text.length;
    stalls.push({ request, bytes, status, seconds, stallMs: await stallOf(child) });
    log(`bodies: ${request}: ${status}, ${stalls.at(-1)?.stallMs.toFixed(0)} ms`);
    if (status >= 400) log(`  ${text.slice(0, 300)}`);
    return new Response(status === 204 ? null : text, { status, headers });
  };
  const made: Record<string, string> = {};
  for (const body of largestBodies()) {
    const answer = await send(`${body.route}, ${body.of}`, pathOf(body, made), initOf(body));
    const { id } = (await answer
      .clone()
      .json()
      .catch(() => ({}))) as { id?: string };
    const name = idNames[body.route];
    if (name && id) made[name] ??= id;
    const location = answer.headers.get('location');
    if (!location) continue;
    const read = await send(`GET ${body.route.split(' ')[1]}/{id}`, location);
    if (body.route === 'POST /v1/reports') await readReport((await read.json()) as CheckView, made, send);
  }
  return stalls;
};

/** Reads everything that the service derives from a report. */
const readReport = async (
  { id, runs }: CheckView,
  made: Record<string, string>,
  send: (request: string, path: string, init?: RequestInit) => Promise<Response>,
): Promise<void> => {
  const { fixes, report, screenshot, filmstrip } = (runs[0] as RunView).links as Record<string, string>;
  for (const [name, path = ''] of Object.entries({ fixes, screenshot, filmstrip })) await send(`GET ${name}`, path);
  await send('GET report as HTML', `${report}`, { headers: { accept: 'text/html' } });
  await send('GET comparison', `/v1/checks/${id}/comparison?base=${made.checkId}`);
  await send('GET explanation', `/v1/checks/${id}/explanation?base=${made.checkId}`);
};

/** The parameter of a path that each route makes. */
const idNames: Partial<Record<LargeBody['route'], string>> = {
  'POST /v1/reports': 'checkId',
  'POST /v1/schedules': 'scheduleId',
  'POST /v1/projects/lookup': 'projectId',
  'POST /v1/projects/{projectId}/builds': 'buildId',
};

const pathOf = ({ route }: LargeBody, made: Record<string, string>): string =>
  (route.split(' ')[1] ?? '').replace(/\{(\w+)\}/g, (_, name: string) => made[name] ?? name);

const initOf = ({ route, bytes, coding }: LargeBody): RequestInit => ({
  method: route.split(' ')[0] ?? '',
  body: bytes as BodyInit,
  headers: { 'content-type': 'application/json', ...(coding && { 'content-encoding': coding }) },
});

/** Returns the longest stall since the last call. */
const stallOf = async ({ child }: Child): Promise<number> => {
  await pause(SETTLE_MS);
  const answer = once(child, 'message');
  child.send('stall');
  return (await answer)[0];
};

export const bodiesTable = (stalls: readonly Stall[]): string =>
  table(
    ['request', 'MiB', 'status', 'seconds', 'longest stall in ms'],
    stalls
      .toSorted((a, b) => b.stallMs - a.stallMs)
      .map(({ request, bytes, status, seconds, stallMs }) => [
        ...[request, (bytes / 2 ** 20).toFixed(2), `${status}`],
        ...[seconds.toFixed(2), stallMs.toFixed(0)],
      ]),
  );
