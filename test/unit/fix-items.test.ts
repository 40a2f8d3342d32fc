import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fixes } from '../../shared/fixes/fix.ts';
import { fixesOf } from '../../shared/fixes/fixes.ts';
import { failing, slowPage } from '../support/slow-page.ts';

const nothing = { url: null, selector: null, snippet: null, bytes: null, ms: null };
const node = { type: 'node', selector: 'body > img', snippet: '<img>' };
test.each([
  [
    'a file',
    { url: 'https://a.example/x.js', wastedBytes: 10.4, totalBytes: 99 },
    { url: 'https://a.example/x.js', bytes: 10 },
  ],
  [
    'a file of known size',
    { url: 'https://a.example/x.js', totalBytes: 99, wastedMs: 7 },
    { url: 'https://a.example/x.js', bytes: 99, ms: 7 },
  ],
  ['an element', { node, extra: 1 }, { selector: 'body > img', snippet: '<img>' }],
  ['an element as its source', { source: node }, { selector: 'body > img', snippet: '<img>' }],
  [
    'a place in a file',
    {
      source: 'console.error',
      description: 'Oops',
      sourceLocation: { type: 'source-location', url: 'https://a.example/' },
    },
    { url: 'https://a.example/', snippet: 'Oops' },
  ],
  ['work without a file', { url: 'Unattributable', total: 88.2 }, { snippet: 'Unattributable', ms: 88 }],
  [
    'work of a kind',
    { group: 'x', groupLabel: 'Style & Layout', duration: 16.1 },
    { snippet: 'Style & Layout', ms: 16 },
  ],
  [
    'a third party',
    { entity: { type: 'link', text: 'Tracker', url: 'https://t.example/' }, blockingTime: 5, transferSize: 9 },
    { snippet: 'Tracker', ms: 5, bytes: 9 },
  ],
  ['a script URL', { href: 'javascript:alert(1)', text: 'Click' }, { snippet: 'Click' }],
])('an item shows %s', (_, row, shown) => {
  const [fix] = fixesOf(slowPage({ any: failing({ details: { type: 'table', items: [row] } }) }));
  expect(fix?.items).toEqual([{ ...nothing, ...shown }]);
});

test('the items of a list are those of its tables, elements and failed checks', () => {
  const checks = {
    first: { label: 'Done', value: true },
    second: { label: 'fetchpriority=high should be applied', value: false },
  };
  const total = { node: { type: 'text', value: 'Total' }, score: 0.3 };
  const details = {
    type: 'list',
    items: [
      { type: 'checklist', items: checks },
      node,
      { type: 'list-section', value: { type: 'table', items: [total, { node }] } },
    ],
  };
  const [fix] = fixesOf(slowPage({ any: failing({ details }) }));
  const element = { ...nothing, selector: 'body > img', snippet: '<img>' };
  expect(fix?.items).toEqual([{ ...nothing, snippet: 'fetchpriority=high should be applied' }, element, element]);
});

test('a text of a page is cut, and a page can not hide or break the list', () => {
  const long = 'x'.repeat(100_000);
  const rows = [{ url: `https://a.example/${long}` }, { node: { type: 'node', selector: long, snippet: long } }];
  const [fix] = fixesOf(slowPage({ any: failing({ title: long, details: { type: 'table', items: rows } }) }));
  expect(JSON.stringify(fix).length).toBeLessThan(2000);

  const details = fc.record({
    type: fc.constantFrom('table', 'list', 'list-section', 'checklist', 'node', undefined),
    items: fc.jsonValue(),
    value: fc.jsonValue(),
  });
  const anyItems = fc.property(
    fc.array(
      fc.oneof(
        details,
        fc.dictionary(fc.constantFrom('url', 'node', 'source', 'entity', 'wastedMs', 'label'), fc.jsonValue()),
      ),
    ),
    (items) => {
      const audit = failing({
        metricSavings: { LCP: 500 },
        details: { type: 'list', items: [{ type: 'table', items }, ...items] },
      });
      const fixes = fixesOf(slowPage({ any: audit }));
      expect(fixes).toHaveLength(1);
      Fixes.parse({ fixes });
    },
  );
  fc.assert(anyItems, { numRuns: 200 });
});
