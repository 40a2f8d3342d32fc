import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
      auditSeconds: 31,
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

describe('the canary', () => {
  const visit = async (
    audits: readonly (() => Promise<ReturnType<typeof judged>[]>)[],
    event: Parameters<ReturnType<typeof canary>>[0] = {},
  ) => {
    const regions: string[] = [];
    const next = [...audits];
    const env = { API_URL: 'https://api.example', REGIONS: ['us-west1', 'europe-north1'] as const, CANARY_MINUTES: 15 };
    const run = canary({
      env: { ...env, REGIONS: [...env.REGIONS] },
      makeKey: async () => 'key',
      audit: (_, region) => {
        regions.push(region);
        return (next.shift() as () => Promise<ReturnType<typeof judged>[]>)();
      },
    });
    return {
      ended: await run(event).then(
        () => 'passed',
        (error: Error) => error.message,
      ),
      regions,
    };
  };
  const well = async () => [judged(good())];
  const badly = async () => [judged(good({ performance: 50 }))];
  const notAtAll = () => Promise.reject(new Error('no answer'));
  beforeEach(() => {
    vi.spyOn(logging.log, 'error').mockImplementation(() => {});
    vi.spyOn(logging.log, 'info').mockImplementation(() => {});
  });

  test('visits one region after the other, by the time of its schedule', async () => {
    const times = ['00:00:04', '00:15:04', '00:30:04'].map((time) => `2031-01-01T${time}Z`);
    const visits = await Promise.all(times.map((time) => visit([well], { time })));
    const [first, second] = visits.map(({ regions }) => regions[0]);
    expect(visits.map(({ regions }) => regions)).toEqual([[first], [second], [first]]);
    expect(new Set([first, second])).toEqual(new Set(['us-west1', 'europe-north1']));
    expect((await visit([well], { region: 'us-west1' })).regions).toEqual(['us-west1']);
  });

  test('fails, which its alarm counts, only if two audits in turn fail', async () => {
    const of = async (...audits: (() => Promise<ReturnType<typeof judged>[]>)[]) =>
      (await visit(audits, { region: 'us-west1' })).ended;
    expect(await of(badly, well)).toBe('passed');
    expect(await of(notAtAll, well)).toBe('passed');
    expect(await of(badly, badly)).toBe('The canary failed in us-west1.');
    expect(await of(notAtAll, notAtAll)).toBe('The canary failed in us-west1.');
    expect(
      await of(
        async () => [],
        async () => [],
      ),
    ).toBe('The canary failed in us-west1.');
    expect(logging.log.error).toHaveBeenCalledWith('The canary failed.', {
      region: 'us-west1',
      values: expect.objectContaining({ performance: '50' }),
      faults: ['performance 50 is below 95'],
    });
  });
});
