import { type AuditRegion, places, type Region, regions } from '../../../shared/regions.ts';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import type { RegionList } from '../../../shared/service/offer.ts';
import { unlessAhead } from '../../../shared/times.ts';
import type { RegionStatus } from '../store/regions.ts';

/** Time that a process keeps the states of the regions. A pause takes effect after that time at the latest. */
export const CACHE_MS = 20_000;

type Read = () => Promise<RegionStatus[]>;

/** Returns a function that reads the states of the regions at most every `CACHE_MS`. */
export const cachedRegions = (read: Read, now: () => Date): Read => {
  let cached: { statuses: Promise<RegionStatus[]>; readAt: number } | undefined;
  return () => {
    const readAt = now().getTime();
    if (cached && Math.abs(readAt - cached.readAt) < CACHE_MS) return cached.statuses; // clocks are set back, too
    const entry = { statuses: read(), readAt };
    cached = entry;
    entry.statuses.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.statuses;
  };
};

/** Returns the regions that are paused. */
export const pausedOf = (statuses: readonly RegionStatus[], requested: readonly Region[]): AuditRegion[] =>
  statuses.filter(({ id, pausedAt }) => pausedAt !== null && requested.includes(id)).map(({ id }) => id);

type RegionSettings = { successWithinMinutes: number | undefined; place?: string | undefined };

/**
 * Returns the regions as clients see them. A region is available unless it is paused. Where a canary audits every region,
 * `successWithinMinutes` also demands a recent success.
 */
export const regionRows = (
  statuses: readonly RegionStatus[],
  { successWithinMinutes, place }: RegionSettings,
  now: Date,
): RegionList['regions'] =>
  statuses.map(({ id, pausedAt, lastSuccessAt }) => {
    const succeededAt = unlessAhead(lastSuccessAt ?? undefined, HOLD_MS, now);
    const age = now.getTime() - Date.parse(succeededAt ?? '1970-01-01T00:00:00Z');
    const succeeds = successWithinMinutes === undefined || age < successWithinMinutes * 60_000;
    return {
      id,
      awsRegion: regions[id],
      place: place ?? places[id],
      available: pausedAt === null && succeeds,
      pausedAt,
      lastSuccessAt,
    };
  });
