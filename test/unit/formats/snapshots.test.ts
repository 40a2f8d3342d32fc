import { describe, expect, test } from 'vitest';
import { csvOf } from '../../../clients/cli/formats/csv.ts';
import { junitOf } from '../../../clients/cli/formats/junit.ts';
import { markdownOf } from '../../../clients/cli/formats/markdown.ts';
import { textOf } from '../../../clients/cli/formats/text.ts';
import { cases } from './cases.ts';

const view = { width: 100, color: false };

describe.each(Object.entries(cases))('%s', (name, results) => {
  test.each([
    ['txt', () => textOf(results(), view)],
    ['narrow.txt', () => textOf(results(), { ...view, width: 30 })],
    ['md.txt', () => markdownOf(results())],
    ['xml', () => junitOf(results())],
    ['csv', () => csvOf(results())],
  ])('is shown as %s', async (ending, format) => {
    await expect(format()).toMatchFileSnapshot(`snapshots/${name}.${ending}`);
  });
});
