import type { RunView } from '../run.ts';
import type { Fix } from './fix.ts';

/** A run, and what to fix first on its page. */
export type RunFixes = { run: RunView; fixes: readonly Fix[] };

/**
 * Returns the run that needs fixes most: of those that succeeded, the first with the lowest performance. A score that other
 * programs may have lowered counts last.
 */
export const worstRun = (runs: readonly RunView[]): RunView | undefined => {
  const rank = ({ performance, environment }: RunView) => (performance ?? 101) + (environment?.contended ? 1000 : 0);
  return runs.filter(({ state }) => state === 'succeeded').toSorted((a, b) => rank(a) - rank(b))[0];
};
