import { z } from 'zod';
import { Device } from '../name-schemas.ts';

const Milliseconds = z.number().min(0);
/** Times that Lighthouse simulates, in milliseconds. */
export const SteadyTimes = z.object({ fcp: Milliseconds, lcp: Milliseconds, tbt: Milliseconds });
export type SteadyTimes = z.infer<typeof SteadyTimes>;

/**
 * A script near the paints of a load. `began` says which paint came after its task began. `moved` are the times of the load for
 * another order: the first paint before the task, or the largest one right after the script began. `lcpAt` is the same of the
 * last script that the largest paint followed.
 */
const NearScript = z.object({
  name: z.string(),
  began: z.enum(['beforeFcp', 'beforeLcp', 'later']),
  moved: SteadyTimes.optional(),
  lcpAt: Milliseconds.optional(),
});
export type NearScript = z.infer<typeof NearScript>;

/** CPU time of the page's main thread that a script or a part of the browser used, in milliseconds. */
const WorkShare = z.object({ name: z.string(), isScript: z.boolean(), ms: Milliseconds });
export type WorkShare = z.infer<typeof WorkShare>;

/**
 * Times of a load that don't depend on which of two neighbours in its trace came first. `scripts` are those near its paints, in
 * the order of their tasks. `work` says what used the CPU. Only comparisons use them.
 */
export const SteadyLoad = z.object({
  device: Device,
  ...SteadyTimes.shape,
  scripts: z.array(NearScript),
  work: z.array(WorkShare).optional(),
});
export type SteadyLoad = z.infer<typeof SteadyLoad>;
