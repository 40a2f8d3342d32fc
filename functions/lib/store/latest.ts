import { z } from 'zod';
import { ListedPage, StoredResult } from '../../../shared/pages/listed-pages.ts';
import {
  noSeries,
  type PageSeries,
  packedSeries,
  seriesWith,
  seriesWithout,
  unpackedSeries,
} from '../../../shared/pages/page-points.ts';
import { pick } from '../../../shared/pick.ts';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import { partitions } from '../../../shared/service/partitions.ts';
import { unlessAhead } from '../../../shared/times.ts';
import { type Db, getItem, type Item, type Key, updateItem, WriteConflictError } from './dynamodb.ts';
import type { StoredCheck } from './find-check.ts';
import { ifEqual, type RunItem, trendKey } from './items.ts';
import {
  ERASED_MS,
  Erased,
  earlierResults,
  entryOf,
  type PlaceOfPage,
  pointOf,
  resultOf,
  wasErased,
} from './latest-results.ts';
import { hashOfUrl, listKeyOf } from './lists.ts';
import { pack, unpack } from './packed.ts';

/*
 * An item has the newest results of a page on a device in a region. It also has the series of its checks, in the few numbers
 * that show how the page changed. Closing a check adds its results, sorted by the time of their creates, so an older check that
 * closes late replaces no newer one. Erasing a check removes its results, and the ones before take their place. The entries of
 * the series have all results. They fill the item when erasures have emptied it.
 *
 * The item also keeps the `createId` of each check that was erased lately. A late close can therefore bring no result of an
 * erased check back. A create that was repeated after the erasure has the same `createId`, but a later time.
 *
 * Every write replaces a version that it has read, so none is lost.
 */

/** Results that an item keeps: the newest one, and the one that takes its place. */
const KEPT = 2;
/** Most erasures that an item remembers. */
const MAX_ERASED = 100;
/** Writes of other checks of the page that a write lets pass. */
const TRIES = 20;

/** The newest results of a page, which its item has compressed (packed.ts). */
export const Page = z.object({
  url: z.string(),
  results: z.array(StoredResult), // the newest first
  more: z.boolean(), // true if the series may have earlier ones
  erased: z.array(Erased),
});
type Page = z.infer<typeof Page> & { series: PageSeries };

const keyOf = ({ owner, url, device, region }: PlaceOfPage): Key => ({
  pk: `${partitions.latest}${owner}`,
  sk: `${hashOfUrl(url)}#${device}#${region}`,
});
export const listOfPages = (owner: string): string => `PAGES#${owner}`;

/** Adds the results of a finished check. `trends` are its entries in the series. Safe to repeat. */
export const addResults = async (
  db: Db,
  { item, runs, trends }: StoredCheck & { trends: readonly Item[] },
  now: Date,
): Promise<void> => {
  const written = await Promise.allSettled(
    runs.map(async (run) => {
      const entry = trends.find(({ sk }) => sk === trendKey(run.checkId, run.id).sk);
      if (!entry) return; // an erasure has deleted it
      const result = resultOf(run, item, String(entry.createId));
      await update(db, run, now, (page) => {
        const timely = withoutAhead(page, result, now);
        const added = withResults({ ...timely, url: urlOf(timely, run, result) }, [result]);
        return wasErased(added.erased, result)
          ? added
          : { ...added, series: seriesWith(added.series, pointOf(run, item)) };
      });
    }),
  );
  for (const each of written) if (each.status === 'rejected') throw each.reason;
};

/**
 * Removes the result of an entry of the series, and keeps a late close from adding it. `runs` are the runs of the check, if
 * they still exist. Safe to repeat.
 */
export const removeResult = async (db: Db, entry: Item, runs: readonly Item[], erasedAt: Date): Promise<void> => {
  const place = placeOf(entry, runs);
  if (!place) return; // damaged, so that no close could read it either
  const erased = { createId: String(entry.createId), until: erasedAt.getTime() + ERASED_MS };
  await update(db, place, erasedAt, async (page) => {
    const others = page.erased.filter(({ createId }) => createId !== erased.createId);
    const series = seriesWithout(page.series, Date.parse(String(entry.listKey).split('#')[0] ?? ''));
    const left = withResults({ ...page, series, erased: [...others, erased].slice(-MAX_ERASED) });
    if (left.results.length > 0 || !left.more) return left;
    const earlier = await earlierResults(db, place, left.erased, KEPT);
    return { ...withResults({ ...left, url: place.url, more: false }, earlier), more: earlier.length === KEPT };
  });
};

/**
 * Adds results to those of a page. Drops those of erased checks and the oldest. If results were dropped before, an older one
 * than those that are kept would leave a gap, so it is dropped too.
 */
const withResults = (page: Page, added: readonly StoredResult[] = []): Page => {
  const ids = new Set(added.map(({ id }) => id));
  const oldest = page.results.at(-1);
  const isTooOld = (each: StoredResult) => page.more && oldest && listKeyOf(each) < listKeyOf(oldest);
  const results = [...page.results.filter(({ id }) => !ids.has(id)), ...added.filter((each) => !isTooOld(each))]
    .filter((each) => !wasErased(page.erased, each))
    .sort((a, b) => (listKeyOf(a) < listKeyOf(b) ? 1 : -1));
  return { ...page, results: results.slice(0, KEPT), more: page.more || results.length > KEPT };
};

/** Drops results of checks that a clock ahead has created, which would stay the newest until then. The series keeps them. */
const withoutAhead = (page: Page, added: StoredResult, now: Date): Page => {
  const isTimely = ({ createdAt }: Pick<StoredResult, 'createdAt'>) =>
    unlessAhead(createdAt, HOLD_MS, now) !== undefined;
  if (!isTimely(added)) return page;
  const results = page.results.filter(isTimely);
  const points = page.series.points.filter(({ at }) => isTimely({ createdAt: new Date(at).toISOString() }));
  const series = { ...page.series, points };
  return { ...page, results, series, more: page.more || results.length < page.results.length };
};

/** Returns the spelling of the URL by the newest check. */
const urlOf = (page: Page, { url }: RunItem, result: StoredResult): string => {
  const [newest] = page.results;
  return newest && listKeyOf(newest) > listKeyOf(result) ? page.url : url;
};

/** Replaces the results of a page, unless nothing changes. Repeats that if another write comes between. */
const update = async (
  db: Db,
  place: PlaceOfPage,
  now: Date,
  change: (page: Page) => Page | Promise<Page>,
): Promise<void> => {
  const key = keyOf(place);
  for (let tries = 0; tries < TRIES; tries++) {
    const item = await getItem(db, key);
    const after = current(await change(storedPage(item, place)), now);
    const { series: _, ...kept } = after;
    const results = pack(kept);
    const { set, remove } = attributesOf(place, after, now);
    const isUnchanged = isSame(item?.results, results) && (!set.listed || isSame(item?.listed, set.listed));
    if (isUnchanged || (!item && after.results.length + after.erased.length === 0)) return;
    const version = item?.version;
    const next = { ...set, results, version: (typeof version === 'number' ? version : 0) + 1 };
    if (await updateItem(db, key, { set: next, remove, returns: 'NONE', ...ifEqual('version', version) })) return;
  }
  throw new WriteConflictError(`${key.pk} ${key.sk}`, TRIES);
};

/** Returns the stored results. If they are damaged, the series may still have some. */
const storedPage = (item: Item | undefined, { url }: PlaceOfPage): Page => {
  const stored = Page.safeParse(unpack(item?.results)).data;
  const listed = ListedPage.safeParse(unpack(item?.listed)).data;
  const series = listed ? unpackedSeries(listed.series) : noSeries;
  return { ...(stored ?? { url, results: [], more: item !== undefined, erased: [] }), series };
};

const isSame = (stored: unknown, bytes: Uint8Array): boolean =>
  stored instanceof Uint8Array && Buffer.compare(stored, bytes) === 0;

/** Drops what has expired, and the URL of a page whose last check was erased. */
const current = (page: Page, now: Date): Page => {
  const isCurrent = ({ expiresAt }: { expiresAt: number }) => expiresAt * 1000 > now.getTime();
  const results = page.results.filter(isCurrent);
  const series = { ...page.series, points: page.series.points.filter(isCurrent) };
  const erased = page.erased.filter(({ until }) => until > now.getTime());
  return { ...page, url: results.length > 0 ? page.url : '', results, series, erased };
};

type Attributes = { set: { listed?: Uint8Array } & Item; remove: string[] };

/** Returns how the list and the expiry of an item change. Without a result, the item is in no list. */
const attributesOf = (place: PlaceOfPage, { url, results, erased, series }: Page, now: Date): Attributes => {
  const [newest] = results;
  const ends = [now.getTime() / 1000, ...erased.map(({ until }) => until / 1000)];
  const expiresAt = Math.ceil(Math.max(...ends, ...results.map((each) => each.expiresAt)));
  if (!newest) return { set: { expiresAt }, remove: ['list', 'listKey', 'listed'] };
  const facts = { ...pick(place, ['device', 'region']), url, newest, series: packedSeries(series) };
  const listed = pack(facts satisfies ListedPage);
  return { set: { expiresAt, list: listOfPages(place.owner), listKey: keyOf(place).sk, listed }, remove: [] };
};

/** Returns the page of an entry of the series. */
const placeOf = ({ sk, owner, listed }: Item, runs: readonly Item[]): PlaceOfPage | undefined => {
  const run = runs.find((each) => each.sk === String(sk).replace('TREND#', 'RUN#'));
  const place = { ...(run ?? entryOf(listed)), owner };
  return Place.safeParse(place).data as PlaceOfPage | undefined;
};
const Place = z.object({ owner: z.string(), url: z.string(), device: z.string(), region: z.string() });
