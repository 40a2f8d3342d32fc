import type { HostBenchmark } from '../host/benchmark.ts';
import type { AuditorPool } from './auditor-pool.ts';

type Deps = { pool: AuditorPool; benchmark: HostBenchmark; isIdle: () => boolean };

/**
 * Measures the host's benchmark once before the first audit, in the browser that waits for it. An audit that finds no
 * benchmark, or only an old one, measures it itself, so that an idle service stays idle.
 */
export const measureWhileIdle = ({ pool, benchmark, isIdle }: Deps): void => {
  const auditor = pool.preloaded();
  if (!auditor?.hasBrowser() || !isIdle() || pool.isStopping() || benchmark.current()) return;
  pool.occupy(auditor, auditor.measureBenchmark());
};
