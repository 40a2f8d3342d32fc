import type { Benchmark, CpuUse } from '../messages.ts';
import { contentionOf } from './cpu-meter.ts';
import { QUIET_SHARE } from './foreign-load.ts';

export type HostBenchmark = ReturnType<typeof hostBenchmark>;

/** Time for which audits reuse a benchmark, in milliseconds. */
const REUSE_MS = 10 * 60_000;
/** Rise of the stolen share (0 to 1) of the CPU time above which the host has another speed than when it was measured. */
const MAX_STOLEN_RISE = 0.1;

/** Keeps the benchmark of this host between audits. */
export const hostBenchmark = (now = Date.now) => {
  let kept: (Benchmark & { stolen: number }) | undefined;

  return {
    /** Returns the benchmark, or null if it has to be measured. */
    current: (): Benchmark | null => {
      if (!kept) return null;
      const { index, measuredAt } = kept;
      const age = now() - Date.parse(measuredAt);
      return age >= 0 && age < REUSE_MS ? { index, measuredAt } : null;
    },
    /**
     * Records the CPU use of a timed part, and the benchmark if it was measured there. Keeps no benchmark that foreign
     * processes or the hypervisor may have changed, because the next ten minutes of runs would show it.
     */
    record: (cpu: CpuUse | null, measured?: Benchmark): void => {
      const stolen = cpu?.stolen ?? 0;
      if (measured && (!cpu || isUndisturbed(cpu))) kept = { ...measured, stolen };
      else if (kept && stolen - kept.stolen > MAX_STOLEN_RISE) kept = undefined;
    },
  };
};

const isUndisturbed = (cpu: CpuUse): boolean => {
  const { others, isFalsified } = contentionOf(cpu);
  return others < QUIET_SHARE && !isFalsified;
};
