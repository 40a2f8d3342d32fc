import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from './dynalite-store.ts';

/** Time from an erasure until the compaction, so that many erasures share one. */
const AFTER_MS = 30_000;
/** Size up to which a compaction takes about a second. Beyond, it would disturb audits, and LevelDB compacts by itself. */
const MAX_BYTES = 64 * 2 ** 20;

/**
 * Keys before and after all others. LevelDB first writes its memory to a file, deleted text included. It merges that file
 * with a later one only if the later one has keys on both sides, so there are two rounds.
 */
const ENDS = ['\x00', '\xff'] as const;

/** Compacts the table after erasures, because LevelDB keeps deleted text until then. Returns the function that ends this. */
export const compactErased = (store: Store, path: string, afterMs = AFTER_MS): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const compact = async () => {
    timer = undefined;
    try {
      if (sizeOf(path) > MAX_BYTES) return;
      for (let round = 0; round < 2; round++) {
        await store.db.batch(ENDS.map((key) => ({ type: 'del', key })));
        await store.db.compactRange(...ENDS);
      }
    } catch {
      // The table is closed or can't be written. A later erasure compacts it.
    }
  };
  store.onErased = () => {
    timer ??= setTimeout(compact, afterMs).unref();
  };
  return () => clearTimeout(timer);
};

const sizeOf = (folder: string): number =>
  readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
