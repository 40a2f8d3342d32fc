import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './children.ts';

/* The files that name a release of Lighthouse or Chromium, and how an update changes them. */

/** Major, minor and patch number of a version. */
type Parts = [major: number, minor: number, patch: number];
const partsOf = (version: string): Parts => {
  const found = /^(\d+)\.(\d+)\.(\d+)$/.exec(version);
  if (!found) throw new Error(`"${version}" is no exact version. Use one such as 13.6.0.`);
  return found.slice(1).map(Number) as Parts;
};

export type LighthouseUpdate = { newest: string; previous: string; from: string; oldPrevious: string };

/** Returns the two versions after an update of the newest. Throws if it is none, or needs a row by hand. */
export const lighthouseUpdate = (to: string, newest: string, previous: string): LighthouseUpdate => {
  const [wanted, current] = [partsOf(to), partsOf(newest)];
  const difference = wanted.map((part, i) => part - (current[i] ?? 0)).find((each) => each !== 0) ?? 0;
  if (difference <= 0) throw new Error(`Lighthouse ${to} is not newer than ${newest}, which is installed.`);
  if (wanted[0] !== current[0])
    throw new Error(
      `Lighthouse ${to} is a new major version. Add its row to shared/audit-versions.ts, and keep ${newest} under a package of its own.`,
    );
  const isPatch = wanted[1] === current[1];
  return { newest: to, previous: isPatch ? previous : newest, from: newest, oldPrevious: previous };
};

/** Changes the versions in package.json, in the rows, and wherever the source names the newest release. */
export const writeLighthouse = ({ newest, previous, from, oldPrevious }: LighthouseUpdate): string[] => {
  const named = ['shared', 'clients', 'functions', 'infra', 'test'].flatMap(sourcesIn);
  const files = [...new Set(['shared/audit-versions.ts', 'shared/API.md', ...named])];
  const old = new RegExp([from, oldPrevious].map((version) => version.replaceAll('.', '\\.')).join('|'), 'g');
  const changed = files.filter((file) =>
    rewrite(file, (text) => text.replaceAll(old, (name) => (name === from ? newest : previous))),
  );
  rewrite('package.json', (text) =>
    text
      .replace(`"lighthouse": "${from}"`, `"lighthouse": "${newest}"`)
      .replace(`"npm:lighthouse@${oldPrevious}"`, `"npm:lighthouse@${previous}"`),
  );
  return ['package.json', ...changed];
};

/** Changes the version of the packaged Chromium in package.json. Returns the earlier one. */
export const writeChromium = (to: string): string => {
  partsOf(to);
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const from = dependencies['@sparticuz/chromium'] as string;
  if (from === to) throw new Error(`Chromium ${to} is installed.`);
  rewrite('package.json', (text) => text.replace(`"@sparticuz/chromium": "${from}"`, `"@sparticuz/chromium": "${to}"`));
  return from;
};

/** Replaces the section of a heading, or adds it at the end. A section ends before the next heading of its level. */
export const writeSection = (file: string, heading: string, body: string): void => {
  rewrite(file, (text) => {
    const section = `## ${heading}\n\n${body.trim()}\n`;
    const start = text.indexOf(`## ${heading}\n`);
    if (start === -1) return `${text.trimEnd()}\n\n${section}`;
    const next = text.indexOf('\n## ', start);
    return `${text.slice(0, start)}${section}${next === -1 ? '' : text.slice(next)}`;
  });
};

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/node_modules|^recorded\//.test(name))
    .map((name) => join(folder, name));

const rewrite = (file: string, change: (text: string) => string): boolean => {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed !== text) writeFileSync(path, changed);
  return changed !== text;
};
