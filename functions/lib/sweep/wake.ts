import { settleAll } from '../settle-all.ts';
import type { Due, DueStore, Shard } from '../store/due.ts';
import type { OpenKind } from '../store/items.ts';
import { logFailures } from './log-failures.ts';
import { allShards, FAR_MS } from './shards.ts';

type Deps = { due: DueStore; now: () => Date; stopping?: AbortSignal };

const PAGE_SIZE = 100;
const AT_ONCE = 5; // all kinds at once stay below the 50 sockets of the SDK

/**
 * Makes every waiting run of a region due, because their messages are gone, or every open check. Drops the leases of the
 * other runs if asked to. Throws if some items were not woken.
 */
export const wakeAll = async (deps: Deps, kind: OpenKind, dropLeases: boolean): Promise<void> => {
  let failed = 0;
  for (const shard of allShards) failed += await wakeShard(deps, { kind, shard }, dropLeases);
  if (failed > 0) throw new Error(`${failed} open items of ${kind} were not woken. Send the event again.`);
};

const isHeld = (item: Due): item is Required<Due> => item.lease !== undefined;

/** Does this for one shard. Returns the number of items that were not woken. */
const wakeShard = async ({ due, now, stopping }: Deps, shard: Shard, dropLeases: boolean): Promise<number> => {
  const wokenAt = now();
  const until = new Date(wokenAt.getTime() + FAR_MS);
  let woken = 0;
  // Each item is due at another time. The embedded index may lose one of many items of the same time.
  const wake = async (each: Due) => {
    const at = new Date(wokenAt.getTime() - woken++);
    return (await due.wake(each, at)) ?? (dropLeases && isHeld(each) ? await due.dropLease(each, at) : undefined);
  };
  let failed = 0;
  let from = new Date(wokenAt.getTime() + 1); // excludes the items that this call has woken
  while (!stopping?.aborted) {
    const waiting = await due.list(shard, until, PAGE_SIZE, from);
    const handled = await settleAll(waiting, AT_ONCE, wake, stopping);
    failed += logFailures('Could not wake an open item.', shard.kind, handled);
    const last = new Date(waiting.at(-1)?.dueAt ?? from);
    if (last <= from && !handled.some((each) => each.status === 'fulfilled' && each.value)) break;
    from = last; // not a millisecond later, because more items may have this due time
  }
  return failed;
};
