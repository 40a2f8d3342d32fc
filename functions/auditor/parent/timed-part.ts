import type { Waits } from '../cpu-waits.ts';
import { acquireCpu, type CpuAccess } from '../host/cpu-shares.ts';
import { sampleWaits } from '../host/wait-sampler.ts';
import type { CpuUse } from '../messages.ts';
import { watchLoop } from './loop-delay.ts';

/** Interval of the looks at the event loop, in milliseconds. */
const LOOK_MS = 10;

/**
 * The part of an audit whose timing counts. It has the CPU, and measures how long the group waits for it all the same. Each
 * interaction is such a part again.
 */
export const timedPart = (group: number, access: CpuAccess, isTimed: boolean) => {
  let over = new AbortController();
  let readCpu: () => CpuUse | null = () => null;
  let endSampling: (() => Waits) | undefined;
  let watched: ReturnType<typeof watchLoop> | undefined;
  let proxyHeldMs = 0;
  return {
    /** Waits for the CPU. */
    start: async (): Promise<void> => {
      over = new AbortController();
      readCpu = await acquireCpu(group, access, over.signal);
      endSampling = sampleWaits(group);
      watched = watchLoop(LOOK_MS, over.signal);
    },
    /** Measures the CPU use of an audit without a timed part since the start of its browser. */
    onBrowser: (): void => {
      if (!isTimed) readCpu = access.shares.startMeter();
    },
    readCpu: () => readCpu(),
    /** Returns the longest time in which other work of this process held the page's proxy, in the parts that have ended. */
    proxyHeldMs: () => proxyHeldMs,
    /** Gives the CPU back. Returns the waits of the group, or undefined if the part did not start or has ended. */
    end: (): Waits | undefined => {
      proxyHeldMs = Math.max(proxyHeldMs, watched?.().heldMs ?? 0);
      const waits = endSampling?.();
      endSampling = watched = undefined;
      over.abort();
      return waits;
    },
  };
};
