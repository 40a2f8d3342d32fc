import { z } from 'zod';
import { SERIES_CHECKS, type SeriesPoint } from '../../../shared/comparison/series.ts';
import { judgePage, regressedOf, splitNames, type WatchedName, WatchedPage } from '../../../shared/comparison/watch.ts';
import { anyName, type Region } from '../../../shared/name-schemas.ts';
import { pick } from '../../../shared/pick.ts';
import type { WatchedRegion } from '../../../shared/schedules.ts';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import { unlessAhead } from '../../../shared/times.ts';
import { PageEventName } from '../../../shared/webhooks.ts';
import type { CheckStore } from '../store/checks.ts';
import { ifReadable, WriteConflictError } from '../store/dynamodb.ts';
import type { StoredCheck } from '../store/find-check.ts';
import { type ListStore, type Range, seriesPoint } from '../store/lists.ts';
import type { ScheduleItem } from '../store/schedule-items.ts';
import type { ScheduleStore } from '../store/schedules.ts';

/*
 * The item of a schedule has the ids of the checks of its series. Their results are in the series of the URL only. An erased
 * check therefore leaves nothing behind. One write judges a check and keeps its events, until their deliveries exist.
 */
const PageEvent = z.object({
  type: PageEventName,
  checkId: z.uuid(),
  createId: z.string(),
  region: anyName<Region>(),
  metrics: z.array(anyName<WatchedName>()),
  pool: z.array(z.uuid()),
  since: z.array(z.uuid()),
});
export type PageEvent = z.infer<typeof PageEvent>;

const Watch = z.object({
  judgedUntil: z.iso.datetime().nullable(), // creates of checks up to this time are not judged any more
  pages: z.record(z.string(), WatchedPage), // by region
  events: z.array(PageEvent), // whose deliveries may not exist yet
});
type Watch = z.infer<typeof Watch>;

/** Writes of other checks of the schedule that a write lets pass. */
const TRIES = 20;
/** Events without deliveries that a schedule keeps. Only erased checks leave some. */
const MAX_EVENTS = 60;

type Deps = {
  checks: Pick<CheckStore, 'findOfAnyOwner'>;
  schedules: Pick<ScheduleStore, 'find' | 'putWatch'>;
  lists: Pick<ListStore, 'runs'>;
  now: () => Date;
};

/** Returns how the pages of a schedule are. A damaged state begins again. */
export const watchOf = ({ watch }: Pick<ScheduleItem, 'watch'>): Watch => {
  try {
    return Watch.parse(JSON.parse(String(watch)));
  } catch {
    return { judgedUntil: null, pages: {}, events: [] };
  }
};

/** Returns the pages of a schedule as the API shows them. */
export const watchedRegions = (schedule: Pick<ScheduleItem, 'watch'>): WatchedRegion[] =>
  Object.entries(watchOf(schedule).pages).map(([region, page]) => {
    const names = regressedOf(page);
    const since = names.map((name) => page.stepped[name]?.worseFrom).find(Boolean) ?? null;
    const state = names.length > 0 ? ('regressed' as const) : ('normal' as const);
    return { region: region as Region, state, ...splitNames(names), since, ...pick(page, ['checkId', 'reason']) };
  });

/** Returns the state of a schedule whose next check begins new series. Checks that were created before are not judged. */
export const newWatch = (schedule: ScheduleItem, now: Date): string =>
  JSON.stringify({ judgedUntil: now.toISOString(), pages: {}, events: watchOf(schedule).events } satisfies Watch);

/**
 * Judges a closed check of a schedule, once. Returns its events whose deliveries may not exist yet. A check that closes after
 * a later one, or after its schedule was changed or deleted, has none.
 */
export const judgeScheduled = async (deps: Deps, found: StoredCheck): Promise<PageEvent[]> => {
  const { item, runs } = found;
  if (item.scheduleId === null) return [];
  const events = await changeWatch(deps, item, async (watch) => {
    if (item.createdAt <= (unlessAhead(watch.judgedUntil ?? undefined, HOLD_MS, deps.now()) ?? '')) return watch;
    if (Object.values(watch.pages).some(({ checkId }) => checkId === item.id)) return watch;
    const known = await readSeries(deps, item, watch);
    const judged = item.regions.map((region) => ({
      region,
      ...judgePage(region, { ...item, runs }, watch.pages[region], known.get(region) ?? []),
    }));
    const added = judged.flatMap(({ region, event }): PageEvent[] =>
      event ? [{ ...event, region, checkId: item.id, createId: item.createId }] : [],
    );
    return {
      judgedUntil: item.createdAt,
      pages: Object.fromEntries(judged.map(({ region, page }) => [region, page])),
      events: [...watch.events, ...added].slice(-MAX_EVENTS),
    };
  });
  return events.filter((event) => isOf(event, item));
};

/** Forgets the events of a check, after their deliveries were made. */
export const forgetEvents = async (deps: Pick<Deps, 'schedules'>, { item }: StoredCheck): Promise<void> => {
  await changeWatch(deps, item, async (watch) => ({
    ...watch,
    events: watch.events.filter((event) => !isOf(event, item)),
  }));
};

const isOf = ({ checkId, createId }: PageEvent, item: StoredCheck['item']): boolean =>
  checkId === item.id && createId === item.createId;

/** Changes how the pages of a schedule are. Returns the events. A schedule that is gone has none. */
const changeWatch = async (
  { schedules }: Pick<Deps, 'schedules'>,
  { owner, scheduleId }: StoredCheck['item'],
  change: (watch: Watch) => Promise<Watch>,
): Promise<PageEvent[]> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const schedule = scheduleId === null ? undefined : await schedules.find(owner, scheduleId);
    if (!schedule) return [];
    const before = watchOf(schedule);
    const after = await change(before);
    const isSame = JSON.stringify(after) === JSON.stringify(before);
    if (isSame || (await schedules.putWatch(schedule, JSON.stringify(after)))) return after.events;
  }
  throw new WriteConflictError(`the schedule ${scheduleId}`, TRIES);
};

/** Most entries that one read of a series returns, and most reads. Further checks of the URL may lie between. */
const [ENTRIES, READS] = [200, 5];

/** Reads the series of a check's page by region, without the checks that were erased or have expired. */
const readSeries = async (
  { lists, now }: Pick<Deps, 'lists' | 'now'>,
  { owner, url, device = 'mobile', id }: StoredCheck['item'],
  { pages }: Watch,
): Promise<Map<Region, SeriesPoint[]>> => {
  const wanted = new Set(Object.values(pages).flatMap(({ series }) => series));
  const found = new Map<Region, SeriesPoint[]>();
  const enough = Math.min(SERIES_CHECKS, wanted.size) * Object.keys(pages).length;
  let range: Range = {};
  for (let reads = 0, count = 0; reads < READS && count < enough; reads++) {
    const { entries, last, more } = await lists.runs(owner, url, range, ENTRIES, now());
    for (const entry of entries) {
      if ('unreadable' in entry || entry.device !== device || !wanted.has(entry.checkId) || entry.checkId === id)
        continue;
      found.set(entry.region, [...(found.get(entry.region) ?? []), seriesPoint(entry)]);
      count += 1;
    }
    if (!more) break;
    range = { before: last };
  }
  return found;
};

/** Returns the checks that still exist and can be read. */
export const findChecks = async (checks: Deps['checks'], ids: readonly string[]) => {
  const found = await Promise.all(ids.map((id) => checks.findOfAnyOwner(id).catch(ifReadable)));
  return found.flatMap((each) => (each ? [{ ...each.item, runs: each.runs }] : []));
};
