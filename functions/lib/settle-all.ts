/**
 * Does the work for all items in turn, at most `atOnce` at the same time, and begins none after `signal` aborts. Returns
 * the results of the begun items like `Promise.allSettled`.
 */
export const settleAll = async <Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): Promise<PromiseSettledResult<Result>[]> => {
  const results: PromiseSettledResult<Result>[] = [];
  const waiting = items.entries(); // shared, so that one worker takes each item
  const worker = async () => {
    while (!signal?.aborted) {
      const { value } = waiting.next();
      if (!value) return;
      const [i, item] = value;
      const [result] = await Promise.allSettled([work(item)]);
      results[i] = result;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
};
