import { expect, test } from 'vitest';
import { settleAll } from '../../functions/lib/settle-all.ts';

test('no more than the given number of items are worked on at once, and a failure stops no other', async () => {
  let atWork = 0;
  let most = 0;
  const settled = await settleAll([1, 2, 3, 4, 5, 6, 7], 3, async (n) => {
    most = Math.max(most, ++atWork);
    await new Promise((resolve) => setTimeout(resolve, 8 - n));
    atWork--;
    if (n === 2) throw new Error('broken');
    return n;
  });
  expect(most).toBe(3);
  expect(settled.map((each) => each.status === 'fulfilled' && each.value)).toEqual([1, false, 3, 4, 5, 6, 7]);
});

test('no item is begun after the signal aborts', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const settled = await settleAll(
    [1, 2, 3, 4],
    2,
    async (n) => {
      begun.push(n);
      stop.abort();
    },
    stop.signal,
  );
  expect(begun).toEqual([1]);
  expect(settled).toHaveLength(1);
});
