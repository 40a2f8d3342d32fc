import type { RunView } from '../run.ts';
import type { Fix } from './fix.ts';

/** A run, and what to fix first on its page. */
export type RunFixes = { run: RunView; fixes: readonly Fix[] };

/** Returns the run that needs fixes most: of those that succeeded, the first with the lowest performance. */
export const worstRun = (runs: readonly RunView[]): RunView | undefined =>
  runs
    .filter(({ state }) => state === 'succeeded')
    .toSorted((a, b) => (a.performance ?? 101) - (b.performance ?? 101))[0];
