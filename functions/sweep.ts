import {
  ABANDON_AFTER_MS,
  ERASED_RECHECK_MS,
  LEASE_SLACK_MS,
  MAX_LOST_LEASES,
  recheckAfter,
} from '../shared/due-times.ts';
import { SweepEnv } from '../shared/env.ts';
import { runError } from '../shared/problems.ts';
import { allRegions, type Region } from '../shared/regions.ts';
import { isFinished } from '../shared/run.ts';
import { emit, emitFinished, log } from './lib/log.ts';
import { type AuditQueues, auditQueues } from './lib/queue/audit-queues.ts';
import { dispatch } from './lib/queue/dispatch.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { type Due, type DueStore, dueStore } from './lib/store/due.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type ErasureStore, erasureStore } from './lib/store/erasure.ts';
import type { CheckItem, ErasedItem, RunItem } from './lib/store/items.ts';
import { reports } from './lib/store/reports.ts';

/**
 * What a schedule sends is ignored. `{ "wake": "<region>" | "all" }`, sent by hand when the queue of that region was
 * emptied: makes its waiting runs due, for the next sweep.
 */
type Event = { wake?: Region | 'all' };

/** Every minute: what is past its due time is dispatched again, closed or cleared away. Nothing stays open for ever. */
export const handler = async (event: Event = {}): Promise<void> => {
  const env = SweepEnv.parse(process.env);
  deps ??= depsFrom(env);
  await sweep(deps)(event);
};

let deps: Deps | undefined;

const depsFrom = (env: SweepEnv): Deps => {
  const db = openDb(env);
  return {
    store: checkStore(db),
    due: dueStore(db),
    erasure: erasureStore(db, reports(env)),
    queues: auditQueues(env),
    now: () => new Date(),
  };
};

type Deps = {
  store: Pick<CheckStore, 'find' | 'closeIfFinished' | 'markSent'>;
  due: DueStore;
  erasure: Pick<ErasureStore, 'eraseRemains' | 'removeErasedMark'>;
  queues: Pick<AuditQueues, 'send'>;
  now: () => Date;
};

const PAGE = 100;
const PAGES = 20; // of each partition in one sweep; the next one goes on

export const sweep =
  (deps: Deps) =>
  async ({ wake }: Event): Promise<void> => {
    if (wake) {
      for (const region of wake === 'all' ? allRegions : [wake]) await wakeRegion(deps, region);
      return;
    }
    for (const partition of [...allRegions, 'checks'] as const) {
      emit('OpenPastDue', await sweepPartition(deps, partition), { region: partition });
    }
    emit('SweepDone', 1, {});
  };

/** Gives how many due items this sweep could not act on, or did not reach. */
const sweepPartition = async (deps: Deps, partition: Region | 'checks'): Promise<number> => {
  let pastDue = 0;
  for (let page = 0; page < PAGES; page++) {
    const found = await deps.due.list(partition, deps.now(), PAGE);
    const swept = await Promise.allSettled(found.map((due) => sweepItem(deps, due)));
    const failures = swept.filter((each) => each.status === 'rejected');
    for (const { reason } of failures) log.error('something due could not be swept', { partition, error: reason });
    pastDue += failures.length;
    if (found.length < PAGE) break;
    if (page === PAGES - 1) pastDue += found.length;
  }
  return pastDue;
};

const sweepItem = async (deps: Deps, due: Due): Promise<void> => {
  const held = await deps.due.hold(due, deps.now());
  if (!held) return; // somebody acted on it: it is not lost
  if ('check' in held) await sweepCheck(deps, held.check);
  else if ('erased' in held) await sweepErased(deps, held.erased);
  else await sweepRun(deps, held.run);
};

const sweepCheck = async ({ store, due, now }: Deps, check: CheckItem): Promise<void> => {
  if (await store.closeIfFinished(check.id, now())) return;
  const age = now().getTime() - Date.parse(check.createdAt);
  await due.postpone(check, new Date(now().getTime() + recheckAfter(age)));
};

/** The mark goes when a look at it has found nothing any more: each find has another look, a lease's length later. */
const sweepErased = async ({ due, erasure, now }: Deps, erased: ErasedItem): Promise<void> => {
  const later = new Date(now().getTime() + ERASED_RECHECK_MS);
  if (!(await due.postpone(erased, later))) return;
  const nothing = await erasure.eraseRemains(erased.id);
  if (nothing) await erasure.removeErasedMark({ ...erased, dueAt: later.toISOString() });
};

const sweepRun = async (deps: Deps, run: RunItem): Promise<void> => {
  const { store, due, now } = deps;
  if (isFinished(run.state)) return;
  const check = await store.find(run.checkId);
  if (!check?.item.runIds.includes(run.id)) return due.deleteOrphan(run); // its create never ended, or it is erased

  if (run.lease && Date.parse(run.lease.until) > now().getTime()) {
    await due.postpone(run, new Date(Date.parse(run.lease.until) + LEASE_SLACK_MS));
    return;
  }
  const waiting = run.lease ? await due.countLostLease(run, now()) : run;
  if (!waiting) return;
  const tooOld = now().getTime() - Date.parse(run.createdAt) > ABANDON_AFTER_MS;
  if (waiting.lostLeases >= MAX_LOST_LEASES || tooOld) return abandonRun(deps, waiting);
  await dispatch(deps, waiting, now());
  emit('RunsResent', 1, { region: run.region });
};

const abandonRun = async ({ due, now }: Deps, run: RunItem): Promise<void> => {
  const error = runError('abandoned');
  if (!(await due.abandon(run, error, now()))) return;
  const { region, correlationId, checkId, id: runId, lostLeases } = run;
  log.error('a run was given up', { correlationId, checkId, runId, region, lostLeases });
  emitFinished(region, error);
  emit('RunsAbandoned', 1, { region });
};

/** Makes every waiting run of a region due: the messages that they were waiting for are gone. */
const wakeRegion = async ({ due, now }: Deps, region: Region): Promise<void> => {
  const wokenAt = now();
  const from = new Date(wokenAt.getTime() + 1); // so that what was woken is not found again
  const until = new Date(wokenAt.getTime() + 60 * 24 * 3600 * 1000); // further than any due time
  for (;;) {
    const waiting = await due.list(region, until, 1000, from);
    const woken = await Promise.all(waiting.map((each) => due.wake(each, wokenAt)));
    if (!woken.some(Boolean)) return;
  }
};
