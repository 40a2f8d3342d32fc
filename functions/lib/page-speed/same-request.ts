import { createHash } from 'node:crypto';
import { isFinished } from '../../../shared/states.ts';
import { deriveCheckId } from '../http/idempotency.ts';
import type { CheckStore } from '../store/checks.ts';
import type { StoredCheck } from '../store/find-check.ts';

/** Time in which a repeated request finds the check of the first one, in milliseconds. */
const WINDOW_MS = 600_000;

type Wanted = { owner: string; body: object /** Longest time until an answer. */; waitMs: number; now: Date };

/**
 * Finds the check that an earlier request of this owner with these inputs has created within ten minutes. That request may have
 * got no result: the check is unfinished, or took longer than a request waits. Otherwise returns the idempotency key of the
 * next check. The key counts the checks of its ten minutes, so that requests at the same time share a check.
 */
export const findOrName = async (
  store: Pick<CheckStore, 'findOrErased'>,
  wanted: Wanted,
): Promise<{ found: StoredCheck } | { key: string }> => {
  const { owner, now } = wanted;
  const window = Math.floor(now.getTime() / WINDOW_MS);
  const hash = createHash('sha256').update(JSON.stringify(wanted.body)).digest('base64url');
  const keyOf = (of: number, count: number) => `runPagespeed ${of} ${count} ${hash}`;

  /** Returns the last check of a window, and the number of its checks. */
  const lastOf = async (of: number) => {
    let last: StoredCheck | undefined;
    for (let count = 0; ; count += 1) {
      const found = await store.findOrErased(deriveCheckId(owner, keyOf(of, count)), owner, now);
      if (!found) return { last, count };
      last = found === 'erased' ? undefined : found;
    }
  };

  const { last, count } = await lastOf(window);
  const earlier = count > 0 ? last : (await lastOf(window - 1)).last;
  return earlier && isAwaited(earlier, wanted) ? { found: earlier } : { key: keyOf(window, count) };
};

/** Returns true if nobody has got the result of a check. Another check is better than a failure of the service. */
const isAwaited = ({ item, runs }: StoredCheck, { waitMs, now }: Wanted): boolean => {
  const createdAt = Date.parse(item.createdAt);
  if (now.getTime() - createdAt > WINDOW_MS) return false;
  return runs.every(
    ({ state, error, finishedAt }) =>
      !isFinished(state) ||
      (error?.blame !== 'service' && Date.parse(finishedAt ?? item.createdAt) - createdAt > waitMs),
  );
};
