import { createRequire } from 'node:module';
import { join } from 'node:path';
import type Autocannon from 'autocannon';
import type { AuditVersion } from '../../shared/audit-versions.ts';
import { extraFolder } from '../support/extra-packages.ts';
import { startArguments } from '../support/service.ts';
import type { Command } from './api-server.ts';
import { newFolder, nextMessage, startNode } from './children.ts';
import { quantile } from './numbers.ts';
import { type CpuProfile, type Profile, partsOf } from './profile.ts';
import { pathOf, type Service, succeededCheck } from './service.ts';

export type Load = {
  request: string;
  connections: number;
  p50: number; // ms
  p99: number;
  perSecond: number;
  requests: number;
  errors: number; // no response, or a status other than 2xx
};
export type ApiFigures = { loads: Load[]; profiles: Profile[] };

type Options = {
  service: Service;
  pageUrl: string;
  version: AuditVersion;
  seconds: number; // of each load
  log: (line: string) => void;
};
type Sent = { headers?: Record<string, string>; method?: 'POST'; body?: string };
type Target = Sent & { request: string; url: string; requests?: Sent[] };

const CONNECTIONS = [1, 32] as const;
const MAX_CREATES = 3000;
/** Creates of one owner in a load. The plan allows 600 at once. */
const MAX_CREATES_OF_OWNER = 500;

/**
 * Measures creates and reads. Creates go to the API alone, so that no audit runs meanwhile: without keys, with keys whose
 * owners have limits, and with one such key. Lists and the read beside them go to the API alone, too. Other reads go to the complete
 * service and get a finished run.
 */
export const measureApi = async ({ service, pageUrl, version, seconds, log }: Options): Promise<ApiFigures> => {
  const body = JSON.stringify({ url: pageUrl, auditVersion: version, regions: ['us-west1'] });
  const json = { 'content-type': 'application/json' };
  const loads: Load[] = [];
  const record = async (target: Target, connections: number, maxRequests?: number) => {
    const figures = await load(target, { connections, seconds, maxRequests });
    loads.push(figures);
    log(`api: ${target.request}, ${connections} connection(s): ${figures.perSecond.toFixed(0)} requests/s`);
  };
  const measure = async (targets: Target[], maxRequests?: number) => {
    for (const target of targets) await load(target, { connections: 8, seconds: 1, maxRequests: 200 }); // warm-up
    for (const connections of CONNECTIONS) for (const target of targets) await record(target, connections, maxRequests);
  };

  await using api = await startApi('open');
  await using apiWithKeys = await startApi('keys');
  const one = { method: 'POST' as const, headers: json, body };
  const create: Target = { request: 'create', url: `${api.url}/v1/checks`, ...one };
  const withKeys = (request: string, keys: readonly string[]): Target => ({
    request,
    url: `${apiWithKeys.url}/v1/checks`,
    requests: keys.map((key) => ({ ...one, headers: { ...json, authorization: `Bearer ${key}` } })),
  });
  const ofOneOwner = apiWithKeys.keys.slice(-3).map((key) => withKeys('create, all with one key', [key]));
  await measure([create, withKeys('create, with a key and limits', apiWithKeys.keys.slice(0, -3))], MAX_CREATES);
  for (const [i, connections] of CONNECTIONS.entries())
    await record(ofOneOwner[i] as Target, connections, MAX_CREATES_OF_OWNER);
  const profiled = async (of: string, { profile }: typeof api, target: Target, maxRequests: number) => {
    await profile('start'); // only now: profiling slows the server
    const { requests: count } = await load(target, { connections: 32, seconds, maxRequests });
    const parts = partsOf(await profile('stop'));
    log(`api: profile of ${count} ${of}`);
    return { of, count, parts };
  };
  const profiles = [
    await profiled('creates', api, create, MAX_CREATES),
    await profiled('creates with one key', apiWithKeys, ofOneOwner[2] as Target, MAX_CREATES_OF_OWNER),
  ];
  await apiWithKeys.end();
  await api.end();

  const listed = seconds > 1 ? 100_000 : 2000;
  await using apiWithChecks = await startApi('open', listed);
  const answer = await fetch(`${apiWithChecks.url}/v1/checks`, one);
  const { id } = (await answer.json()) as { id: string };
  await measure([
    { request: 'read new check', url: `${apiWithChecks.url}/v1/checks/${id}` },
    { request: `list 100 of ${listed} checks`, url: `${apiWithChecks.url}/v1/checks?limit=100` },
  ]);
  await apiWithChecks.end();

  const check = await succeededCheck(service, JSON.parse(body));
  const [run] = check.runs;
  if (!run) throw new Error(`check ${check.id} has no run`);
  await measure([{ request: 'read check', url: `${service.url}/v1/checks/${check.id}` }]);
  await measure([{ request: 'read run', url: `${service.url}${pathOf(check, run)}` }]);
  const report = `${service.url}${pathOf(check, run)}/report`;
  await measure([{ request: 'read report (gzip)', url: report, headers: { 'accept-encoding': 'gzip' } }]);
  return { loads, profiles };
};

/** Starts the API on a table that holds this number of closed checks. */
const startApi = async (auth: 'open' | 'keys', listed = 0) => {
  const folder = newFolder();
  const server = startNode([...startArguments('test/bench/api-server.ts'), folder, auth, `${listed}`], {
    folder,
    ipc: true,
  });
  const { url, keys } = await nextMessage<{ url: string; keys: string[] }>(server);

  const profile = async <C extends Command>(command: C): Promise<C extends 'stop' ? CpuProfile : undefined> => {
    const answer = command === 'stop' ? nextMessage<{ profile: CpuProfile }>(server) : undefined;
    server.child.send(command);
    return (await answer)?.profile as C extends 'stop' ? CpuProfile : undefined;
  };
  return { url, keys, profile, end: server.end, [Symbol.asyncDispose]: server.end };
};

/** Sends requests over keep-alive connections. Each connection sends its next request after the response to the last one. */
export const load = async (
  { request, ...target }: Target,
  { connections, seconds, maxRequests }: { connections: number; seconds: number; maxRequests?: number | undefined },
): Promise<Load> => {
  const times: number[] = [];
  const startedAt = performance.now();
  let lastAt = startedAt;
  const options = {
    ...target,
    connections,
    duration: seconds,
    ...(maxRequests && { maxOverallRequests: maxRequests }),
  };
  const autocannon: typeof Autocannon = createRequire(import.meta.url)(join(extraFolder('bench'), 'autocannon'));
  const { non2xx, errors } = await new Promise<Autocannon.Result>((resolve, reject) => {
    const instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    instance.on('response', (_client, _status, _bytes, milliseconds) => {
      times.push(milliseconds);
      lastAt = performance.now();
    });
  });
  return {
    request,
    connections,
    p50: quantile(times, 0.5), // from our own times, because autocannon rounds to milliseconds
    p99: quantile(times, 0.99),
    perSecond: times.length / ((lastAt - startedAt) / 1000),
    requests: times.length,
    errors: non2xx + errors,
  };
};
