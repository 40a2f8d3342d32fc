import { setImmediate as nextTick } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import type { AuditOrder } from '../../functions/auditor/messages.ts';
import type { Auditors } from '../../functions/auditor/parent/auditors.ts';
import { type AuditResult, emptyResult } from '../../functions/auditor/verdict/judge.ts';
import * as logging from '../../functions/lib/log.ts';
import { jobOf } from '../../functions/lib/queue/dispatch.ts';
import * as runMetrics from '../../functions/lib/runs/run-metrics.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { Lease, Outcome } from '../../functions/lib/store/leases.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { noMetrics } from '../../shared/metrics/page-metrics.ts';
import type { Category } from '../../shared/options/audit-options.ts';
import { type RunProblemCode, runError } from '../../shared/problems.ts';
import { RENEW_MS } from '../../shared/service/due-times.ts';
import { environment } from '../support/environment.ts';
import { aCheck } from '../support/world.ts';

const PLENTY = () => 600_000;
/** Time of an invocation that passes by a second with each look at it. */
const passing = (ms = 600_000) => {
  let left = ms;
  return () => {
    left = Math.max(0, left - 1000);
    return left;
  };
};
const seen = { ...emptyResult, finalUrl: 'https://example.com/' };
const success: AuditResult = {
  ...seen,
  state: 'succeeded',
  metrics: { ...noMetrics, performance: 98 },
  report: { gzip: Buffer.from('gzip'), bytes: 10 },
};
/** A sample of a page whose first paint is at `fcp`, with a report that has only this. */
const sample = (fcp: number): AuditResult => ({
  ...success,
  environment,
  metrics: { ...noMetrics, performance: 100 - fcp / 100, fcp, tti: 2000 },
  report: {
    gzip: gzipSync(JSON.stringify({ fetchTime: '', configSettings: {}, categories: {}, audits: {}, fcp })),
    bytes: 80,
  },
});
const contended = (verdict: AuditResult, cpuBusy: number): AuditResult => ({
  ...verdict,
  environment: { ...environment, contended: true, cpuBusy },
});
const failure = (code: RunProblemCode): AuditResult => ({ ...seen, state: 'failed', error: runError(code) });

type Order = Pick<AuditOrder, 'skipOptionalParts' | 'timedOnly'>;
/** A worker whose audits have these results in this order, and a log of its writes. */
const worker = (
  verdicts: (AuditResult | Error)[],
  {
    putFails = 0,
    finishFails = 0,
    claimable = true,
    samples = 1,
    responsesLost = 0,
    earlier = [] as RunProblemCode[],
    categories = undefined as Category[] | undefined,
    hasRoom = false,
  } = {},
) => {
  const check = aCheck({ regions: ['us-west1'] });
  const [shown] = check.runs;
  const options = { device: 'mobile', samples, ...(categories && { categories }) } as const;
  const item = {
    ...shown,
    checkId: check.id,
    owner: 'anonymous',
    correlationId: 'c',
    createId: 'c',
    sends: 1,
    lostLeases: 0,
    options,
    attempts: earlier.map((code) => ({ code })),
  } as RunItem;
  const log: string[] = [];
  const outcomes: Outcome[] = [];
  const stored: Buffer[] = [];
  const write = (line: string) => log.push(line);
  const left = { put: putFails, finish: finishFails, responses: responsesLost };
  const orders: Order[] = [];
  const audit: Auditors['audit'] = async ({ skipOptionalParts, timedOnly }, signal, { onEvent } = {}) => {
    orders.push({ skipOptionalParts, timedOnly });
    write('audit');
    const verdict = verdicts.shift();
    onEvent?.({ type: 'measured', cpu: null }, 0);
    if (!verdict) return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (verdict instanceof Error) throw verdict;
    await nextTick();
    if (signal.aborted) write('cancelled');
    return verdict;
  };
  const stopping = new AbortController();
  const renew = vi.fn(async () => true);
  const work = runAudit({
    secrets: { get: async () => undefined },
    store: {
      findRunOfAnyOwner: async () => ({ ...item, ...outcomes.at(-1) }) as RunItem,
      assertionsOf: async () => undefined,
      closeIfFinished: async () => true,
    },
    leases: {
      claim: async (run, id) => (claimable ? { id, run } : undefined),
      renew,
      recordAttempt: async (_, { attempts, samples: taken }) =>
        !!write(`attempt ${attempts.at(-1)?.code ?? `with sample ${taken.length}`}`) || true,
      release: async () => void write('given back'),
      finish: async (_: Lease, outcome) => {
        if (left.finish-- > 0) throw new Error('DynamoDB is unavailable');
        if (outcomes.length > 0) return true; // this lease has finished the run
        write(outcome.state);
        outcomes.push(outcome);
        if (left.responses-- > 0) throw new Error('the response of DynamoDB was lost');
        return true;
      },
    },
    reports: {
      put: async (_, gzip) => {
        if (left.put-- > 0) throw new Error('S3 is unavailable');
        stored.push(gzip);
        write('report stored');
      },
    },
    auditors: { audit },
    hasRoom: () => hasRoom,
    stopping: stopping.signal,
    retryDelaysMs: [1, 1],
  });
  return { run: (remaining = PLENTY) => work(jobOf(item), remaining), log, outcomes, orders, stored, stopping, renew };
};

test('stores the report before the run is marked as succeeded', async () => {
  const { run, log, outcomes } = worker([success]);
  await run();
  expect(log).toEqual(['audit', 'report stored', 'succeeded']);
  expect(outcomes[0]).toMatchObject({
    performance: 98,
    report: { bytes: 10, gzipBytes: 4 },
    attempts: [{ code: null }],
  });
});

test('drops a duplicate of a job', async () => {
  const { run, log } = worker([success], { claimable: false });
  await run();
  expect(log).toEqual([]);
});

test('a fault of the page fails the run at once', async () => {
  const { run, log, outcomes } = worker([failure('dns-failure')]);
  await run();
  expect(log).toEqual(['audit', 'failed']);
  expect(outcomes[0]).toMatchObject({ error: { code: 'dns-failure', blame: 'page', retryable: false } });
});

test('counts each failed attempt that another attempt follows, with its code', async () => {
  const emit = vi.spyOn(logging, 'emit');
  await worker([failure('internal'), failure('browser-crashed'), failure('no-screenshots')]).run();
  const failed = emit.mock.calls.filter(([name]) => name === 'AttemptFailed');
  expect(failed.map(([, , dimensions]) => dimensions)).toEqual([
    { region: 'us-west1', code: 'internal' },
    { region: 'us-west1', code: 'browser-crashed' },
  ]);
  emit.mockRestore();
});

test('reports the whole time and that of the audits, and logs the owner and the Lighthouse version of each run', async () => {
  const [emit, info] = [vi.spyOn(logging, 'emit'), vi.spyOn(logging.log, 'info')];
  const { run, outcomes } = worker([failure('browser-crashed'), success]);
  await run();
  const secondsOf = (metric: string) => emit.mock.calls.filter(([name]) => name === metric).map(([, value]) => value);
  const [first, second] = outcomes[0]?.attempts ?? [];
  expect(secondsOf('RunSeconds')).toHaveLength(1);
  expect(secondsOf('AuditSeconds')).toEqual([(first?.seconds ?? 0) + (second?.seconds ?? 0)]);
  for (const line of ['The run is claimed.', 'The run is finished.']) {
    expect(info).toHaveBeenCalledWith(line, expect.objectContaining({ owner: 'anonymous', auditVersion: '13.5.0' }));
  }
  vi.restoreAllMocks();
});

test('emits the stolen CPU time of a run, and whether it is contended', async () => {
  const emit = vi.spyOn(logging, 'emit');
  await worker([{ ...success, environment: { ...environment, cpuStolen: 0.25, contended: false } }]).run();
  expect(emit.mock.calls).toContainEqual(['StolenCpuPercent', 25, { region: 'us-west1' }]);
  expect(emit.mock.calls).toContainEqual(['ContendedPercent', 0, { region: 'us-west1' }]);
  emit.mockRestore();
});

test('retries a browser crash, and shows both attempts', async () => {
  const { run, log, outcomes } = worker([failure('browser-crashed'), success]);
  await run();
  expect(log).toEqual(['audit', 'attempt browser-crashed', 'audit', 'report stored', 'succeeded']);
  expect(outcomes[0]?.attempts.map(({ number, code }) => [number, code])).toEqual([
    [1, 'browser-crashed'],
    [2, null],
  ]);
});

test('a fault of the service fails the run after three attempts, with the newest error', async () => {
  const { run, log, outcomes } = worker([failure('internal'), failure('no-screenshots'), failure('browser-crashed')]);
  await run();
  expect(log.filter((line) => line === 'audit')).toHaveLength(3);
  expect(outcomes[0]).toMatchObject({ error: { code: 'browser-crashed', blame: 'service' }, finalUrl: seen.finalUrl });
  expect(outcomes[0]?.attempts).toHaveLength(3);
});

test('an audit that can not start counts as an attempt', async () => {
  const { run, log } = worker([new Error('fork failed'), success]);
  await run();
  expect(log).toEqual(['audit', 'attempt internal', 'audit', 'report stored', 'succeeded']);
});

test('only an attempt after a timeout skips the parts that can hang', async () => {
  const hung = worker([failure('audit-timeout'), success]);
  await hung.run();
  expect(hung.orders.map(({ skipOptionalParts }) => skipOptionalParts)).toEqual([false, true]);
  const crashed = worker([failure('browser-crashed'), success]);
  await crashed.run();
  expect(crashed.orders.map(({ skipOptionalParts }) => skipOptionalParts)).toEqual([false, false]);
});

test('shows and stores the sample nearest to the median paint, with the spread of all samples', async () => {
  const { run, log, outcomes, stored } = worker([sample(900), sample(700), sample(800)], { samples: 3 });
  await run();
  const taken = ['audit', 'attempt with sample 1', 'audit', 'attempt with sample 2', 'audit'];
  expect(log).toEqual([...taken, 'report stored', 'succeeded']);
  expect(outcomes[0]).toMatchObject({
    fcp: 800,
    performance: 92,
    spread: { fcp: { min: 700, max: 900 }, performance: { min: 91, max: 93 }, seo: null },
    warnings: [],
  });
  expect(stored.map((gzip) => JSON.parse(gunzipSync(gzip).toString()).fcp)).toEqual([800]);
  expect(outcomes[0]?.samples?.map(({ fcp }) => fcp)).toEqual([900, 700, 800]);
  expect(outcomes[0]?.attempts).toHaveLength(3);
});

test('with room, the next sample starts when the current one has been measured, and no audit follows the last one', async () => {
  const { run, log, outcomes } = worker([sample(900), sample(700), sample(800)], { samples: 3, hasRoom: true });
  await run();
  const taken = ['audit', 'audit', 'attempt with sample 1', 'audit', 'attempt with sample 2'];
  expect(log).toEqual([...taken, 'report stored', 'succeeded']);
  expect(outcomes[0]?.samples?.map(({ fcp }) => fcp)).toEqual([900, 700, 800]);
});

test('an audit that was started ahead for another step is cancelled, and is no attempt', async () => {
  const { run, log, orders, outcomes } = worker([contended(sample(900), 0.9), sample(1), sample(800), sample(700)], {
    samples: 2,
    hasRoom: true,
  });
  await run();
  expect(log.filter((line) => line === 'cancelled')).toHaveLength(1);
  expect(orders.map(({ timedOnly }) => timedOnly)).toEqual([false, true, false, true]);
  expect(outcomes[0]?.samples?.map(({ fcp }) => fcp)).toEqual([800, 700]);
  expect(outcomes[0]?.attempts).toHaveLength(3);
});

test('a run that fails cancels the audit that was started ahead', async () => {
  const { run, log } = worker([failure('http-error'), sample(1)], { samples: 2, hasRoom: true });
  await run();
  await vi.waitFor(() => expect(log).toContain('cancelled'));
  expect(log.filter((line) => line === 'audit')).toHaveLength(2);
});

test('later samples leave out the parts without noise only if performance is left', async () => {
  const timedOnly = async (categories?: Category[]) => {
    const { run, orders } = worker([sample(900), sample(700)], { samples: 2, categories });
    await run();
    return orders.map((order) => order.timedOnly);
  };
  expect(await timedOnly()).toEqual([false, true]);
  expect(await timedOnly(['seo'])).toEqual([false, false]);
});

test('retakes a contended sample, and the uncontended one counts', async () => {
  const { run, outcomes } = worker([contended(sample(900), 0.9), sample(600)]);
  await run();
  expect(outcomes[0]).toMatchObject({ fcp: 600, warnings: [], environment: { contended: false } });
  expect(outcomes[0]?.attempts.map(({ code, contended }) => [code, contended])).toEqual([
    [null, true],
    [null, false],
  ]);
});

test('a run that is out of time succeeds with its samples, and a warning gives the number of missing ones', async () => {
  const { run, outcomes } = worker([sample(800), sample(900)], { samples: 5 });
  const remaining = [600_000, 400_000, 149_000];
  await run(() => remaining.shift() ?? 0);
  expect(outcomes[0]).toMatchObject({ state: 'succeeded', warnings: ['3 of 5 samples could not be measured.'] });
  expect(outcomes[0]?.samples).toHaveLength(2);
});

test.each([[success], [failure('dns-failure')]])(
  'counts a run whose last write succeeded without a response',
  async (result) => {
    const emit = vi.spyOn(runMetrics, 'emitFinished');
    const { run, log } = worker([result], { responsesLost: 1 });
    await run();
    expect(log.at(-1)).toBe(result.state);
    expect(emit).toHaveBeenCalledOnce();
    emit.mockRestore();
  },
);

test('retries writes, so that a short storage failure costs no audit', async () => {
  const { run, log } = worker([success], { putFails: 2, finishFails: 2 });
  await run();
  expect(log).toEqual(['audit', 'report stored', 'succeeded']);
});

test('a fault of the page finishes the run although its report can not be stored', async () => {
  const { report } = success;
  const { run, outcomes, log } = worker([{ ...failure('http-error'), ...(report && { report }) }], { putFails: 999 });
  await run(passing());
  expect(log).toEqual(['audit', 'failed']);
  expect(outcomes[0]).toMatchObject({ error: { code: 'http-error' }, report: undefined });
});

test('a report is stored after a long failure of the storage, without another audit', async () => {
  const { run, log } = worker([success], { putFails: 100 });
  await run(passing());
  expect(log).toEqual(['audit', 'report stored', 'succeeded']);
});

test('a report that can not be stored in time is a failed attempt, and the run is released before the end', async () => {
  const { run, log } = worker([success], { putFails: 999 });
  const remaining = passing();
  await run(remaining);
  expect(log).toEqual(['audit', 'attempt storage-failure', 'given back']);
  expect(remaining()).toBeGreaterThan(1000);
});

test('a report that can not be stored in three invocations fails the run', async () => {
  const { run, log, outcomes } = worker([success], { putFails: 999, earlier: ['storage-failure', 'storage-failure'] });
  await run(passing());
  expect(log).toEqual(['audit', 'attempt storage-failure', 'failed']);
  expect(outcomes[0]).toMatchObject({ error: { code: 'storage-failure', blame: 'service' } });
});

test('a run that can not be written fails its message, so that SQS delivers the job again', async () => {
  const { run } = worker([failure('dns-failure')], { finishFails: 999 });
  await expect(run(passing())).rejects.toThrow('DynamoDB is unavailable');
});

test('releases the run if too little time is left for another attempt', async () => {
  const { run, log } = worker([failure('internal'), success]);
  const remaining = [600_000, 149_000];
  await run(() => remaining.shift() ?? 0);
  expect(log).toEqual(['audit', 'attempt internal', 'given back']);
});

test('a service that stops releases its run', async () => {
  const { run, log, stopping } = worker([]);
  const running = run();
  await expect.poll(() => log).toEqual(['audit']);
  stopping.abort();
  await running;
  expect(log).toEqual(['audit', 'given back']);
});

test('a refused renewal stops the audit, and nothing is written', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { run, log, renew } = worker([]);
    const running = run();
    await expect.poll(() => log).toEqual(['audit']);
    renew.mockRejectedValueOnce(new Error('DynamoDB is unavailable'));
    await vi.advanceTimersByTimeAsync(RENEW_MS);
    renew.mockResolvedValueOnce(false);
    await vi.advanceTimersByTimeAsync(RENEW_MS);
    await running;
    expect(renew).toHaveBeenCalledTimes(2);
    expect(log).toEqual(['audit']);
  } finally {
    vi.useRealTimers();
  }
});
