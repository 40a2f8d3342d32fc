import { EventEmitter } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { hostBenchmark } from '../../functions/auditor/host/benchmark.ts';
import { measureWhileIdle } from '../../functions/auditor/parent/benchmark-ahead.ts';
import { measureAhead } from '../../functions/auditor/parent/child-benchmark.ts';

const quiet = { others: 0.05, stolen: 0.01 };
const measuredAt = '2026-11-25T12:00:00.000Z';
const benchmark = { index: 2000, measuredAt };

afterEach(() => void vi.useRealTimers());

const hostAt = (startedAt = measuredAt) => {
  let now = Date.parse(startedAt);
  const host = hostBenchmark(() => now);
  return {
    ...host,
    pass: (ms: number) => {
      now += ms;
    },
  };
};

test('audits share the benchmark of their host for ten minutes', () => {
  const host = hostAt();
  expect(host.current()).toBeNull();
  host.record(quiet, benchmark);
  host.pass(599_999);
  expect(host.current()).toEqual(benchmark);
  host.pass(1);
  expect(host.current()).toBeNull();
});

test('a benchmark from the future is not used, because the clock was set back', () => {
  const host = hostAt();
  host.record(quiet, benchmark);
  host.pass(-1);
  expect(host.current()).toBeNull();
});

test.each([
  ['was measured while foreign processes used a third of the CPU', { ...quiet, others: 0.35 }],
  ['a hypervisor slowed', { ...quiet, stolen: 0.15 }],
])('audits share a benchmark that %s for one minute', (_, cpu) => {
  const host = hostAt();
  host.record(cpu, benchmark);
  host.pass(59_999);
  expect(host.current()).toEqual(benchmark);
  host.pass(1);
  expect(host.current()).toBeNull();
});

test('a host that reports no CPU use shares its benchmark', () => {
  const host = hostAt();
  host.record(null, benchmark);
  host.record(null);
  expect(host.current()).toEqual(benchmark);
});

test('a hypervisor that takes much more of the CPU than before makes a benchmark stale', () => {
  const host = hostAt();
  host.record(quiet, benchmark);
  host.record({ ...quiet, stolen: 0.1 });
  expect(host.current()).toEqual(benchmark);
  host.record({ ...quiet, stolen: 0.12 });
  expect(host.current()).toBeNull();
});

test('foreign processes leave the benchmark of a free host as it is', () => {
  const host = hostAt();
  host.record(quiet, benchmark);
  host.record({ ...quiet, others: 0.8 }, { index: 1200, measuredAt });
  expect(host.current()).toEqual(benchmark);
});

test('an idle service measures the benchmark once, and not again when it is old', async () => {
  vi.useFakeTimers();
  const host = hostBenchmark();
  const auditor = {
    hasBrowser: () => true,
    measureBenchmark: vi.fn(async () => host.record(quiet, { index: 2000, measuredAt: new Date().toISOString() })),
  };
  const deps = {
    benchmark: host,
    pool: { preloaded: () => auditor, isStopping: () => false, occupy: vi.fn() },
    isIdle: () => true,
  };
  measureWhileIdle(deps as never);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(auditor.measureBenchmark).toHaveBeenCalledOnce();
  expect(host.current()).toBeNull();
});

/** Starts an early benchmark in an auditor that had no CPU for some of the first fifteen seconds. */
const startAhead = (starvedMs: number) => {
  vi.useFakeTimers();
  const auditor = Object.assign(new EventEmitter(), { pid: 1, send: () => {} });
  const host = hostAt();
  const cpuAccess = { shares: { startMeter: () => () => quiet } };
  let total = 0;
  const deps = { cpuAccess, benchmark: host, starvedMs: () => () => total };
  const ended = measureAhead(auditor as never, deps as never);
  total = starvedMs;
  return { auditor, host, ended };
};

test('an early benchmark has more time if its auditor had no CPU', async () => {
  const { auditor, host, ended } = startAhead(10_000);
  await vi.advanceTimersByTimeAsync(24_000);
  auditor.emit('message', { type: 'benchmarked', benchmark });
  await ended;
  expect(host.current()).toEqual(benchmark);
});

test('an early benchmark that hangs ends after fifteen seconds', async () => {
  const { ended } = startAhead(0);
  const rejected = expect(ended).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(15_000);
  await rejected;
});
