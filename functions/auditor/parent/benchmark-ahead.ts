import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { HostBenchmark } from '../host/benchmark.ts';
import type { CpuAccess } from '../host/cpu-shares.ts';
import type { AuditorMessage, Benchmarked, BenchmarkOrder, LaunchOrder } from '../messages.ts';
import type { AuditorPool } from './auditor-pool.ts';

/** Time limit for the start of a browser and a benchmark in it, in milliseconds. Both take two seconds. */
const LIMIT_MS = 15_000;
/** Port for a browser that opens no page. Nothing listens there. */
const NO_PROXY_PORT = 9;

type Deps = {
  pool: AuditorPool;
  cpuAccess: CpuAccess;
  benchmark: HostBenchmark;
  launch: () => Promise<Omit<LaunchOrder, 'proxyPort'>>;
  isIdle: () => boolean;
};

/**
 * Measures the host's benchmark once before the first audit, if the machine is quiet. The preloaded auditor measures it. An
 * audit that finds no benchmark, or only an old one, measures it itself, so that an idle service stays idle.
 */
export const measureWhileIdle = async (
  { pool, cpuAccess, benchmark, launch, isIdle }: Deps,
  signal: AbortSignal,
): Promise<void> => {
  const auditor = pool.preloaded();
  if (!auditor || !isIdle() || benchmark.current()) return;
  const order = { ...(await launch()), proxyPort: NO_PROXY_PORT };
  await auditor.ready;
  if (!(await cpuAccess.load.waitForQuiet(signal))) return;
  if (!isIdle() || signal.aborted || pool.isStopping() || auditor !== pool.preloaded()) return;
  pool.occupy(auditor, auditor.measureBenchmark(order));
};

/** Lets an idle auditor measure the host's benchmark in a browser of its own. */
export const measureAhead = async (
  auditor: ChildProcess,
  order: LaunchOrder,
  { cpuAccess, benchmark }: { cpuAccess: CpuAccess; benchmark: HostBenchmark },
): Promise<void> => {
  const readCpu = cpuAccess.shares.startMeter(auditor.pid as number);
  const signal = AbortSignal.timeout(LIMIT_MS);
  const answered = once(auditor, 'message', { signal });
  const exited = once(auditor, 'exit', { signal }).then(() => Promise.reject(new Error('The auditor exited.')));
  auditor.send({ benchmarkIn: order } satisfies BenchmarkOrder);
  const [answer] = (await Promise.race([answered, exited])) as [AuditorMessage | Benchmarked];
  if (answer.type !== 'benchmarked') throw new Error(answer.type === 'failed' ? answer.message : answer.type);
  benchmark.record(readCpu(), answer.benchmark);
};
