import { allRegions } from '../../../shared/regions.ts';
import { MAX_OPEN_SHARDS } from '../../../shared/service/partitions.ts';
import type { DueStore, Shard } from '../store/due.ts';
import type { OpenKind } from '../store/items.ts';

/** Kinds of open items. A sweep handles them side by side. */
export const kinds: readonly OpenKind[] = [...allRegions, 'checks', 'deliveries', 'schedules'];
/** Kinds that can be made due at once. Deliveries and schedules keep their times. */
export const wakeable: readonly OpenKind[] = [...allRegions, 'checks'];
export const allShards = Array.from({ length: MAX_OPEN_SHARDS }, (_, shard) => shard);
/** Time until the end of which every open item is due, in milliseconds. */
export const FAR_MS = 60 * 24 * 3600 * 1000;

const MINUTE = 60_000;

type Deps = { due: Pick<DueStore, 'list' | 'shards'>; now: () => Date };

/**
 * Returns the shards that a sweep looks at: those of new items, and those beyond that hold items from a time when the
 * environment had more shards. Each minute has its turn of the shards beyond, so a sweeper finds them within eight minutes.
 */
export const shardsInUse = ({ due, now }: Deps) => {
  const todays = allShards.slice(0, due.shards);
  const beyond = allShards.slice(due.shards);
  const held = new Map(kinds.map((kind) => [kind, new Set<number>()]));
  return async (kind: OpenKind): Promise<Shard[]> => {
    const inUse = held.get(kind) as Set<number>;
    const turn = beyond[Math.floor(now().getTime() / MINUTE) % beyond.length];
    const looked = turn === undefined ? inUse : new Set(inUse).add(turn);
    const until = new Date(now().getTime() + FAR_MS);
    for (const shard of looked) {
      const { length } = await due.list({ kind, shard }, until, 1);
      if (length > 0) inUse.add(shard);
      else inUse.delete(shard);
    }
    return [...todays, ...inUse].map((shard) => ({ kind, shard }));
  };
};
