import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { AuditorPool } from './auditor-pool.ts';
import type { HostBenchmark } from './host/benchmark.ts';
import type { CpuAccess } from './host/cpu-shares.ts';
import type { AuditorMessage, Benchmarked, BenchmarkOrder, LaunchOrder } from './messages.ts';

/** Interval at which an idle service checks whether its benchmark is too old, in milliseconds. */
const POLL_MS = 60_000;
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
 * Returns a function that measures the host's benchmark now, and again whenever it is too old, until `signal` aborts. The
 * preloaded auditor measures it while no audit runs and the machine is quiet. An audit that finds no benchmark measures it
 * itself.
 */
export const keepBenchmark = (
  { pool, cpuAccess, benchmark, launch, isIdle }: Deps,
  signal: AbortSignal,
): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const measure = async (): Promise<void> => {
    const auditor = pool.preloaded();
    if (!auditor || !isIdle() || benchmark.current()) return;
    const order = { ...(await launch()), proxyPort: NO_PROXY_PORT };
    await auditor.ready;
    if (!(await cpuAccess.load.waitForQuiet(signal))) return;
    if (!isIdle() || signal.aborted || pool.isStopping() || auditor !== pool.preloaded()) return;
    pool.occupy(auditor, auditor.measureBenchmark(order));
  };
  const start = () => void measure().catch(() => {}); // the next audit meets the cause
  signal.addEventListener('abort', () => clearInterval(timer));
  return () => {
    start();
    timer ??= setInterval(start, POLL_MS).unref();
  };
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
