import { expect, test } from 'vitest';
import { orderedPageOf } from '../../functions/lib/http/page.ts';

/** A list of so many numbers. Remembers how many entries each query has read. */
const listOf = (length: number) => {
  const reads: number[] = [];
  const keyOf = (entry: number) => String(entry).padStart(5, '0');
  const page = (limit: number, wanted: readonly number[], cursor?: string) =>
    orderedPageOf(
      async (count, from = cursor) => {
        const first = from === undefined ? 0 : Number(from) + 1;
        const entries = Array.from({ length: Math.min(count, length - first) }, (_, i) => first + i);
        reads.push(entries.length);
        return { entries, last: keyOf(first + entries.length - 1), more: first + entries.length < length };
      },
      { limit, isFiltered: true, keyOf, cursorOfKey: (key) => key },
      async (entries) => entries.map((entry) => (wanted.includes(entry) ? entry : undefined)),
    );
  return { page, reads };
};

test('a page with a filter reads up to 1,000 entries in small queries, and the next page goes on after them', async () => {
  const { page, reads } = listOf(1300);
  const wanted = [450, 950, 1250];
  const first = await page(10, wanted);
  expect(first).toEqual({ shown: [450, 950], nextCursor: '00999' });
  expect(reads).toEqual([200, 200, 200, 200, 200]);
  expect(await page(10, wanted, first.nextCursor as string)).toEqual({ shown: [1250], nextCursor: null });
});

test('a page that is full reads no further', async () => {
  const { page, reads } = listOf(1300);
  expect(await page(2, [3, 250, 600])).toEqual({ shown: [3, 250], nextCursor: '00250' });
  expect(reads).toEqual([200, 200]);
});
