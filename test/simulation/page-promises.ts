import { unpack } from '../../functions/lib/store/packed.ts';
import type { Item } from './embedded-table.ts';

type Result = { id: string; createdAt: string; state: string; performance: number | null };
type Entry = Result & { device: string; region: string; expiresAt: number };

const placeOf = ({ owner, device, region }: { owner: unknown; device: string; region: string }): string =>
  `${owner} ${device} ${region}`;
const entryOf = ({ listed }: Item) => unpackText(listed) as Entry;
/** Returns the value of a compressed attribute. The images have its bytes in base64. */
export const unpackText = (text: unknown): unknown => unpack(Buffer.from(String(text), 'base64'));
const isEntry = ({ sk, list }: Item): boolean => sk.startsWith('TREND#') && list !== undefined;
/** All checks are of one URL, so owner, device and region are the place of a page. */
const placeOfPage = ({ pk, sk }: Item): string => {
  const [, device = '', region = ''] = sk.split('#');
  return placeOf({ owner: pk.slice('LATEST#'.length), device, region });
};

/** Returns the entries of the series of each page, the newest first. */
const entriesByPage = (all: readonly Item[]): Map<string, Entry[]> => {
  const entries = all.filter(isEntry).map((item) => ({ item, entry: entryOf(item) }));
  const byPlace = Map.groupBy(entries, ({ item, entry }) => placeOf({ owner: item.owner, ...entry }));
  const newestFirst = (a: Entry, b: Entry) => (`${a.createdAt}#${a.id}` < `${b.createdAt}#${b.id}` ? 1 : -1);
  return new Map([...byPlace].map(([place, found]) => [place, found.map(({ entry }) => entry).sort(newestFirst)]));
};

/** Returns what the newest results of a page say wrongly. The series has all results. */
export const wrongPage = (item: Item, all: readonly Item[]): string[] => {
  const { results } = unpackText(item.results) as { results: Result[] };
  const entries = entriesByPage(all).get(placeOfPage(item)) ?? [];
  const isSame = (result: Result, entry: Entry | undefined) =>
    result.id === entry?.id && result.state === entry.state && result.performance === entry.performance;
  const areNewest = results.every((each, i) => isSame(each, entries[i]));
  const fewest = Math.min(1, entries.length);
  const listed = item.listed ? (unpackText(item.listed) as { newest: Result; series: { at: number[] } }) : undefined;
  const newest = listed?.newest.id;
  let time = 0;
  const times = (listed?.series.at ?? []).map((gap) => {
    time += gap;
    return time;
  });
  const known = new Set(entries.map(({ createdAt }) => Date.parse(createdAt)));
  const lastEnd = Math.max(...entries.map(({ expiresAt }) => expiresAt));
  const list = entries.length > 0 ? `PAGES#${item.pk.slice('LATEST#'.length)}` : undefined;
  return [
    ...(areNewest && results.length >= fewest ? [] : [`the newest results of ${item.sk} are not those of its series`]),
    ...(times.every((each) => known.has(each)) ? [] : [`the series of ${item.sk} has a check that is gone`]),
    ...(newest === entries[0]?.id ? [] : [`the list of pages shows ${newest} of ${item.sk}`]),
    ...(item.list === list ? [] : [`${item.pk} ${item.sk} is in the list ${item.list}`]),
    ...(list && (item.expiresAt as number) > lastEnd ? [`${item.pk} ${item.sk} outlives its trend`] : []),
  ];
};

/** Returns the pages that have results and are in no list. */
export const missingPages = (all: readonly Item[]): string[] => {
  const pages = new Set(all.filter(({ pk }) => pk.startsWith('LATEST#')).map(placeOfPage));
  return [...entriesByPage(all).keys()].flatMap((place) => (pages.has(place) ? [] : [`no list has the page ${place}`]));
};
