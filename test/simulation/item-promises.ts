import type { Item } from './embedded-table.ts';
import type { Timeline } from './timeline.ts';

type Options = { timeline: Timeline; images: ReadonlyMap<string, Item>; violated: (what: string) => void };

const DAY = 24 * 3600;
/** Time that a mark stays at least, less the differences of clocks: a worker renews its lease within it. */
const MARK_MS = 55_000;
/** Time in which everything happens, in seconds. Expiry times are judged with this tolerance. */
const LASTS = 4 * DAY;

export const DAYS = { retentionDays: 90, trendDays: 400 } as const;

/** Returns a function that checks the owner, the expiry and the place of each written item, and the time of each mark. */
export const itemPromises = ({ timeline, images, violated }: Options) => {
  const owners = new Map<unknown, unknown>(); // by the id of their check
  const marks = new Map<string, { now: number; wallNow: number }>();

  const onOwner = ({ pk, sk, owner, checkId = idIn(pk) }: Item) => {
    if (owner === undefined) return; // a secret of links
    const first = owners.get(checkId) ?? owner;
    owners.set(checkId, first);
    if (owner !== first) violated(`${pk} ${sk} is of ${owner}, and its check of ${first}`);
  };

  const onList = ({ pk, sk, owner, list, erasedAt }: Item) => {
    if (erasedAt && list !== undefined) violated(`the mark ${pk} ${sk} is in the list ${list}`);
    const ofPages = pk.startsWith('LATEST#') && pk.replace('LATEST#', 'PAGES#');
    const place = ofPages || (sk === 'CHECK' ? `OWNER#${owner}` : `SERIES#${owner}#`);
    if (list !== undefined && !String(list).startsWith(place)) violated(`${pk} ${sk} is in the list ${list}`);
  };

  const onExpiry = ({ pk, sk, expiresAt, trendExpiresAt, erasedAt, list }: Item) => {
    if (erasedAt) return;
    const outlives = sk.startsWith('TREND#') || (pk.startsWith('LATEST#') && list);
    const days = outlives ? DAYS.trendDays : pk.startsWith('LATEST#') ? 0 : DAYS.retentionDays;
    if (!isIn(days, expiresAt)) violated(`${pk} ${sk} does not expire after ${days} days, but at ${expiresAt}`);
    if (sk.startsWith('RUN#') && !isIn(DAYS.trendDays, trendExpiresAt))
      violated(`the entry of ${sk} would expire at ${trendExpiresAt}`);
  };
  const isIn = (days: number, seconds: unknown) =>
    Math.abs((seconds as number) - timeline.wallNow() / 1000 - days * DAY) < LASTS;

  const onMark = (before: Item | undefined, after: Item | undefined, name: string) => {
    const times = { now: timeline.now(), wallNow: timeline.wallNow() };
    if (after?.erasedAt && !before?.erasedAt) marks.set(name, times);
    const mark = marks.get(name);
    if (!before?.erasedAt || after || !mark) return;
    const ms = Math.max(times.now - mark.now, times.wallNow - mark.wallNow);
    if (ms < MARK_MS) violated(`the mark ${name} was removed after ${ms / 1000} s`);
  };

  const onClose = (before: Item | undefined, { pk, runIds, completedAt }: Item) => {
    if (!completedAt || before?.completedAt) return;
    const ends = (runIds as string[]).map((id) => images.get(`${pk} RUN#${id}`)?.finishedAt as string);
    if (ends.some((end) => end > (completedAt as string))) violated(`${pk} was closed before the end of a run`);
  };

  return {
    ownerOf: (checkId: string): string | undefined => owners.get(checkId) as string | undefined,
    /** Returns when the mark of a check was written, by the timeline. */
    markedAt: (checkId: string | undefined): number | undefined => marks.get(`CHECK#${checkId} CHECK`)?.now,
    onWrite: (before: Item | undefined, after: Item | undefined, name: string): void => {
      if (name.endsWith(' USAGE')) return;
      if (name.endsWith(' CHECK')) onMark(before, after, name);
      if (!after) return;
      onOwner(after);
      onList(after);
      onExpiry(after);
      if (after.sk === 'CHECK') onClose(before, after);
    },
  };
};

const idIn = (pk: string): string => pk.slice(pk.indexOf('#') + 1);
