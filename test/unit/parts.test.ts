import { expect, test } from 'vitest';
import { z } from 'zod';
import { redactedParts, scrubbedParts } from '../../functions/auditor/parts.ts';
import { withNulls } from '../../functions/lib/store/stored.ts';

const file = { gzip: Buffer.from('search'), bytes: 6 };
const noEvent = { inp: null, tbt: 0, cls: 0, lcp: null, longestEvent: null, softNavigation: null, cpuSlowdown: 1 };
const interactions = [
  { ...noEvent, name: 'search', navigatedTo: 'https://a:b@shop/search', reason: null, report: file },
];

test('the texts of a part are redacted and scrubbed, but not the name of an interaction and its report', () => {
  const [redacted] = redactedParts({ interactions }).interactions ?? [];
  expect(redacted).toEqual({ ...interactions[0], navigatedTo: 'https://shop/search' });
  const scrub = (text: string) => text.replace('search', '[secret]');
  const [scrubbed] = scrubbedParts({ interactions }, scrub).interactions ?? [];
  expect(scrubbed).toEqual({ ...interactions[0], navigatedTo: 'https://a:b@shop/[secret]' });
});

test('a stored object may lack its nulls, but no other field', () => {
  const Stored = withNulls(z.object({ name: z.string(), part: z.string().nullable() }));
  expect(Stored.parse({ name: 'a' })).toEqual({ name: 'a', part: null });
  expect(Stored.safeParse({ part: null }).success).toBe(false);
});
