import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFile } from '../../infra/local/data-folder.ts';
import { residentOf } from '../support/processes.ts';
import { startArguments } from '../support/service.ts';
import { type Load, load } from './api.ts';
import { bundledFolder } from './bundled-folder.ts';
import { nextMessage, removeFolder, startNode } from './children.ts';
import { median } from './numbers.ts';
import { getJson, startService } from './service.ts';

/** Figures of a service with a history: seconds of its starts, MiB of memory and of its database, and its reads. */
export type StoredFigures = {
  checks: number;
  runs: number;
  pages: number;
  startSeconds: number[];
  databaseMiB: number;
  memory: { idle: number; peak: number };
  loads: Load[];
}[];

type Options = { short: boolean; log: (line: string) => void };

const REGIONS = 3;
const PAGES = 334; // with three regions, 1,002 entries of /v1/pages
const STARTS = 3;
const READY_MS = 120_000;

/** Measures the service on a tenth of the history and on all of it, because no figure should grow with the history. */
export const measureStored = async ({ short, log }: Options): Promise<StoredFigures> => {
  const figures: StoredFigures = [];
  for (const checks of short ? [500] : [2000, 20_000]) figures.push(await measure(checks, { short, log }));
  return figures;
};

const measure = async (checks: number, { short, log }: Options): Promise<StoredFigures[number]> => {
  const dataDir = await bundledFolder();
  const pages = short ? 20 : PAGES;
  const args = [...startArguments('test/bench/stored-history.ts'), dataDir, `${checks}`, `${pages}`];
  await using filler = startNode(args, { folder: dataDir, ipc: true });
  const { checkId } = await nextMessage<{ checkId: string }>(filler);
  await filler.exited;
  const databaseMiB = statSync(databaseFile(dataDir)).size / 2 ** 20;
  log(`stored: ${checks} checks and ${REGIONS * checks} runs, a database of ${databaseMiB.toFixed(0)} MiB`);

  await unpackChromium(dataDir);
  const startSeconds: number[] = [];
  for (let i = 1; i < STARTS; i++) {
    await using service = await startService(dataDir);
    startSeconds.push(service.readySeconds);
  }
  await using service = await startService(dataDir);
  startSeconds.push(service.readySeconds);
  log(`stored: started in ${startSeconds.map((each) => each.toFixed(2)).join(', ')} s`);
  const loads: Load[] = [];
  for (const [request, path] of await readsOf(service.url, checkId)) {
    const target = { request, url: `${service.url}${path}` };
    await load(target, { connections: 1, seconds: 1, maxRequests: 20 }); // warm-up
    const figures = await load(target, { connections: 1, seconds: short ? 1 : 3 });
    if (figures.errors > 0) throw new Error(`GET ${path} had ${figures.errors} errors`);
    loads.push(figures);
    log(`stored: ${request}: p50 ${figures.p50.toFixed(1)} ms, p99 ${figures.p99.toFixed(1)} ms`);
  }
  const memory = { idle: residentOf(service.pid, 'VmRSS'), peak: residentOf(service.pid, 'VmHWM') };
  log(
    `stored: ${memory.idle.toFixed(0)} MiB, at most ${memory.peak.toFixed(0)} MiB, median start ${median(startSeconds).toFixed(2)} s`,
  );
  await service[Symbol.asyncDispose]();
  await removeFolder(dataDir);
  return { checks, runs: REGIONS * checks, pages: REGIONS * pages, startSeconds, databaseMiB, memory, loads };
};

/** Starts the service once, until it can audit, so that the other starts have no Chromium to unpack. */
const unpackChromium = async (dataDir: string): Promise<void> => {
  await using service = await startService(dataDir);
  for (const deadline = Date.now() + READY_MS; !(await fetch(`${service.url}/ready`)).ok; await pause(200))
    if (Date.now() > deadline) throw new Error(`The service is not ready after ${READY_MS} ms`);
};

/** Returns the requests that read the history, by name. */
const readsOf = async (url: string, checkId: string): Promise<[string, string][]> => {
  const { nextCursor } = await getJson<{ nextCursor: string | null }>(`${url}/v1/pages?limit=100`);
  const page = encodeURIComponent('https://example.com/pages/0');
  return [
    ['checks', '/v1/checks?limit=100'],
    ['checks of a page', `/v1/checks?limit=100&url=${page}`],
    ['checks with a label that none has', '/v1/checks?limit=100&label=branch:none'],
    ['failed checks, of which there are none', '/v1/checks?limit=100&state=failed'],
    ['runs of a page', `/v1/runs?limit=100&url=${page}`],
    ['pages', '/v1/pages?limit=100'],
    ...(nextCursor === null
      ? []
      : [['pages, next 100', `/v1/pages?limit=100&cursor=${nextCursor}`] as [string, string]]),
    ['pages with a label that none has', '/v1/pages?limit=100&label=branch:none'],
    ['comparison with the newest with a label', `/v1/checks/${checkId}/comparison?base=label:branch=main`],
    ['comparison with a pool of 10', `/v1/checks/${checkId}/comparison?base=label:branch=main&pool=10`],
    ['check', `/v1/checks/${checkId}`],
    ['schedules', '/v1/schedules'],
    ['webhooks', '/v1/webhooks'],
    ['readiness', '/ready'],
  ];
};
