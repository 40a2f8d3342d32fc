import { afterEach, describe, expect, test, vi } from 'vitest';
import { smoke } from '../../clients/api/smoke.ts';
import { canary } from '../../functions/canary.ts';
import * as logging from '../../functions/lib/log.ts';
import type { CheckView } from '../../shared/check.ts';
import type { Run } from '../../shared/run.ts';
import { judge } from '../../shared/service/known-page.ts';
import { checkWith, failed, resultOf, samplesOf, succeeded } from '../support/check-results.ts';
import { environment } from '../support/environment.ts';

afterEach(() => vi.restoreAllMocks());

const known = { performance: 100, accessibility: 100, bestPractices: 100, seo: 100 };
const good = (change: Partial<Run> = {}) => succeeded(samplesOf('unchanged', 0, 1), { ...known, ...change });
const checkOf = (run: Partial<Run>): CheckView => resultOf(checkWith({ 'us-west1': run })).check;
const judged = (run: Partial<Run>) => judge(checkOf(run).runs[0] as CheckView['runs'][0]);

describe('a run of the known page', () => {
  test('passes with the known results, and shows them', () => {
    expect(judged(good())).toEqual({
      region: 'us-west1',
      values: {
        'cold start': '0.0 s',
        turnaround: '31.0 s',
        performance: '100',
        accessibility: '100',
        'best practices': '100',
        SEO: '100',
        steal: '0.0 %',
        'CPU wait': '4 ms',
        'CPU in use': '2.0 %',
        benchmark: '2734',
      },
      faults: [],
    });
  });

  test('passes on a host that does not report how long a page waited for a CPU', () => {
    expect(judged(good({ environment: { ...environment, cpuWaitMs: null } }))).toMatchObject({
      values: { 'CPU wait': '–' },
      faults: [],
    });
  });

  test.each([
    [{ performance: 94 }, 'performance 94 is below 95'],
    [{ accessibility: 96 }, 'accessibility 96 is below 100'],
    [{ seo: null }, 'SEO is unknown'],
    [{ finishedAt: '2026-11-25T12:02:01.000Z' }, 'turnaround 121.0 s is above 120.0 s'],
    [{ environment: { ...environment, cpuStolen: 0.16 } }, 'steal 16.0 % is above 15.0 %'],
    [{ environment: { ...environment, benchmarkIndex: 499 } }, 'benchmark 499 is below 500'],
    [failed('browser-crashed'), 'failed: browser-crashed'],
    [{ state: 'running', finishedAt: null }, 'not finished: running'],
  ] satisfies [Partial<Run>, string][])('fails with %j', (change, fault) => {
    expect(judged(good(change)).faults).toEqual([fault]);
  });
});

test('a smoke test audits the sample page in each region, and judges an unfinished check when the time is over', async () => {
  const unfinished = checkOf({ state: 'running' });
  const create = vi.fn(async () => unfinished as never);
  const wait = (_: string, { signal }: { signal?: AbortSignal | undefined } = {}) =>
    new Promise<CheckView>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const order = { url: 'https://api.example/', regions: ['us-west1'], purpose: 'smoke', limitMs: 1 } as const;
  const results = await smoke({ create, wait, get: async () => unfinished }, order);
  const page = { url: 'https://api.example/sample', regions: ['us-west1'] };
  expect(create).toHaveBeenCalledWith(expect.objectContaining(page));
  expect(results.map(({ faults }) => faults)).toEqual([['not finished: running']]);
  const broken = { create, wait: () => Promise.reject(new Error('refused')), get: async () => unfinished };
  await expect(smoke(broken, { ...order, limitMs: 60_000 })).rejects.toThrow('refused');
});

test('the canary counts the regions that failed, and all of them if the API gives no results', async () => {
  const emit = vi.spyOn(logging, 'emit').mockImplementation(() => {});
  const error = vi.spyOn(logging.log, 'error').mockImplementation(() => {});
  vi.spyOn(logging.log, 'info').mockImplementation(() => {});
  const results = [judged(good()), judged(good({ performance: 50 }))];
  const run = (audit: () => Promise<typeof results>) =>
    canary({
      env: { API_URL: 'https://api.example', REGIONS: ['us-west1', 'europe-north1'] },
      makeKey: async () => 'key',
      audit,
    })();
  await run(async () => results);
  await run(async () => [judged(good())]);
  await run(() => Promise.reject(new Error('no answer')));
  expect(emit.mock.calls).toEqual([1, 0, 2].map((count) => ['CanaryFailed', count, {}]));
  expect(error).toHaveBeenCalledWith('The canary failed.', {
    region: 'us-west1',
    values: expect.objectContaining({ performance: '50' }),
    faults: ['performance 50 is below 95'],
  });
});
