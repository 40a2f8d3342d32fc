import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outputCommands, outputFile } from '../support/recorded-outputs.ts';

const documents = ['README.md', 'clients/README.md'].map((page) => readFileSync(page, 'utf8')).join('\n');
const shownFor = (command: string): string[] => {
  const start = documents.indexOf(`$ ${command}\n`);
  expect(start, `No document shows the output of: ${command}`).toBeGreaterThan(-1);
  return documents.slice(start).split('\n```')[0]?.split('\n').slice(1) ?? [];
};

test.each(Object.entries(outputCommands))('the documents show what the command printed: %s', (name, command) => {
  const printed = readFileSync(outputFile(name), 'utf8').split('\n');
  let next = 0;
  // A shown line may end early with "…", and a line "…" stands for lines that are left out.
  for (const shown of shownFor(command).filter((line) => line !== '…')) {
    const found = printed.findIndex(
      (line, i) => i >= next && (shown.endsWith('…') ? line.startsWith(shown.slice(0, -1)) : line === shown),
    );
    expect(found, `The command has not printed, at this place: ${shown}`).toBeGreaterThan(-1);
    next = found + 1;
  }
  expect(next).toBeGreaterThan(3);
});
