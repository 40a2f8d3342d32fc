import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect } from 'vitest';
import type { Outcome } from '../../functions/lib/store/leases.ts';
import type { Check, CheckInputs } from '../../shared/check.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import { type PageList, type PlacedResult, resultsOf } from '../../shared/pages/pages.ts';
import { runError } from '../../shared/problems.ts';
import { startApi } from './api.ts';
import { fetchDocumented } from './documented.ts';
import { environment } from './environment.ts';
import { aCheck, later } from './world.ts';

type Result = {
  lcps?: number[];
  performance?: number;
  failed?: boolean;
  contended?: boolean;
  days?: number;
  trendDays?: number;
  measured?: Outcome['interactions'];
};
type Audited = Partial<CheckInputs> & { at?: number; createId?: string } & Result;

const t0 = new Date(Date.now() - 3600_000);
const DAY = 24 * 3600;

/** Starts the API for tests of the list of pages. Each test has an owner of its own. */
export const startPages = async () => {
  const api = await startApi({ AUTH: 'keys' });
  const { world } = api;
  const caller = { owner: '', authorization: '' };
  beforeEach(async () => {
    caller.owner = `owner-${randomUUID().slice(0, 8)}`;
    caller.authorization = `Bearer ${(await world.newKey({ owner: caller.owner })).text}`;
  });
  afterAll(() => api.stop());

  const call = (path: string, method = 'GET') =>
    fetchDocumented(`${api.url}${path}`, { method, headers: { authorization: caller.authorization } });
  const get = (query = '') => call(`/v1/pages${query}`);
  const pages = async (query = ''): Promise<PageList & { link: string | null }> => {
    const answer = await get(query);
    expect(answer.status, await answer.clone().text()).toBe(200);
    return { ...((await answer.json()) as PageList), link: answer.headers.get('link') };
  };
  const erase = async (id: string) => expect((await call(`/v1/checks/${id}`, 'DELETE')).status).toBe(204);

  const create = async ({
    at = 0,
    createId = randomUUID(),
    days = 90,
    trendDays = 400,
    ...inputs
  }: Audited = {}): Promise<Check> => {
    const { lcps: _, performance: __, failed: ___, contended: ____, measured: _____, ...sent } = inputs;
    const check = aCheck({ now: later(t0, at), regions: ['us-west1'], ...sent });
    const [expiresAt, trendExpiresAt] = [later(new Date(), days * DAY), later(new Date(), trendDays * DAY)];
    await world.create(check, { owner: caller.owner, createId, expiresAt, trendExpiresAt });
    return check;
  };
  const finish = async (
    check: Check,
    { lcps = [900], performance = 98, failed, contended = false, measured = null }: Result = {},
  ) => {
    const samples = lcps.map((lcp) => ({
      ...noMetrics,
      performance,
      lcp,
      cls: 0.01,
      cpuBusy: 0,
      contended,
    }));
    const {
      cpuBusy: _,
      contended: __,
      ...metrics
    } = samples[Math.floor(samples.length / 2)] as (typeof samples)[number];
    const outcome: Outcome = failed
      ? { state: 'failed', error: runError('dns-failure'), attempts: [] }
      : {
          state: 'succeeded',
          ...metrics,
          samples,
          interactions: measured,
          environment: { ...environment, contended },
          attempts: [],
        };
    for (const run of (await world.find(check.id)).runs) {
      const lease = await world.leases.claim(run, randomUUID(), t0);
      if (lease) await world.leases.finish(lease, outcome, later(t0, 9));
    }
  };
  const audited = async (inputs: Audited = {}): Promise<Check> => {
    const check = await create(inputs);
    await finish(check, inputs);
    return check;
  };
  return { world, caller, call, get, pages, erase, create, finish, audited };
};

export const resultsIn = (list: PageList): PlacedResult[] => resultsOf(list.pages);
export const idsOf = (list: PageList): string[] => resultsIn(list).map(({ checkId }) => checkId);
