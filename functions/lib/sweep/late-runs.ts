import type { Region } from '../../../shared/regions.ts';
import { HOLD_MS, LATE_RUN_MS, TRY_MS } from '../../../shared/service/due-times.ts';
import { log } from '../log.ts';
import type { DueStore, Shard } from '../store/due.ts';

type Deps = { due: Pick<DueStore, 'list'>; now: () => Date };

/**
 * Returns true if a run of a region has waited for a quarter of an hour. The run of a sent job is due after a minute and
 * then after `TRY_MS`, and the run of a worker within two minutes. The pauses after the first failed tries also end before the window begins.
 */
export const hasLateRun = async ({ due, now }: Deps, region: Region, shards: readonly Shard[]): Promise<boolean> => {
  const inMs = (ms: number) => new Date(now().getTime() + ms);
  const [from, until] = [inMs(LATE_RUN_MS), inMs(HOLD_MS + TRY_MS - LATE_RUN_MS)];
  const found = await Promise.all(shards.map((shard) => due.list(shard, until, 1, from)));
  const isLate = found.flat().length > 0;
  if (isLate) log.warn('Runs have waited for a quarter of an hour.', { region });
  return isLate;
};
