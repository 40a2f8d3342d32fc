/** Merges maps and lists part by part, as Lighthouse CI does. The second value wins. */
export const merge = (base: unknown, own: unknown): unknown => {
  if (Array.isArray(base) && Array.isArray(own)) {
    const length = Math.max(base.length, own.length);
    return Array.from({ length }, (_, i) => (i < own.length ? merge(base[i], own[i]) : base[i]));
  }
  if (!isMap(base) || !isMap(own)) return own;
  const merged = Object.entries(own).map(([key, value]) => [
    key,
    Object.hasOwn(base, key) ? merge(base[key], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(merged) };
};

/** Returns true if a value of a file is an object. */
export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
