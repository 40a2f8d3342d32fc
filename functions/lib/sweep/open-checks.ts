import { CHECK_LOOK_MS, ERASED_RECHECK_MS } from '../../../shared/service/due-times.ts';
import type { CheckStore } from '../store/checks.ts';
import type { DueStore } from '../store/due.ts';
import type { ErasureStore } from '../store/erasure.ts';
import type { CheckItem, ErasedItem } from '../store/items.ts';

type Deps = {
  store: Pick<CheckStore, 'closeIfFinished'>;
  due: Pick<DueStore, 'postpone'>;
  erasure: Pick<ErasureStore, 'eraseRemains' | 'removeErasedMark'>;
  now: () => Date;
};

/** Closes a check whose runs are finished. Looks again later at any other check. */
export const sweepCheck = async ({ store, due, now }: Deps, check: CheckItem): Promise<void> => {
  if (await store.closeIfFinished(check.id, now())) return;
  await due.postpone(check, new Date(now().getTime() + CHECK_LOOK_MS));
};

/** Deletes the mark once nothing of the check is left. Otherwise looks again later, because an audit may store late. */
export const sweepErased = async ({ due, erasure, now }: Deps, erased: ErasedItem): Promise<void> => {
  const later = new Date(now().getTime() + ERASED_RECHECK_MS);
  if (!(await due.postpone(erased, later))) return;
  const nothing = await erasure.eraseRemains(erased.id);
  if (nothing) await erasure.removeErasedMark({ ...erased, dueAt: later.toISOString() });
};
