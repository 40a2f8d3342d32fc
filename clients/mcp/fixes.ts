import type { Fix } from '../../shared/fixes/fix.ts';
import type { RunView } from '../../shared/run.ts';

/** Size limit of the answer, in bytes of UTF-8. */
const MAX_BYTES = 6000;

/**
 * Returns what to fix first on the page of a run, in at most 6,000 bytes. `more` counts the fixes that have no room. Items
 * and savings have the known values only.
 */
export const fixesAnswer = ({ id, url, region, performance }: RunView, fixes: readonly Fix[]) => {
  const shown = fixes.map(({ items, savings, ...fix }) => ({
    ...fix,
    savings: withoutNulls(savings),
    items: items.map(withoutNulls),
  }));
  const answer = (count: number) => ({
    ...{ runId: id, url, region, performance },
    fixes: shown.slice(0, count),
    more: fixes.length - count,
  });
  let count = fixes.length;
  while (count > 0 && Buffer.byteLength(JSON.stringify(answer(count))) > MAX_BYTES) count -= 1;
  return answer(count);
};

const withoutNulls = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
