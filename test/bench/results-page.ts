import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './children.ts';

/** One section of test/bench/RESULTS.md. `text` follows its heading. */
export type Section = { title: string; text: string };

/** The machine and the commit that results come from. */
export type Origin = { commit: string; processor: string; cores: number; memoryGiB: number; node: string; at: string };

const page = join(root, 'test/bench/RESULTS.md');

/** Replaces the sections in test/bench/RESULTS.md. */
export const writeSections = (sections: readonly Section[]): void =>
  writeFileSync(page, sections.reduce(replaceSection, readFileSync(page, 'utf8')));

/** Returns the page with one section replaced, except for its notes. Adds a new section at the end. */
export const replaceSection = (text: string, section: Section): string => {
  const parts = text.split(/^(?=## )/m).map((part) => part.trimEnd());
  const index = parts.findIndex((part) => part.startsWith(`## ${section.title}\n`));
  const [notes = ''] = /^### Notes\n.*/ms.exec(parts[index] ?? '') ?? [];
  const part = [markdownOf(section), notes].filter(Boolean).join('\n\n');
  const replaced = index < 0 ? [...parts, part] : parts.with(index, part);
  return `${replaced.join('\n\n')}\n`;
};

export const markdownOf = ({ title, text }: Section): string => `## ${title}\n\n${text}`;

/** Returns the line that says where and when a section was recorded. */
export const recordedAt = ({ commit, at, processor, cores, memoryGiB, node }: Origin, versions: readonly string[]) =>
  `Recorded at ${commit} on ${at.slice(0, 10)}: ${processor}, ${cores} cores, ${memoryGiB.toFixed(0)} GiB, ` +
  `Node.js ${node}, Lighthouse ${versions.join(', ')}.`;

/** Returns the short hash of the checked-out commit, and says if files differ from it. */
export const currentCommit = (): string => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with uncommitted changes' : ''}`;
  } catch {
    return 'an unknown commit'; // the sources were downloaded without their repository
  }
};
