import type { Benchmark, CpuUse } from '../messages.ts';

export type HostBenchmark = ReturnType<typeof hostBenchmark>;

/** Time for which audits reuse a benchmark, in milliseconds. */
const REUSE_MS = 10 * 60_000;
/** Shares (0 to 1) of the CPU time above which other programs, or a hypervisor, may have changed a benchmark. */
const MAX_OTHERS = 0.25;
const MAX_STOLEN = 0.1;

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
     * Records the CPU use of a timed part, and the benchmark if it was measured there. Keeps no benchmark that others may
     * have changed, because the next ten minutes of runs would show it. A host whose stolen share rises has another speed.
     */
    record: (cpu: CpuUse | null, measured?: Benchmark): void => {
      const { others, stolen } = cpu ?? { others: 0, stolen: 0 };
      if (measured && others < MAX_OTHERS && stolen <= MAX_STOLEN) kept = { ...measured, stolen };
      else if (kept && stolen - kept.stolen > MAX_STOLEN) kept = undefined;
    },
  };
};
