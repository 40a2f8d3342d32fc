import type { InteractionRun } from '../../../shared/interactions/interactions-schemas.ts';

/** Entry of the performance timeline of a page. Times are in milliseconds on the page's own clock. */
export type Entry = {
  entryType: string;
  name: string;
  startTime: number;
  /** Element of an event. */
  selector: string | null;
  /** Interaction that caused a route change or a paint. Both start with it. */
  interactionId?: number | undefined;
  /** Size and time of a paint. */
  size?: number | undefined;
  paintedAt?: number | undefined;
  /** Amount of a layout shift. One that follows an input at once does not count. */
  value?: number | undefined;
  hadRecentInput?: boolean | undefined;
};

/** Returns the element of an event, if the page reported it. */
export const selectorOf = (entries: readonly Entry[], type: string, timeStamp: number): string | null =>
  entries.find(
    ({ entryType, name, startTime, selector }) =>
      entryType === 'event' && name === type && Math.abs(startTime - timeStamp) < 1 && selector,
  )?.selector ?? null;

/** Returns the last route change, with the largest paint and the layout shifts since then. */
export const softNavigationOf = (entries: readonly Entry[]): InteractionRun['softNavigation'] => {
  const navigation = entries.findLast(({ entryType }) => entryType === 'soft-navigation');
  if (!navigation) return null;
  const { name: url, startTime, interactionId } = navigation;
  const [largest] = entries
    .filter((each) => each.entryType === 'interaction-contentful-paint' && each.interactionId === interactionId)
    .toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0));
  const lcp = largest?.paintedAt === undefined ? null : largest.paintedAt - startTime;
  return { url, lcp, cls: shiftSince(entries, startTime) };
};

/** Longest time between two shifts of one window, and longest window, in milliseconds. */
const GAP_MS = 1000;
const WINDOW_MS = 5000;

/** Returns the largest sum of layout shifts in one window, as CLS counts them. */
const shiftSince = (entries: readonly Entry[], sinceMs: number): number => {
  const shifts = entries.filter(
    ({ entryType, startTime, hadRecentInput }) =>
      entryType === 'layout-shift' && startTime >= sinceMs && !hadRecentInput,
  );
  let window = { sum: 0, from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  let worst = 0;
  for (const { startTime, value = 0 } of shifts) {
    const isSame = startTime - window.to < GAP_MS && startTime - window.from < WINDOW_MS;
    window = { sum: isSame ? window.sum + value : value, from: isSame ? window.from : startTime, to: startTime };
    worst = Math.max(worst, window.sum);
  }
  return worst;
};
