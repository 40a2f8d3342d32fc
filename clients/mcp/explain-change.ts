import { MAX_ENTRIES } from '../../shared/explanation/bounds.ts';
import type { CheckExplanation, Explanation } from '../../shared/explanation/schema.ts';

/** Size limit of the answer, in bytes of UTF-8. */
const MAX_BYTES = 8000;

/**
 * Returns an explanation in at most 8,000 bytes. The lists of all regions get shorter until it fits. `sentence` and
 * `points` always stay. A list that nothing is in, and a value that is unknown, are left out.
 */
export const explainedChange = ({ regions, ...checks }: CheckExplanation): object => {
  const answer = (most: number) => ({
    ...checks,
    ...(most < MAX_ENTRIES && {
      note: `Lists are cut to ${most} entries. GET …/explanation has up to ${MAX_ENTRIES}.`,
    }),
    regions: Object.fromEntries(Object.entries(regions).map(([region, each]) => [region, shortened(each, most)])),
  });
  let most = MAX_ENTRIES;
  while (most > 0 && Buffer.byteLength(JSON.stringify(answer(most))) > MAX_BYTES) most -= 1;
  return answer(most);
};

const shortened = ({ sentence, performance, points, ...lists }: Explanation, most: number): object => ({
  ...{ sentence, performance },
  points: points.map(({ base: _, value: __, ...rest }) => rest),
  ...(compact(lists, most) as object | undefined),
});

/** Returns a value with short lists, or undefined if nothing of it is left. */
const compact = (value: unknown, most: number): unknown => {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value))
    return value.length === 0 || most === 0 ? undefined : value.slice(0, most).map((each) => compact(each, most));
  if (typeof value !== 'object') return value;
  const fields = Object.entries(value)
    .map(([name, each]) => [name, compact(each, most)] as const)
    .filter(([, each]) => each !== undefined);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
};
