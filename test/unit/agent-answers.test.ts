import { expect, test } from 'vitest';
import { fixesAnswer } from '../../clients/mcp/fixes.ts';
import { summaryOf } from '../../clients/mcp/summary.ts';
import type { Fix } from '../../shared/fixes/fix.ts';
import { finishedCheck } from '../support/fake-service.ts';

const site = 'https://audit.example';
const sizeOf = (answer: object) => Buffer.byteLength(JSON.stringify(answer));
const long = 'é'.repeat(2000);
const [run] = finishedCheck.runs as [(typeof finishedCheck.runs)[number]];

test('a check of six regions takes at most 2,000 bytes, says what is cut, and is whole with a limit', () => {
  const check = { ...finishedCheck, runs: Array(6).fill(run) };
  const answer = summaryOf(check, site);
  expect(sizeOf(answer)).toBeLessThanOrEqual(2000);
  expect(answer).toMatchObject({ moreRuns: expect.any(Number), cut: expect.stringContaining('larger limit') });
  const whole = summaryOf(check, site, 10) as { runs: unknown[] };
  expect(whole).not.toHaveProperty('cut');
  expect(whole.runs).toHaveLength(6);
});

test('long texts of a page are cut, and the link to the page is not', () => {
  const labels = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`l${i}`, 'y'.repeat(128)]));
  const runs = [{ ...run, warnings: Array(10).fill(long) }];
  const answer = summaryOf({ ...finishedCheck, url: long, labels, runs }, site);
  expect(sizeOf(answer)).toBeLessThanOrEqual(2000);
  expect(answer).toMatchObject({ page: `${site}/checks/${finishedCheck.id}` });
});

test('an item without a file and an element names the document', () => {
  const savings = { fcp: null, lcp: 1, tbt: null, cls: null, ms: null, bytes: null };
  const none = { url: null, selector: null, snippet: 'words', bytes: null, ms: null };
  const fix: Fix = {
    ...{ audit: 'a', title: 't', category: 'c', points: 1, savings },
    ...{ items: [none], itemCount: 1, documentation: null },
  };
  const answer = fixesAnswer({ ...run, finalUrl: 'https://shop.example/home' }, [fix, { ...fix, items: [] }], site);
  const url = 'https://shop.example/home';
  expect(answer).toMatchObject({ fixes: [{ items: [{ url, snippet: 'words' }] }, { items: [{ url }] }] });
});
