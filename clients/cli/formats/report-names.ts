import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type ArtifactName, artifactNames } from '../../../shared/options/artifacts.ts';
import { UsageError } from '../exit-codes.ts';

/** A run, as far as the name of its report needs it. */
export type NamedRun = {
  url: string;
  region: string;
  device?: string | undefined;
  /** The third party that is blocked. */
  party?: string | undefined;
};

const MAX_LENGTH = 100;
const placeholders = ['url', 'region', 'device', 'party'] as const;

/** Which file of a run an output file is, by its name. The other output files have all runs. */
const runFiles = { report: /\.html?$/i, trace: /trace\.json$/i, har: /\.har$/i } as const;
export type RunFile = keyof typeof runFiles;

/** Returns which file of a run an output file is. */
export const runFileOf = (file: string): RunFile | undefined =>
  (Object.keys(runFiles) as RunFile[]).find((name) => runFiles[name].test(basename(file)));
export const isRunFile = (file: string): boolean => runFileOf(file) !== undefined;
/** Returns the artifacts that output files need. */
export const artifactsFor = (output: readonly string[] = []): ArtifactName[] =>
  artifactNames.filter((name) => output.some((file) => runFileOf(file) === name));
export const hasPlaceholder = (file: string): boolean => placeholders.some((name) => file.includes(`{${name}}`));

/** Returns the file of the report of each run. Throws a UsageError if two runs would have the same file. */
export const reportNames = (template: string, runs: readonly NamedRun[]): string[] => {
  const known = placeholders.filter((name) => name !== 'party' || runs.some(({ party }) => party !== undefined));
  const isKnown = (name: string) => (known as readonly string[]).includes(name);
  const unknown = [...basename(template).matchAll(/\{(\w+)\}/g)].find(([, name = '']) => !isKnown(name))?.[0];
  if (unknown !== undefined) {
    const last = known.map((name) => `{${name}}`).pop();
    const others = known.slice(0, -1).map((name) => `{${name}}`);
    throw new UsageError(`${template} has ${unknown}. Use ${others.join(', ')} or ${last}.`);
  }
  const slugs = slugsOf(runs.flatMap(({ url, party = '' }) => [url, party]));
  const names = runs.map(({ url, region, device = 'mobile', party = '' }) => {
    const values: Record<string, string> = {
      url: slugs.get(url) ?? '',
      region: plain(region),
      device: plain(device),
      party: slugs.get(party) ?? '',
    };
    return template.replace(/\{(url|region|device|party)\}/g, (_, name: string) => values[name] ?? '');
  });
  const count = names.length - new Set(names).size;
  if (count > 0) throw new UsageError(`${names.length} runs would overwrite ${template}. ${adviceFor(template, runs)}`);
  return names;
};

/** Returns which placeholders would give each run a file of its own. */
const adviceFor = (template: string, runs: readonly NamedRun[]): string => {
  const missing = placeholders.filter((name) => {
    const values = new Set(runs.map((run) => run[name] ?? (name === 'device' ? 'mobile' : '')));
    return values.size > 1 && !template.includes(`{${name}}`);
  });
  if (missing.length === 0) return 'Name each page once.';
  const [end = ''] = /(-?trace)?\.\w+$/i.exec(template) ?? [];
  const start = [template.slice(0, -end.length), ...missing.map((name) => `{${name}}`)].filter(Boolean).join('-');
  return `Each run has a file of its own. Name them, for example, ${start}${end.replace(/^trace/, '-trace')}`;
};

/** Returns the name of each URL in a file name. URLs that differ in other characters have a hash at the end. */
const slugsOf = (urls: readonly string[]): Map<string, string> => {
  const distinct = [...new Set(urls)];
  const slugs = distinct.map((url) => plain(url.replace(/^[a-z]+:\/\//i, '').replace(/\/$/, '')));
  return new Map(
    distinct.map((url, i) => {
      const slug = slugs[i] ?? '';
      const isShared = slugs.filter((each) => each === slug).length > 1;
      return [url, isShared ? `${slug}-${createHash('sha256').update(url).digest('hex').slice(0, 8)}` : slug];
    }),
  );
};

/** Returns a text with characters that each file system accepts. It can't leave its folder. */
const plain = (text: string): string =>
  text
    .replace(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, MAX_LENGTH);
