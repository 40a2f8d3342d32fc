import type { InteractionRun } from '../../shared/interactions/interactions-schemas.ts';
import { rangesOfInteraction } from '../../shared/interactions/metrics.ts';

type Sample = InteractionRun['samples'][number];

/** Returns the result of an interaction whose samples have these values of INP. The first one is shown. */
export const anInteraction = (
  inps: readonly (number | null)[],
  { tbt = 150, cls = 0, lcp = null, ...change }: Partial<InteractionRun & Sample> = {},
): InteractionRun => {
  const samples = inps.map((inp) => ({ inp, ...(inp === null ? { tbt: null, cls: null } : { tbt, cls }), lcp }));
  const [{ lcp: _, ...shown } = { inp: null, tbt: null, cls: null, lcp: null }] = samples;
  return {
    name: 'search',
    ...shown,
    longestEvent: null,
    softNavigation: null,
    navigatedTo: null,
    cpuSlowdown: 4,
    samples,
    spread: rangesOfInteraction(samples),
    reason: null,
    ...change,
  };
};
