import type { Waits } from '../cpu-waits.ts';
import { acquireCpu, type CpuAccess } from '../host/cpu-shares.ts';
import { sampleWaits } from '../host/wait-sampler.ts';
import type { CpuUse } from '../messages.ts';

/**
 * The part of an audit whose timing counts. It has the CPU, and measures how long the group waits for it all the same. Each
 * interaction is such a part again.
 */
export const timedPart = (group: number, access: CpuAccess, isTimed: boolean) => {
  let over = new AbortController();
  let readCpu: () => CpuUse | null = () => null;
  let endSampling: (() => Waits) | undefined;
  return {
    /** Waits for the CPU. */
    start: async (): Promise<void> => {
      over = new AbortController();
      readCpu = await acquireCpu(group, access, over.signal);
      endSampling = sampleWaits(group);
    },
    /** Measures the CPU use of an audit without a timed part since the start of its browser. */
    onBrowser: (): void => {
      if (!isTimed) readCpu = access.shares.startMeter();
    },
    readCpu: () => readCpu(),
    /** Gives the CPU back. Returns the waits of the group, or undefined if the part did not start or has ended. */
    end: (): Waits | undefined => {
      const waits = endSampling?.();
      endSampling = undefined;
      over.abort();
      return waits;
    },
  };
};
