import type { Benchmark, CpuUse } from '../messages.ts';

export type HostBenchmark = ReturnType<typeof hostBenchmark>;

/** Time for which audits reuse a benchmark, in milliseconds. A disturbed benchmark says less, but each one takes a second. */
const REUSE_MS = 10 * 60_000;
const DISTURBED_REUSE_MS = 60_000;
/** Shares (0 to 1) of the CPU time above which other programs, or a hypervisor, may have disturbed a benchmark. */
const MAX_OTHERS = 0.25;
const MAX_STOLEN = 0.1;

/** Keeps the benchmark of this host between audits. */
export const hostBenchmark = (now = Date.now) => {
  let kept: (Benchmark & { stolen: number; reuseMs: number }) | undefined;

  const current = (): Benchmark | null => {
    if (!kept) return null;
    const { index, measuredAt, reuseMs } = kept;
    const age = now() - Date.parse(measuredAt);
    return age >= 0 && age < reuseMs ? { index, measuredAt } : null;
  };
  return {
    /** Returns the benchmark, or null if it has to be measured. */
    current,
    /**
     * Records the CPU use of a timed part, and the benchmark if it was measured there. A disturbed benchmark replaces no
     * other one. A host whose stolen share rises has another speed.
     */
    record: (cpu: CpuUse | null, measured?: Benchmark): void => {
      const { others, stolen } = cpu ?? { others: 0, stolen: 0 };
      const isDisturbed = others >= MAX_OTHERS || stolen > MAX_STOLEN;
      const reuseMs = isDisturbed ? DISTURBED_REUSE_MS : REUSE_MS;
      if (measured && !(isDisturbed && current())) kept = { ...measured, stolen, reuseMs };
      else if (kept && stolen - kept.stolen > MAX_STOLEN) kept = undefined;
    },
  };
};
