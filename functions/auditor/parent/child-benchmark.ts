import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { HostBenchmark } from '../host/benchmark.ts';
import type { CpuAccess } from '../host/cpu-shares.ts';
import type { starvationOf } from '../host/starvation.ts';
import type { AuditorMessage, Benchmarked } from '../messages.ts';
import { startPatiently } from '../patient-timer.ts';
import { sendTo } from './fork-child.ts';

/** Time limit for the start of a browser and a benchmark in it, in milliseconds. Both take two seconds of a free machine. */
const LIMIT_MS = 15_000;

/** Lets an idle auditor measure the host's benchmark in its browser. */
export const measureAhead = async (
  auditor: ChildProcess,
  {
    cpuAccess,
    benchmark,
    starvedMs,
  }: { cpuAccess: CpuAccess; benchmark: HostBenchmark; starvedMs: typeof starvationOf },
): Promise<void> => {
  const readCpu = cpuAccess.shares.startMeter();
  const limit = new AbortController();
  const fail = () => limit.abort(new Error(`The benchmark took longer than ${LIMIT_MS / 1000} s.`));
  const { stop } = startPatiently(fail, LIMIT_MS, starvedMs(auditor.pid as number));
  const { signal } = limit;
  const answered = once(auditor, 'message', { signal });
  const exited = once(auditor, 'exit', { signal }).then(() => Promise.reject(new Error('The auditor exited.')));
  sendTo(auditor, { measure: 'benchmark' });
  const [answer] = (await Promise.race([answered, exited]).finally(stop)) as [AuditorMessage | Benchmarked];
  if (answer.type !== 'benchmarked') throw new Error(answer.type === 'failed' ? answer.message : answer.type);
  benchmark.record(readCpu(), answer.benchmark);
};
