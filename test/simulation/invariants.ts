import { checkIdIn, type EmbeddedBucket } from './embedded-bucket.ts';
import type { Item } from './embedded-table.ts';
import { keyOf } from './monitor.ts';
import { missingPages, unpackText, wrongPage } from './page-promises.ts';
import { isFinal } from './run-promises.ts';

const OPEN_CHECKS = 'OPENCHECK#';
const isPage = ({ pk }: Item): boolean => pk.startsWith('LATEST#');

/** Time after which the sweeper has handled a lost lease, in milliseconds: its slack, a minute, and one sweep that died. */
const LOST_LEASE_MS = 4 * 60_000;

/** Returns the runs whose lease has been lost for so long that a sweep should have handled them. */
export const lostLeases = (images: ReadonlyMap<string, Item>, wallNow: number): string[] =>
  [...images.values()]
    .filter(({ lease }) => lease && Date.parse((lease as { until: string }).until) < wallNow - LOST_LEASE_MS)
    .map(({ sk, lease }) => `nobody looks at ${sk}, whose lease ended at ${(lease as { until: string }).until}`);

/** Returns what should not be there when nothing is left to do. */
export const leftWhenQuiet = (
  images: ReadonlyMap<string, Item>,
  { bucket, storedLate }: { bucket: EmbeddedBucket; storedLate: ReadonlySet<string> },
  accepted: Iterable<string>,
): string[] => {
  const all = [...images.values()];
  const check = (id: unknown) => images.get(keyOf({ pk: `CHECK#${id}`, sk: 'CHECK' }));
  const lists = (id: unknown, runId: string) => (check(id)?.runIds as string[] | undefined)?.includes(runId);
  const faults = all.flatMap((item) => {
    const name = keyOf(item);
    if (item.sk === 'USAGE') return []; // `openAll` shows whether it refuses too much
    if (isPage(item)) return []; // below, because a fault of a series is one of its page too
    if (item.pk.startsWith(OPEN_CHECKS)) {
      const open = check(item.sk)?.completedAt === null;
      return open ? [] : [`the closed or missing check ${item.sk} counts as open of ${item.pk}`];
    }
    if (item.sk === 'RUN') {
      const run = item.pk.slice('RUN#'.length);
      return lists(item.checkId, run) ? [] : [`the pointer ${name} is left of a check that is gone`];
    }
    if (item.sk === 'SHARE') {
      const isOfCheck = check(item.pk.slice('SHARE#'.length))?.createId === item.createId;
      return isOfCheck ? [] : [`the secret of links ${name} is left of a check that is gone`];
    }
    if (item.sk === 'CHECK') {
      if (item.erasedAt) return [`the mark ${name} is left of an erased check`];
      const runs = (item.runIds as string[]).map((id) => images.get(keyOf({ pk: item.pk, sk: `RUN#${id}` })));
      const missing = runs.some((run) => !run) ? [`${name} has lost a run`] : [];
      const open = item.completedAt && !item.open ? [] : [`nobody closed ${name}`];
      return [...missing, ...open, ...wrongSummary(item, runs)];
    }
    if (item.sk.startsWith('TREND#')) {
      const [checkId, run] = [item.pk.slice('CHECK#'.length), item.sk.slice('TREND#'.length)];
      if (!lists(checkId, run)) return [`the entry ${name} is left of a check that is gone`];
      if (!item.list) return check(checkId)?.completedAt ? [`the entry ${name} of a closed check is empty`] : [];
      return wrongEntry(item, images.get(keyOf({ pk: item.pk, sk: `RUN#${run}` })));
    }
    if (!lists(item.checkId, item.id as string)) return [`the run ${name} is left of a check that is gone`];
    const pointer = images.has(keyOf({ pk: `RUN#${item.id}`, sk: 'RUN' })) ? [] : [`${name} has no pointer`];
    const entry = images.has(keyOf({ pk: item.pk, sk: `TREND#${item.id}` })) ? [] : [`${name} has no entry`];
    const { report: own, against } = item as Stored & { against?: Stored | null };
    const keys = [own, against?.report].flatMap((each) => each?.key ?? []);
    const report = keys.every((key) => bucket.objects.has(key)) ? [] : [`the report of ${name} is gone`];
    return isFinal(item) && !item.open ? [...pointer, ...entry, ...report] : [`nobody finished ${name}`];
  });
  const pages = [...all.filter(isPage).flatMap((item) => wrongPage(item, all)), ...missingPages(all)];
  const reports = [...bucket.objects.keys()].filter((key) => !check(checkIdIn(key)) && !storedLate.has(key));
  return [
    ...faults,
    ...pages,
    ...reports.map((key) => `the report ${key} is left of an erased check`),
    ...[...accepted].filter((id) => !check(id)).map((id) => `the accepted check ${id} is gone`),
  ];
};

/** Returns what the entry of a check in its owner's list says wrongly. */
const wrongSummary = (item: Item, runs: readonly (Item | undefined)[]): string[] => {
  const { state, runs: listed = [], labels } = unpackText(item.listed) as Listed;
  const states = new Set(runs.map((run) => run?.state));
  const expected = states.size > 1 ? 'partial' : [...states][0];
  const same = listed.length === runs.length && listed.every((each, i) => isSameRun(each, runs[i]));
  return [
    ...(state === expected && same ? [] : [`the list shows the closed ${item.pk} as ${state} with other runs`]),
    ...(item.listKey === `${item.createdAt}#${item.id}` ? [] : [`${item.pk} is listed at ${item.listKey}`]),
    ...(JSON.stringify(labels) === item.labels ? [] : [`the list shows other labels of ${item.pk}`]),
  ];
};

/** Returns what the entry of a run in the series of its URL says wrongly. */
const wrongEntry = ({ pk, sk, listed, listKey }: Item, run: Item | undefined): string[] => {
  const entry = unpackText(listed) as ListedRun & { sampleCount: number; errorCode: string | null };
  const { samples, error } = run as { samples?: unknown[]; error?: { code: string } | null };
  const same =
    isSameRun(entry, run) && entry.sampleCount === samples?.length && entry.errorCode === (error?.code ?? null);
  return [
    ...(same ? [] : [`the series shows other results of ${pk} ${sk}`]),
    ...(listKey === `${run?.createdAt}#${run?.id}` ? [] : [`${pk} ${sk} is listed at ${listKey}`]),
  ];
};

type Stored = { report?: { key: string } };
type ListedRun = { id: string; state: string; performance: number | null };
type Listed = { state: string; runs?: ListedRun[]; labels?: object };
const isSameRun = ({ id, state, performance }: ListedRun, run: Item | undefined): boolean =>
  id === run?.id && state === run.state && performance === (run.performance ?? null);
