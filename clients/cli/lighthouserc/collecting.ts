import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { UsageError } from '../exit-codes.ts';
import type { RunOptions } from '../flags/options.ts';
import { type Collect, notesOn, optionsOf } from './collect.ts';
import { type Lighthouserc, readLighthouserc } from './parts.ts';

/** The pages and options of a command, with those of its lighthouserc file. */
type Collected = {
  urls: readonly string[];
  options: RunOptions;
  notes: readonly string[];
  rc: Lighthouserc | undefined;
  /** The part that says how to serve the pages. */
  collect: Collect;
};

/** Names of the file that Lighthouse CI looks for, and those of ES modules, which it does not load. */
const fileNames = ['cjs', 'js', 'mjs', 'json', 'yml', 'yaml'].flatMap((extension) => [
  `.lighthouserc.${extension}`,
  `lighthouserc.${extension}`,
]);

/** Returns the URLs and options of a command with those of its lighthouserc file. Options of the command win. */
export const withCollected = async (
  given: readonly string[],
  flags: RunOptions,
  folder = process.cwd(),
): Promise<Collected> => {
  const found = given.length === 0 && flags.assert === undefined ? findFile(folder) : undefined;
  const assert = flags.assert ?? found;
  if (assert === undefined) return { urls: requireAny(given), options: flags, notes: [], rc: undefined, collect: {} };
  const rc = await readLighthouserc(assert);
  const { collect } = rc;
  const urls = given.length > 0 ? given : (collect.url ?? []);
  if (collect.staticDistDir === undefined) requireAny(urls);
  return {
    urls,
    options: { ...kept(optionsOf(collect), flags), ...flags, assert },
    notes: [
      ...(found === undefined ? [] : [`The pages and assertions are those of ${found}.`]),
      ...notesOn(collect),
      ...rc.notes.collect,
    ],
    rc,
    collect,
  };
};

const findFile = (folder: string): string | undefined => {
  const name = fileNames.find((each) => existsSync(join(folder, each)));
  return name === undefined ? undefined : relative(process.cwd(), join(folder, name));
};

const requireAny = (urls: readonly string[]): readonly string[] => {
  if (urls.length > 0) return urls;
  throw new UsageError('No page is named. Name a URL, or use --assert with a file that has ci.collect.url.');
};

/** Returns the options of a file that no option of the command replaces. A device of the command has its own throttling. */
const kept = (collected: Partial<RunOptions>, flags: RunOptions): Partial<RunOptions> => {
  const isThrottling = (key: string) => key.startsWith('throttling');
  const replaces = flags.device !== undefined || Object.keys(flags).some(isThrottling);
  return Object.fromEntries(Object.entries(collected).filter(([key]) => !(replaces && isThrottling(key))));
};
