import type { ReportFacts } from './facts.ts';

/** Files by key, and the folder of their document. */
type Files = { folder: string; files: ReadonlyMap<string, unknown> };

/** Returns the key that a file of the base has in the other report. */
export const keyIn = (now: Files, base: Files, key: string): string => {
  if (now.files.has(key) || !key.startsWith(base.folder)) return key;
  const other = `${now.folder}${key.slice(base.folder.length)}`;
  return now.files.has(other) && !base.files.has(other) ? other : key;
};

/**
 * Returns the facts of a base with the keys that its files have in the other report. A preview may be in a folder of its own.
 * So a file below the folder of its document matches the file at the same path below the other folder. A file that both pages
 * load from one address keeps its key.
 */
export const withKeysOf = (now: ReportFacts, base: ReportFacts): ReportFacts => {
  if (base.folder === now.folder) return base;
  const keyOf = (key: string): string =>
    keyIn({ folder: now.folder, files: now.requests }, { folder: base.folder, files: base.requests }, key);
  const renamed = <T>(facts: ReadonlyMap<string, T>) => new Map([...facts].map(([key, fact]) => [keyOf(key), fact]));
  const named = <T extends { key: string }>(facts: ReadonlyMap<string, T>) =>
    new Map([...facts].map(([key, fact]) => [keyOf(key), { ...fact, key: keyOf(key) }]));
  return {
    ...base,
    requests: named(base.requests),
    scripts: named(base.scripts),
    shortCaching: renamed(base.shortCaching),
    hiddenText: renamed(base.hiddenText),
  };
};
