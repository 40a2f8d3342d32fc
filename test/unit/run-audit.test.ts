import { expect, test, vi } from 'vitest';
import { type AuditResult, nothingSeen } from '../../functions/auditor/judge.ts';
import * as logging from '../../functions/lib/log.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import type { Lease, Outcome } from '../../functions/lib/store/leases.ts';
import { runAudit } from '../../functions/run-audit.ts';
import { RENEW_MS } from '../../shared/due-times.ts';
import { noMetrics } from '../../shared/page-metrics.ts';
import { type RunProblemCode, runError } from '../../shared/problems.ts';
import type { Environment } from '../../shared/run.ts';
import { aCheck } from '../support/world.ts';

const PLENTY = () => 600_000;
const seen = { ...nothingSeen, finalUrl: 'https://example.com/' };
const success: AuditResult = {
  ...seen,
  state: 'succeeded',
  metrics: { ...noMetrics, performance: 98 },
  report: { gzip: Buffer.from('gzip'), bytes: 10 },
};
const environment: Environment = {
  auditVersion: '13.5.0',
  chromium: 'HeadlessChrome/1',
  sandbox: true,
  device: 'mobile',
  throttling: 'simulate',
  benchmarkIndex: 2000,
  cpuCount: 2,
  memoryMiB: 4096,
  kernel: '6.1',
  host: 'abc',
  cpuBusy: 0,
  contended: false,
};
/** A sample of a page that paints at `fcp` ms, with a report of so many bytes. */
const sample = (fcp: number): AuditResult => ({
  ...success,
  environment,
  metrics: { ...noMetrics, performance: 100 - fcp / 100, fcp, tti: 2000 },
  report: { gzip: Buffer.alloc(fcp), bytes: fcp },
});
const onBusyMachine = (verdict: AuditResult, cpuBusy: number): AuditResult => ({
  ...verdict,
  environment: { ...environment, contended: true, cpuBusy },
});
const failure = (code: RunProblemCode, auditCode: string | null = null, detail?: string): AuditResult => ({
  ...seen,
  state: 'failed',
  error: runError(code, { auditCode, ...(detail && { detail }) }),
});

/** A worker whose audits end as told, one after the other, and what it did to the run. */
const worker = (
  verdicts: (AuditResult | Error)[],
  { putFails = 0, finishFails = 0, claimable = true, samples = 1, answersLost = 0 } = {},
) => {
  const check = aCheck({ regions: ['us-west1'] });
  const [shown] = check.runs;
  const options = { device: 'mobile', samples } as const;
  const item = {
    ...shown,
    checkId: check.id,
    correlationId: 'c',
    token: 't',
    sends: 1,
    lostLeases: 0,
    options,
  } as RunItem;
  const log: string[] = [];
  const outcomes: Outcome[] = [];
  const say = (line: string) => log.push(line);
  const left = { put: putFails, finish: finishFails, answers: answersLost };
  const orders: { lean: boolean }[] = [];
  const audit = async (order: { lean: boolean }, signal: AbortSignal): Promise<AuditResult> => {
    orders.push(order);
    say('audit');
    const verdict = verdicts.shift();
    if (!verdict) return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (verdict instanceof Error) throw verdict;
    return verdict;
  };
  const stopping = new AbortController();
  const renew = vi.fn(async () => true);
  const work = runAudit({
    store: {
      findRun: async () => ({ ...item, ...outcomes.at(-1) }) as RunItem,
    },
    leases: {
      claim: async (run, id) => (claimable ? { id, run } : undefined),
      renew,
      recordAttempt: async (_, attempts) => !!say(`attempt ${attempts.at(-1)?.code}`) || true,
      giveBack: async () => void say('given back'),
      finish: async (_: Lease, outcome) => {
        if (left.finish-- > 0) throw new Error('DynamoDB is away');
        if (outcomes.length > 0) return false; // it has no lease any more
        say(outcome.state);
        outcomes.push(outcome);
        if (left.answers-- > 0) throw new Error('the answer of DynamoDB was lost');
        return true;
      },
    },
    reports: {
      put: async () => {
        if (left.put-- > 0) throw new Error('S3 is away');
        say('report stored');
      },
      delete: async () => void say('report deleted'),
    },
    auditors: { audit },
    stopping: stopping.signal,
    retryDelaysMs: [1, 1],
  });
  const { id: runId, region, correlationId } = item;
  const job = { checkId: check.id, runId, region, correlationId, owner: 'anonymous' };
  return { run: (remaining = PLENTY) => work(job, remaining), log, outcomes, orders, stopping, renew };
};

test('a report is stored before its run says that it succeeded', async () => {
  const { run, log, outcomes } = worker([success]);
  await run();
  expect(log).toEqual(['audit', 'report stored', 'succeeded']);
  expect(outcomes[0]).toMatchObject({
    performance: 98,
    report: { bytes: 10, gzipBytes: 4 },
    attempts: [{ code: null }],
  });
});

test('a duplicate of a job does nothing', async () => {
  const { run, log } = worker([success], { claimable: false });
  await run();
  expect(log).toEqual([]);
});

test("a page's own fault ends its run at once", async () => {
  const { run, log, outcomes } = worker([failure('dns-failure')]);
  await run();
  expect(log).toEqual(['audit', 'failed']);
  expect(outcomes[0]).toMatchObject({ error: { code: 'dns-failure', blame: 'page', retryable: false } });
});

test('a renderer that died once, after faults of ours, is not told of as its page’s fault', async () => {
  const { run, outcomes } = worker([failure('internal'), failure('internal'), failure('page-crashed')]);
  await run();
  expect(outcomes[0]).toMatchObject({ error: { code: 'browser-crashed', blame: 'service' } });
});

test('each failed attempt that is followed by another is counted, with its code', async () => {
  const emit = vi.spyOn(logging, 'emit');
  await worker([failure('internal'), failure('browser-crashed'), failure('no-screenshots')]).run();
  const failed = emit.mock.calls.filter(([name]) => name === 'AttemptFailed');
  expect(failed.map(([, , dimensions]) => dimensions)).toEqual([
    { region: 'us-west1', code: 'internal' },
    { region: 'us-west1', code: 'browser-crashed' },
  ]);
  emit.mockRestore();
});

test('a browser crash is tried again, and the run then succeeds with both attempts told', async () => {
  const { run, log, outcomes } = worker([failure('browser-crashed'), success]);
  await run();
  expect(log).toEqual(['audit', 'attempt browser-crashed', 'audit', 'report stored', 'succeeded']);
  expect(outcomes[0]?.attempts.map(({ number, code }) => [number, code])).toEqual([
    [1, 'browser-crashed'],
    [2, null],
  ]);
});

test('a fault of the service fails the run after three attempts, with the last one named', async () => {
  const { run, log, outcomes } = worker([failure('internal'), failure('no-screenshots'), failure('browser-crashed')]);
  await run();
  expect(log.filter((line) => line === 'audit')).toHaveLength(3);
  expect(outcomes[0]).toMatchObject({ error: { code: 'browser-crashed', blame: 'service' }, finalUrl: seen.finalUrl });
  expect(outcomes[0]?.attempts).toHaveLength(3);
});

test('an audit that could not even be made counts as an attempt', async () => {
  const { run, log } = worker([new Error('fork failed'), success]);
  await run();
  expect(log).toEqual(['audit', 'attempt internal', 'audit', 'report stored', 'succeeded']);
});

test('a renderer that dies is tried once more; dying twice is the page’s doing', async () => {
  const once = worker([failure('page-crashed'), success]);
  await once.run();
  expect(once.outcomes[0]?.state).toBe('succeeded');
  const twice = worker([failure('page-crashed'), failure('page-crashed')]);
  await twice.run();
  expect(twice.outcomes[0]).toMatchObject({ error: { code: 'page-crashed', blame: 'page' } });
});

test('a page that makes two attempts hang is blamed for it', async () => {
  const { run, outcomes } = worker([
    failure('audit-timeout'),
    failure('protocol-timeout', 'PROTOCOL_TIMEOUT', 'It did not answer.'),
    success,
  ]);
  await run();
  const error = { code: 'page-hung', blame: 'page', auditCode: 'PROTOCOL_TIMEOUT', message: 'It did not answer.' };
  expect(outcomes[0]).toMatchObject({ error });
});

test('a page is not blamed for hanging on a machine that others slowed', async () => {
  const hung = onBusyMachine(failure('audit-timeout'), 0.9);
  const { run, outcomes } = worker([hung, hung, hung]);
  await run();
  expect(outcomes[0]).toMatchObject({ error: { code: 'audit-timeout', blame: 'service' } });
  expect(outcomes[0]?.attempts).toHaveLength(2); // each takes as long as an audit may
});

test('a page that stopped responding on a machine that others slowed is asked once more', async () => {
  const hung = failure('page-hung', 'PAGE_HUNG');
  const better = worker([onBusyMachine(hung, 0.9), success]);
  await better.run();
  expect(better.outcomes[0]).toMatchObject({ state: 'succeeded' });
  for (const attempts of [[hung], [onBusyMachine(hung, 0.9), onBusyMachine(hung, 0.9)]]) {
    const { run, outcomes } = worker([...attempts, success]);
    await run();
    expect(outcomes[0]).toMatchObject({ error: { code: 'page-hung', auditCode: 'PAGE_HUNG' } });
    expect(outcomes[0]?.attempts).toHaveLength(attempts.length);
  }
});

test('after a hang the next attempt leaves out the parts that can hang, after other faults it does not', async () => {
  const hung = worker([failure('audit-timeout'), success]);
  await hung.run();
  expect(hung.orders.map(({ lean }) => lean)).toEqual([false, true]);
  const crashed = worker([failure('browser-crashed'), success]);
  await crashed.run();
  expect(crashed.orders.map(({ lean }) => lean)).toEqual([false, false]);
});

test('of several samples the one nearest to the median paint is shown, stored and reported, with the spread of all', async () => {
  const { run, log, outcomes } = worker([sample(900), sample(700), sample(800)], { samples: 3 });
  await run();
  expect(log).toEqual(['audit', 'audit', 'audit', 'report stored', 'succeeded']);
  expect(outcomes[0]).toMatchObject({
    fcp: 800,
    performance: 92,
    report: { bytes: 800 },
    spread: { fcp: { min: 700, max: 900 }, performance: { min: 91, max: 93 }, seo: null },
    warnings: [],
  });
  expect(outcomes[0]?.samples?.map(({ fcp }) => fcp)).toEqual([900, 700, 800]);
  expect(outcomes[0]?.attempts).toHaveLength(3);
});

test('a sample that was measured on a busy machine is taken again, and the quiet one counts', async () => {
  const { run, outcomes } = worker([onBusyMachine(sample(900), 0.9), sample(600)]);
  await run();
  expect(outcomes[0]).toMatchObject({ fcp: 600, warnings: [], environment: { contended: false } });
  expect(outcomes[0]?.attempts.map(({ code, contended }) => [code, contended])).toEqual([
    [null, true],
    [null, false],
  ]);
});

test('on a machine that stays busy the least disturbed of three counts, and the run says so', async () => {
  const takes = [0.9, 0.4, 0.8].map((cpuBusy, i) => onBusyMachine(sample(900 + i), cpuBusy));
  const { run, log, outcomes } = worker(takes);
  await run();
  expect(log.filter((line) => line === 'audit')).toHaveLength(3);
  expect(outcomes[0]).toMatchObject({ fcp: 901, environment: { contended: true } });
  expect(outcomes[0]?.warnings?.[0]).toMatch(/performance score may be too low/);
});

test('a page that was measured on a busy machine does not fail for what its retake comes to', async () => {
  const { run, outcomes } = worker([onBusyMachine(sample(900), 0.9), failure('page-hung')]);
  await run();
  expect(outcomes[0]).toMatchObject({ state: 'succeeded', fcp: 900, environment: { contended: true } });
  expect(outcomes[0]?.warnings?.[0]).toMatch(/performance score may be too low/);
  expect(outcomes[0]?.attempts.map(({ code }) => code)).toEqual([null, 'page-hung']);
});

test('when the time is up a run ends with the samples that it has, and says how many are missing', async () => {
  const { run, outcomes } = worker([sample(800), sample(900)], { samples: 5 });
  const remaining = [600_000, 400_000, 149_000];
  await run(() => remaining.shift() ?? 0);
  expect(outcomes[0]).toMatchObject({ state: 'succeeded', warnings: ['3 of 5 samples could not be measured.'] });
  expect(outcomes[0]?.samples).toHaveLength(2);
});

test('a page that fails in one of its samples fails its run: a failure is never averaged away', async () => {
  const { run, outcomes } = worker([sample(800), failure('http-error')], { samples: 3 });
  await run();
  expect(outcomes[0]).toMatchObject({ state: 'failed', error: { code: 'http-error' } });
});

test('a run that was finished although the answer to the write was lost keeps its report', async () => {
  const { run, log } = worker([success], { answersLost: 1 });
  await run();
  expect(log).toEqual(['audit', 'report stored', 'succeeded']);
});

test('storage that fails for a while costs no audit', async () => {
  const { run, log } = worker([success], { putFails: 2, finishFails: 2 });
  await run();
  expect(log).toEqual(['audit', 'report stored', 'succeeded']);
});

test('a page’s fault is told although its report can not be stored', async () => {
  const { report } = success;
  const { run, outcomes } = worker([{ ...failure('http-error'), ...(report && { report }) }], { putFails: 99 });
  await run();
  expect(outcomes[0]).toMatchObject({ error: { code: 'http-error' }, report: undefined });
});

test('storage that stays away is a fault of ours, and the audit is made again', async () => {
  const { run, log, outcomes } = worker([success, success], { putFails: 3 });
  await run();
  expect(log).toEqual(['audit', 'attempt storage-failure', 'audit', 'report stored', 'succeeded']);
  expect(outcomes[0]?.attempts[0]?.code).toBe('storage-failure');
});

test('a run that can not be written at all fails its message, so that it is found again', async () => {
  const { run } = worker([failure('dns-failure')], { finishFails: 99 });
  await expect(run()).rejects.toThrow('DynamoDB is away');
});

test('an attempt does not start with too little of the invocation left: the run is given back', async () => {
  const { run, log } = worker([failure('internal'), success]);
  const remaining = [600_000, 149_000];
  await run(() => remaining.shift() ?? 0);
  expect(log).toEqual(['audit', 'attempt internal', 'given back']);
});

test('a service that is stopped gives its run back, unfinished', async () => {
  const { run, log, stopping } = worker([]);
  const running = run();
  await vi.waitFor(() => expect(log).toEqual(['audit']));
  stopping.abort();
  await running;
  expect(log).toEqual(['audit', 'given back']);
});

test('a renewal that is refused ends the audit and writes nothing', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const { run, log, renew } = worker([]);
    const running = run();
    await vi.waitFor(() => expect(log).toEqual(['audit']));
    renew.mockRejectedValueOnce(new Error('DynamoDB is away'));
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
