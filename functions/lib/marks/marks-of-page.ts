import { deploysOf, isMarkOf } from '../../../shared/deploys.ts';
import type { Mark } from '../../../shared/marks.ts';
import type { ListedRun, ListStore, Range } from '../store/lists.ts';
import type { MarkStore } from '../store/marks.ts';

type Deps = { marks: Pick<MarkStore, 'list'>; lists: Pick<ListStore, 'runs'>; now: () => Date };
type Wanted = {
  url: string;
  device?: string | undefined;
  region?: string | undefined;
  labels: Readonly<Record<string, string>>;
  range: Range;
};

/** Entries of a series that one read returns, and most reads. */
const [ENTRIES, READS] = [500, 4];

/** Returns the marks of a page, the oldest first: those that people made, and those that labels of its checks make. */
export const marksOfPage = async (deps: Deps, owner: string, { url, ...wanted }: Wanted): Promise<Mark[]> => {
  const { device, region, labels, range } = wanted;
  const [made, entries] = await Promise.all([deps.marks.list(owner, url), readEntries(deps, owner, url, range)]);
  const ofTrend = entries.filter(
    (run) =>
      (device === undefined || run.device === device) &&
      (region === undefined || run.region === region) &&
      hasLabels(run, labels),
  );
  const deploys = deploysOf(ofTrend.toReversed()).map((deploy) => ({
    ...deploy,
    id: null,
    url,
    labels: { ...deploy.labels },
  }));
  const inRange = ({ at }: Mark) => at >= (range.after ?? '') && at <= (range.before ?? '~');
  const shown = made.filter((mark) => inRange(mark) && isMarkOf(mark.labels, labels));
  return [...shown, ...deploys].sort((a, b) => a.at.localeCompare(b.at));
};

const hasLabels = ({ labels = {} }: ListedRun, wanted: Wanted['labels']): boolean =>
  Object.entries(wanted).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value);

/** Reads the series of a page, the newest first. */
const readEntries = async ({ lists, now }: Deps, owner: string, url: string, range: Range): Promise<ListedRun[]> => {
  const found: ListedRun[] = [];
  let before = range.before;
  for (let reads = 0; reads < READS; reads++) {
    const { entries, last, more } = await lists.runs(owner, url, { ...range, before }, ENTRIES, now());
    found.push(...entries.flatMap((entry) => ('unreadable' in entry ? [] : [entry])));
    if (!more) break;
    before = last;
  }
  return found;
};
