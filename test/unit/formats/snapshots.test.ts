import { describe, expect, test } from 'vitest';
import { render } from '../../../clients/cli/formats/render.ts';
import { cases } from './cases.ts';

describe.each(Object.entries(cases))('%s', (name, results) => {
  test.each([
    ['text', 100, 'txt'],
    ['text', 30, 'narrow.txt'],
    ['markdown', 100, 'md.txt'], // no page of the documentation
    ['junit', 100, 'xml'],
    ['csv', 100, 'csv'],
  ] as const)('is shown as %s in %i columns', async (format, width, ending) => {
    const text = await render(results(), format, { width, color: false });
    await expect(text).toMatchFileSnapshot(`snapshots/${name}.${ending}`);
  });
});
