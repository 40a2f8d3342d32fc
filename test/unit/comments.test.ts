import { expect, test } from 'vitest';
import { productFolders, sourcesIn } from '../support/source-files.ts';

const MOST_WORDS = 25;

/** Returns the sentences of the comments of a file. An entry of a list or a row of a table is one of its own. */
const sentencesOf = (source: string): string[] =>
  [...source.matchAll(/^[ \t]*\/\*\*?(.*?)\*\//gms)].flatMap(([, comment = '']) =>
    comment
      .replaceAll(/^[ \t]*\*? ?/gm, '')
      .split(/\n[ \t]*\n|\n(?=- |\S.* {2})/)
      .flatMap((paragraph) => paragraph.replaceAll(/\s+/g, ' ').split(/(?<=[.!?:;]) /)),
  );

const wordsIn = (sentence: string): number => sentence.split(' ').filter((word) => word !== '').length;

test(`no sentence of a comment has more than ${MOST_WORDS} words`, () => {
  const all = [...productFolders, 'test'].flatMap(sourcesIn);
  const long = all.flatMap(({ path, text }) =>
    sentencesOf(text)
      .filter((sentence) => wordsIn(sentence) > MOST_WORDS)
      .map((sentence) => `${path}: ${sentence}`),
  );
  expect(all.length).toBeGreaterThan(1000);
  expect(long).toEqual([]);
});
