import { expect, test } from 'vitest';
import { render } from '../../../clients/cli/formats/render.ts';
import { cases } from './cases.ts';

const { md, xml, narrow } = {
  md: ['assertions', 'contended', 'failed', 'fixes', 'hostile', 'sections', 'several', 'variants'], // pages of comments, no documentation
  xml: ['assertions', 'contended', 'failed', 'regression'],
  narrow: ['hostile', 'regression', 'sections', 'several'],
};
const shown = [
  ...Object.keys(cases).map((name) => [name, 'text', 100, 'txt'] as const),
  ...md.map((name) => [name, 'markdown', 100, 'md.txt'] as const),
  ...xml.map((name) => [name, 'junit', 100, 'xml'] as const),
  ...narrow.map((name) => [name, 'text', 30, 'narrow.txt'] as const),
  ['variants', 'csv', 100, 'csv'] as const,
];

test.each(shown)('%s is shown as %s in %i columns', async (name, format, width, ending) => {
  const text = await render(cases[name]?.() ?? [], format, { width, color: false });
  await expect(text).toMatchFileSnapshot(`snapshots/${name}.${ending}`);
});
