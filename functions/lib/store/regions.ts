import { z } from 'zod';
import type { AuditRegion, Region } from '../../../shared/regions.ts';
import { type Db, getItem, parse, updateItem } from './dynamodb.ts';
import { anyOf } from './expressions.ts';
import { regionKey, toIso } from './items.ts';

export const RegionItem = z.object({
  pausedAt: z.iso.datetime().optional(),
  lastSuccessAt: z.iso.datetime().optional(),
});

/** State of a region: the time of its pause, and the time when a run of it last succeeded. */
export type RegionStatus = { id: AuditRegion; pausedAt: string | null; lastSuccessAt: string | null };
export type RegionStore = ReturnType<typeof regionStore>;

/** Shortest time between two records of a success by one process. A region has one item, and many processes. */
const RECORD_MS = 60_000;

/** Stores the state of each region in an item of its own. The updates set absolute values, so they are safe to repeat. */
export const regionStore = (db: Db) => {
  const recordedAt = new Map<Region, number>();
  const update = (region: Region, change: Parameters<typeof updateItem>[2]) =>
    updateItem(db, regionKey(region), change);
  return {
    read: (regions: readonly AuditRegion[]): Promise<RegionStatus[]> =>
      Promise.all(
        regions.map(async (id) => {
          const item = await getItem(db, regionKey(id));
          const { pausedAt = null, lastSuccessAt = null } = item ? parse(RegionItem, item) : {};
          return { id, pausedAt, lastSuccessAt };
        }),
      ),

    /** Pauses a region. Returns false if it was paused before. */
    pause: async (region: Region, now: Date): Promise<boolean> =>
      Boolean(await update(region, { set: { pausedAt: now.toISOString() }, ...anyOf(['pausedAt', 'absent']) })),

    /** Resumes a region. Returns false if it was not paused. */
    resume: async (region: Region): Promise<boolean> =>
      Boolean(await update(region, { remove: ['pausedAt'], ...anyOf(['pausedAt', 'exists']) })),

    /** Records that a run of the region has succeeded, at most once a minute. */
    recordSuccess: async (region: Region, now: Date): Promise<void> => {
      if (Math.abs(now.getTime() - (recordedAt.get(region) ?? 0)) < RECORD_MS) return;
      recordedAt.set(region, now.getTime());
      const [lastSuccessAt, ahead] = [now.toISOString(), toIso(now.getTime() + RECORD_MS)];
      const isOther = anyOf(['lastSuccessAt', 'absent'], ['lastSuccessAt', 'outside', lastSuccessAt, ahead]);
      await update(region, { set: { lastSuccessAt }, returns: 'NONE', ...isOther });
    },
  };
};
