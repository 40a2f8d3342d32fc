import { readFileSync } from 'node:fs';

/** Returns the commands of infra/RUNBOOK.md in their order, without those that the text calls "not tried". */
export const runbookCommands = (): string[] => {
  const text = readFileSync('infra/RUNBOOK.md', 'utf8');
  return blocksOf(text).flatMap((block) => (/not tried/i.test(block) ? [] : commandsOf(block)));
};

/** Returns paragraphs and entries of lists. A block of code belongs to the text before it. */
const blocksOf = (text: string): string[] => {
  const blocks: string[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    const isFence = /^ *```/.test(line);
    const begins = !isCode && !isFence && (line.trim() === '' || /^ *(- |\d+\. |#)/.test(line));
    if (begins) blocks.push('');
    if (isFence) isCode = !isCode;
    const last = isFence && isCode && blocks.at(-1) === '' ? blocks.length - 2 : blocks.length - 1;
    blocks[last] += `${line}\n`;
  }
  return blocks;
};

const commandsOf = (block: string): string[] => {
  const fences = [...block.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, code = '']) => code);
  const text = block.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  const inline = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return [
    ...inline.filter((code) => /^(aws|npm run|npx) /.test(code)),
    ...fences.flatMap((code) => code.replaceAll('\\\n', ' ').trim().split(/\n */)),
  ].map((command) => command.replaceAll(/\s+/g, ' '));
};
