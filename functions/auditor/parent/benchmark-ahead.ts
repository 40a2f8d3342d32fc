import type { HostBenchmark } from '../host/benchmark.ts';
import type { LaunchSettings } from '../messages.ts';
import type { AuditorPool } from './auditor-pool.ts';

/** Port for a browser that opens no page. Nothing listens there. */
const NO_PROXY_PORT = 9;

type Deps = {
  pool: AuditorPool;
  benchmark: HostBenchmark;
  launch: () => Promise<Omit<LaunchSettings, 'proxyPort'>>;
  isIdle: () => boolean;
};

/**
 * Measures the host's benchmark once before the first audit. The preloaded auditor measures it. An audit that finds no benchmark, or only an old one, measures it itself, so that an idle service stays idle.
 */
export const measureWhileIdle = async (
  { pool, benchmark, launch, isIdle }: Deps,
  signal: AbortSignal,
): Promise<void> => {
  const auditor = pool.preloaded();
  if (!auditor || !isIdle() || benchmark.current()) return;
  const settings = { ...(await launch()), proxyPort: NO_PROXY_PORT };
  await auditor.ready;
  if (!isIdle() || signal.aborted || pool.isStopping() || auditor !== pool.preloaded()) return;
  pool.occupy(auditor, auditor.measureBenchmark(settings));
};
