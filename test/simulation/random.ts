export type Random = ReturnType<typeof seededRandom>;

/** Returns a generator (mulberry32) that gives the same values for the same seed. */
export const seededRandom = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    /** Returns a number from 0 to 1, like `Math.random`. */
    next,
    /** Returns a whole number from `least` to `most`. */
    between: (least: number, most: number): number => least + below(most - least + 1),
    chance: (probability: number): boolean => next() < probability,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    /** Returns one of the names, each as often as its weight says. */
    weighted: <Name extends string>(weights: Readonly<Record<Name, number>>): Name => {
      const names = Object.keys(weights) as Name[];
      const point = next() * names.reduce((sum, name) => sum + weights[name], 0);
      let sum = 0;
      for (const name of names) {
        sum += weights[name];
        if (point < sum) return name;
      }
      return names.at(-1) as Name;
    },
    /** Returns a UUID of version 4. */
    uuid: () => {
      const hex = Array.from({ length: 32 }, () => below(16).toString(16)).join('');
      const parts = [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `4${hex.slice(13, 16)}`,
        `8${hex.slice(17, 20)}`,
        hex.slice(20),
      ];
      return parts.join('-') as ReturnType<typeof crypto.randomUUID>;
    },
  };
};
