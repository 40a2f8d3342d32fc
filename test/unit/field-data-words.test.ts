import { expect, test } from 'vitest';
import { fieldSentence } from '../../clients/words/field-data.ts';
import { fieldSection } from '../../clients/words/field-section.ts';
import { checkView } from '../../shared/check.ts';
import { fieldDataReasons } from '../../shared/field-data.ts';
import { type FieldRecord, knownFieldData, noFieldData } from '../../shared/field-data-schemas.ts';
import type { Run } from '../../shared/run.ts';
import { environment } from '../support/environment.ts';
import { aCheck } from '../support/world.ts';

const metric = (p75: number) => ({ p75, good: 0.61, needsImprovement: 0.22, poor: 0.17 });
const record: FieldRecord = {
  of: 'url',
  url: 'https://example.com/',
  period: { first: '2026-10-29', last: '2026-11-25' },
  metrics: { lcp: metric(3400), inp: metric(180), cls: metric(0.05), fcp: metric(1900), ttfb: null },
};
const at = '2026-11-27T12:00:00.000Z';
const phone = knownFieldData(record, 'phone', at);

/** Returns a check whose runs have this LCP. */
const check = (
  fieldData: ReturnType<typeof knownFieldData> | null,
  lcp: number[] = [2100],
  change: Partial<Run> = {},
) => {
  const { runs, ...one } = aCheck({ regions: ['us-west1', 'us-east4'] });
  const measured = runs.slice(0, Math.max(1, lcp.length)).map((run, i) => ({
    ...run,
    state: 'succeeded' as const,
    lcp: lcp[i] ?? null,
    environment,
    ...change,
  }));
  return checkView({ ...one, fieldData, runs: measured });
};

test('one sentence has the visitors and the audit', () => {
  expect(fieldSentence(check(phone))).toBe(
    'Three of four visitors on phones see an LCP of 3.4 s or better; this audit simulates 2.1 s.',
  );
  expect(fieldSentence(check(phone, [2100, 2400]))).toMatch(/; this audit simulates 2\.1 to 2\.4 s\.$/);
  const unthrottled = { environment: { ...environment, throttling: 'provided' } };
  expect(fieldSentence(check(phone, [900], unthrottled))).toMatch(/; this audit measured 900 ms\.$/);
  expect(fieldSentence(check(phone, []))).toBe('Three of four visitors on phones see an LCP of 3.4 s or better.');
});

test('the sentence says when the record is that of all pages of the origin, and for which devices', () => {
  const origin = knownFieldData({ ...record, of: 'origin', url: 'https://example.com' }, 'desktop', at);
  expect(fieldSentence(check(origin))).toBe(
    'Three of four visitors on desktops see an LCP of 3.4 s or better on all pages of https://example.com; this audit simulates 2.1 s.',
  );
});

test('without LCP the sentence has the next metric, and compares no interaction with a load', () => {
  const metrics = { ...record.metrics, lcp: null };
  expect(fieldSentence(check(knownFieldData({ ...record, metrics }, 'phone', at)))).toBe(
    'Three of four visitors on phones see an INP of 180 ms or better.',
  );
});

test('without field data the sentence says why, and which page to check if the page redirects', () => {
  for (const [reason, text] of Object.entries(fieldDataReasons))
    expect(fieldSentence(check(noFieldData(reason as keyof typeof fieldDataReasons, 'phone')))).toBe(
      `No field data. ${text}`,
    );
  const moved = { finalUrl: 'https://www.example.com/?from=a' };
  expect(fieldSentence(check(noFieldData('no-data', 'phone'), [2100], moved))).toMatch(
    / The page redirects, so check https:\/\/www\.example\.com\/\.$/,
  );
  expect(fieldSentence(check(null))).toBeUndefined();
});

test('each metric has its grade by the limits of Core Web Vitals, and its shares', () => {
  const shares = ['61 %', '22 %', '17 %'];
  const { about, rows } = fieldSection(check(phone));
  expect(about).toMatch(/this audit simulates 2\.1 s\. Chrome UX Report, 2026-10-29 to 2026-11-25\.$/);
  expect(rows.map(({ name, cells }) => [name, ...cells])).toEqual([
    ['LCP', { text: '3.4 s', grade: 'work' }, ...shares],
    ['INP', { text: '180 ms', grade: 'pass' }, ...shares],
    ['CLS', { text: '0.05', grade: 'pass' }, ...shares],
    ['FCP', { text: '1.9 s', grade: 'work' }, ...shares],
  ]);
});
