/** Bounds of a report. The largest that Lighthouse writes have a tenth. */
const MAX_DEPTH = 200;
export const MAX_VALUES = 500_000;
const MAX_LENGTH = 200_000;
/** Most audits, and references of a category. Lighthouse writes at most 180. */
export const MAX_AUDITS = 2000;

/**
 * Returns why a parsed JSON value is refused, or undefined. Readers of a report copy and walk it, so it must have no endless
 * depth and no field that changes the prototype of a copy. Takes no stack, because a report may be as deep as it is long.
 */
export const faultOfShape = (value: unknown): string | undefined => {
  let level = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return `It is nested more than ${MAX_DEPTH} levels deep.`;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      if (Object.hasOwn(each, '__proto__')) return 'It has a field of the name `__proto__`.';
      const values = Object.values(each);
      if (values.length > MAX_LENGTH) return `It has a list or an object of more than ${MAX_LENGTH} entries.`;
      for (const one of values) next.push(one);
    }
    count += next.length;
    if (count > MAX_VALUES) return `It has more than ${MAX_VALUES} values.`;
    level = next;
  }
  return undefined;
};
