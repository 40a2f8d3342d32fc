import { createHash } from 'node:crypto';
import { type Check, checkView } from '../../../shared/check.ts';
import { measuredOn } from '../../../shared/comparison/comparable.ts';
import { type Locations, locationsOf, type SeriesPoint } from '../../../shared/comparison/series.ts';
import { pick } from '../../../shared/pick.ts';
import { type CheckSummary, checkSummary, listedFields, type SeriesRun, seriesRun } from '../../../shared/summaries.ts';
import { canonicalUrl } from '../../../shared/text.ts';
import type { Db } from './dynamodb.ts';
import { checkKey, type RunItem, trendKey } from './items.ts';
import { pack, unpack } from './packed.ts';
import { allIn, firstIn } from './query.ts';

/** Place of an item in its list. Lists are sorted by it. */
export type Position = { createdAt: string; id: string };
/** Part of a list between two sort keys, without the keys themselves. */
export type Range = { after?: string | undefined; before?: string | undefined };

/** A check in its owner's list. Until the check is closed, its runs are not known here. */
export type ListedCheck = Omit<
  CheckSummary,
  'runs' | 'source' | 'state' | 'assertionsPassed' | 'scheduleId' | 'updatedAt' | 'links'
> &
  Partial<CheckSummary>;

/**
 * A run in the series of its URL. `runExpiresAt` is when the run itself expires, in seconds. `position` is the place of its
 * region in its check. `locations` say where its samples lie.
 */
export type ListedRun = SeriesRun & { runExpiresAt: number; position: number; locations: Locations };

export type ListStore = ReturnType<typeof listStore>;

/** Reads the index `list`, newest first. Each call is one query. `more` is true if the range has further items. */
export const listStore = (db: Db) => ({
  /** Returns checks of an owner. */
  checks: (owner: string, range: Range, limit: number, now: Date, order: Order = 'newest first') =>
    query<ListedCheck>(db, `OWNER#${owner}`, range, limit, now, order),

  /** Returns the runs of an owner's closed checks of a URL. */
  runs: (owner: string, url: string, range: Range, limit: number, now: Date) =>
    query<ListedRun>(db, seriesOf(owner, url), range, limit, now),

  /** Returns the runs of an owner's closed check, in the order of its regions. It reads no index, and misses no run. */
  runsOfCheck: async (owner: string, checkId: string): Promise<(ListedRun | UnreadableEntry)[]> => {
    const entries = await allIn(db, { partition: checkKey(checkId).pk, begin: trendKey(checkId, '').sk });
    const filled = entries.filter((entry) => entry.owner === owner && entry.list !== undefined);
    const placeOf = (entry: object) => ('position' in entry ? Number(entry.position) : Number.POSITIVE_INFINITY);
    return filled
      .map((entry) => parseListed(entry) as ListedRun | UnreadableEntry)
      .sort((a, b) => placeOf(a) - placeOf(b));
  },
});

type Order = 'newest first' | 'oldest first';

/*
 * `listed` of an item is what its list shows, as compressed JSON (packed.ts).
 */

export const listKeyOf = ({ createdAt, id }: Position): string => `${createdAt}#${id}`;

/** Returns the attributes that put a new check into the list of its owner. */
export const listedNewCheck = (check: Check, owner: string, expiresAt: number) => ({
  list: `OWNER#${owner}`,
  listKey: listKeyOf(check),
  listed: pack({ ...pick(check, [...listedFields, 'scheduleId', 'createdAt']), expiresAt }),
});

/** Returns the attributes of a check that is closed. They hold its results, so that a list reads no run. */
export const listedClosedCheck = (check: Check, owner: string, expiresAt: number) => ({
  ...listedNewCheck(check, owner, expiresAt),
  listed: pack({ ...checkSummary(checkView(check)), expiresAt }),
});

/** Returns the attributes that put a finished run into the series of its URL. */
export const listedRun = (run: RunItem, position: number) => ({
  list: seriesOf(run.owner, run.url),
  listKey: listKeyOf(run),
  listed: pack({
    ...seriesRun(run),
    locations: locationsOf(run),
    position,
    runExpiresAt: run.expiresAt,
    expiresAt: run.trendExpiresAt,
  }),
});

/** Returns an entry of a series as one of its checks. An entry of an earlier release lacks some facts. */
export const seriesPoint = (entry: ListedRun): SeriesPoint => ({
  ...pick(entry, ['url', 'device', 'auditVersion', 'checkId', 'createdAt']),
  ...{ locations: {}, throttling: null, blockedUrlPatterns: null },
  ...pick(entry, ['locations', 'throttling', 'blockedUrlPatterns']),
  ...measuredOn(entry),
});

/** Returns the partition of a URL's runs. It holds a hash, because a key has at most 2,048 bytes. */
export const seriesOf = (owner: string, url: string): string => `SERIES#${owner}#${hashOfUrl(url)}`;

/** Returns a hash that is equal for spellings of the same URL. */
export const hashOfUrl = (url: string): string => createHash('sha256').update(canonicalUrl(url)).digest('hex');

/** An entry of a list that can't be read. Its sort key says which check or run it is. */
export type UnreadableEntry = Position & { unreadable: true };

const parseListed = ({
  listed,
  listKey,
}: Record<string, unknown>): (Position | UnreadableEntry) & { expiresAt?: number } => {
  const [createdAt = '', id = ''] = String(listKey).split('#');
  const entry = unpack(listed) as (Position & { url: unknown }) | undefined;
  if (entry?.id === id && entry.createdAt === createdAt && typeof entry.url === 'string') return entry;
  return { createdAt, id, unreadable: true };
};

const query = async <Entry>(
  db: Db,
  list: string,
  range: Range,
  limit: number,
  now: Date,
  order: Order = 'newest first',
) => {
  const { after: from, before: until } = range;
  // DynamoDB refuses a lower bound above the upper one.
  if (from !== undefined && until !== undefined && from > until) return { entries: [], last: undefined, more: false };
  const newestFirst = order === 'newest first';
  const { items, more } = await firstIn(db, { index: 'list', partition: list, from, until, newestFirst, limit });
  const entries = items.filter(({ listKey }) => listKey !== until && listKey !== from).map(parseListed);
  const isCurrent = ({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt * 1000 > now.getTime(); // DynamoDB deletes items late
  return {
    entries: entries.filter(isCurrent).map(({ expiresAt: _, ...entry }) => entry as Entry | UnreadableEntry),
    last: items.at(-1)?.listKey as string | undefined,
    more,
  };
};
