import type { Results } from '../cli/formats/json.ts';

/** Returns how a workflow gets a base, if no check with the branch of `base` was found. Markdown, or nothing. */
export const baseNotes = ({ checks }: Results, base: string): string => {
  const [, branch] = /^branch[:=](.+)$/.exec(base) ?? [];
  if (branch === undefined || checks.every(({ base: found, baseProblem }) => found || !baseProblem)) return '';
  return `\nEach check of this action has the labels \`branch\`, \`commit\` and \`repository\`. Run this workflow on the branch \`${branch.replaceAll('`', "'")}\` to make a base, or set \`allow-empty: true\` until there is one.\n`;
};
