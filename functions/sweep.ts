import { runError } from '../shared/problems.ts';
import { isRegion, type Region } from '../shared/regions.ts';
import {
  isSendDue,
  LATE_SWEEP_MS,
  LEASE_MS,
  LEASE_SLACK_MS,
  MAX_LOST_LEASES,
  MAX_TRIES,
  RENEW_MS,
  retryAfter,
  TRY_MS,
} from '../shared/service/due-times.ts';
import type { SweepEnv } from '../shared/service/env.ts';
import { isFinished } from '../shared/states.ts';
import { unlessAhead } from '../shared/times.ts';
import { type CreateDeps, checkCreator, createDeps } from './lib/checks/create-check.ts';
import { envOf } from './lib/environment.ts';
import { emit, idsOf, log } from './lib/log.ts';
import { type AuditQueues, auditQueues } from './lib/queue/audit-queues.ts';
import { closingDb } from './lib/queue/closing-db.ts';
import { type DeadLetterQueues, deadLetterQueues } from './lib/queue/dead-letter-queues.ts';
import { type DeliveryQueue, deliveryQueue } from './lib/queue/delivery-queue.ts';
import { dispatch } from './lib/queue/dispatch.ts';
import { abandon } from './lib/runs/abandon.ts';
import { settleAll } from './lib/settle-all.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { type DeliveryStore, deliveryStore } from './lib/store/deliveries.ts';
import { type Due, type DueStore, dueStore, type Shard } from './lib/store/due.ts';
import { UnreadableItemError } from './lib/store/dynamodb.ts';
import { type ErasureStore, erasureStore } from './lib/store/erasure.ts';
import { firstDueAt, type OpenKind, type RunItem, runKey } from './lib/store/items.ts';
import { reports } from './lib/store/reports.ts';
import { type ScheduleStore, scheduleStore } from './lib/store/schedules.ts';
import { type SecretStore, secretStore } from './lib/store/secrets.ts';
import { type WaitingStore, waitingStore } from './lib/store/waiting.ts';
import { drainDeadLetters } from './lib/sweep/dead-letters.ts';
import { fireSchedule } from './lib/sweep/fire-schedule.ts';
import { hasLateRun } from './lib/sweep/late-runs.ts';
import { logFailures } from './lib/sweep/log-failures.ts';
import { moveBackAhead } from './lib/sweep/move-back-ahead.ts';
import { sweepCheck, sweepErased } from './lib/sweep/open-checks.ts';
import { mayStillWait, type QueueProgress, queueProgress } from './lib/sweep/queue-progress.ts';
import { kinds, shardsInUse, wakeable } from './lib/sweep/shards.ts';
import { waitsInQueue } from './lib/sweep/waits-in-queue.ts';
import { wakeAll } from './lib/sweep/wake.ts';

/**
 * The schedule's event has no `wake`. An operator sends `{ "wake": "<region>" | "all" }` after someone has emptied the
 * queue of a region. The event makes the waiting runs due for the next sweep, and `all` also the open checks. With
 * `dropLeases` the running ones too: the local service sends it at its start, when the lock of its data folder proves that
 * nobody holds a lease.
 */
type Event = { wake?: Region | 'all'; dropLeases?: boolean };

/** Every minute: resends, closes or deletes every item that is past its due time. No item stays open for ever. */
export const handler = async (event: Event = {}): Promise<void> => {
  started ??= start(envOf('sweep'));
  await started.moveBack();
  await sweep(started.deps)(event);
};

/** Ends the running sweep after the items at work. For the local service; Lambda ends the process. */
export const shutDown = () => shutdown.abort();

let started: ReturnType<typeof start> | undefined;
const shutdown = new AbortController();

const start = (env: SweepEnv) => {
  const deps = depsFrom(env);
  return { deps, moveBack: moveBackAhead(deps) };
};

const depsFrom = (env: SweepEnv): Deps => {
  const secrets = secretStore(env);
  const db = closingDb(env, secrets);
  return {
    store: checkStore(db),
    due: dueStore(db),
    erasure: erasureStore(db, reports(env)),
    waiting: waitingStore(db),
    queues: auditQueues(env),
    deadLetters: deadLetterQueues(env),
    deliveries: deliveryStore(db),
    deliveryQueue: deliveryQueue(env),
    schedules: scheduleStore(db),
    secrets,
    creates: createDeps(env, db, secrets),
    now: () => new Date(),
    stopping: shutdown.signal,
  };
};

type Deps = {
  store: Pick<CheckStore, 'closeIfFinished' | 'findRunOfAnyOwner'>;
  due: DueStore;
  erasure: Pick<ErasureStore, 'eraseRemains' | 'removeErasedMark'>;
  waiting: WaitingStore;
  queues: Pick<AuditQueues, 'send' | 'count'>;
  deadLetters: DeadLetterQueues;
  deliveries: Pick<DeliveryStore, 'hold'>;
  deliveryQueue: Pick<DeliveryQueue, 'send'>;
  schedules: Pick<ScheduleStore, 'hold' | 'read' | 'record' | 'moveOn' | 'erase'>;
  secrets: Pick<SecretStore, 'get'>;
  creates: CreateDeps;
  now: () => Date;
  budgetMs?: number;
  pageSize?: number;
  stopping?: AbortSignal;
};
type Work = Deps & { createCheck: ReturnType<typeof checkCreator> };
/** A sweep of one kind. Checks and schedules have no queue, and nobody looks how far the one of deliveries is. */
type Sweep = Work & { kind: OpenKind; progress: QueueProgress | undefined };

const PAGE_SIZE = 100; // of each shard
/** Items of a kind that are handled at once. The SDK has 50 sockets, and a request that waits for one times out. */
const AT_ONCE = 7;
/** Time after which a kind begins no further item. The rest of the function's 60 s is for the last items' retries. */
const BUDGET_MS = 35_000;

export const sweep = (deps: Deps) => {
  const shardsOf = shardsInUse(deps);
  const createCheck = checkCreator({ ...deps.creates, now: deps.now });
  return async ({ wake, dropLeases = false }: Event): Promise<void> => {
    if (wake) return forEach(wake === 'all' ? wakeable : [wake], (each) => wakeAll(deps, each, dropLeases));
    let [pastDue, late] = [0, 0];
    await forEach(kinds, async (kind) => {
      const shards = await shardsOf(kind);
      const left = await sweepKind({ ...deps, createCheck }, kind, shards);
      if (left > 0) log.warn('The sweep has left due items.', { kind, left });
      pastDue += left;
      if (isRegion(kind) && (await hasLateRun(deps, kind, shards))) late++;
    });
    emit('OpenPastDue', pastDue, {});
    if (late > 0) emit('RegionsLate', late, {}); // CloudWatch bills a metric only in the hours in which it has values
  };
};

/** Handles all kinds concurrently, so that an outage of one region delays no other. Throws the first failure. */
const forEach = async (all: readonly OpenKind[], handle: (kind: OpenKind) => Promise<void>) => {
  const handled = await Promise.allSettled(all.map(handle));
  for (const each of handled) if (each.status === 'rejected') throw each.reason;
};

/** Acts on the due items of a kind. Returns the number of items on which it failed or that it did not reach. */
const sweepKind = async (deps: Work, kind: OpenKind, shards: readonly Shard[]): Promise<number> => {
  const { budgetMs = BUDGET_MS } = deps;
  const budget = budgetMs > 0 ? AbortSignal.timeout(budgetMs) : AbortSignal.abort();
  const end = deps.stopping ? AbortSignal.any([budget, deps.stopping]) : budget;
  const { pageSize = PAGE_SIZE } = deps;
  const progress = isRegion(kind) ? queueProgress(deps, kind) : undefined;
  let pastDue = isRegion(kind) ? await drainDeadLetters(deps, kind, end) : 0;
  for (let left = shards; left.length > 0; ) {
    const pages = await Promise.all(left.map((shard) => deps.due.list(shard, deps.now(), pageSize)));
    const found = pages.flat().sort((a, b) => a.dueAt.localeCompare(b.dueAt));
    const swept = await settleAll(found, AT_ONCE, (due) => sweepItem({ ...deps, kind, progress }, due), end);
    const failed = logFailures('Could not sweep a due item.', kind, swept);
    const missed = found.length - swept.length;
    if (missed > 0) log.warn('The sweep had no time left for due items.', { kind, missed });
    pastDue += failed + missed;
    if (failed === found.length || end.aborted) break;
    left = left.filter((_, i) => pages[i]?.length === pageSize);
  }
  return pastDue;
};

const sweepItem = async (deps: Sweep, due: Due): Promise<void> => {
  try {
    await sweepReadable(deps, due);
  } catch (error) {
    if (!(error instanceof UnreadableItemError)) throw error;
    if (await deps.due.setAside(due, deps.now()))
      log.error("The item can't be read. It stays open until it is erased or expires.", { error });
  }
};

const sweepReadable = async (deps: Sweep, due: Due): Promise<void> => {
  if (deps.kind === 'deliveries') return resendDelivery(deps, due);
  if (deps.kind === 'schedules') return fireSchedule(deps, due);
  if (await waitsInQueue(deps, due)) return;
  const held = await deps.due.hold(due, deps.now());
  if (!held) return; // the item has changed since it was listed, so someone is at work on it
  if ('check' in held) await sweepCheck(deps, held.check);
  else if ('erased' in held) await sweepErased(deps, held.erased);
  else await sweepRun(deps, held.run, Date.parse(due.dueAt));
};

/** Sends the message of a closed check or a delivery that is due: its next try, or one whose message was lost. */
const resendDelivery = async ({ deliveries, deliveryQueue, now }: Sweep, due: Due): Promise<void> => {
  const job = await deliveries.hold(due, now());
  if (job) await deliveryQueue.send(job);
};

const sweepRun = async (deps: Sweep, run: RunItem, dueAt: number): Promise<void> => {
  const { due, now } = deps;
  const inMs = (ms: number) => new Date(now().getTime() + ms);
  if (isFinished(run.state)) return;
  if (!(await due.isListed(runKey(run.checkId, run.id)))) return due.deleteOrphan(run); // its create failed, or its check was erased

  const lostAt = Date.parse(unlessAhead(run.lease?.until, 2 * LEASE_MS, now()) ?? '') + LEASE_SLACK_MS;
  if (lostAt > now().getTime()) {
    await due.postpone(run, new Date(lostAt));
    return;
  }
  // If the clock was set forward, the holder may be at work, and renews its lease before the second look.
  const firstLooks = [Date.parse(run.lease?.until ?? '') + LEASE_SLACK_MS, Date.parse(firstDueAt(run))];
  const isFirstLook = run.lease && firstLooks.includes(dueAt);
  if (isFirstLook && now().getTime() - dueAt > LATE_SWEEP_MS) {
    await due.postpone(run, inMs(RENEW_MS + LEASE_SLACK_MS));
    return;
  }
  const unheld = run.lease ? await due.countLostLease(run, now()) : run;
  if (!unheld) return;
  if (run.lease) {
    log.warn('An audit ended without an answer.', { ...idsOf(run), lostLeases: unheld.lostLeases });
    emit('AuditsLost', 1, {});
  }
  const counted = unheld.sends === 0 ? unheld : { ...unheld, tries: unheld.tries + 1 };
  if (counted.lostLeases >= MAX_LOST_LEASES || counted.tries >= MAX_TRIES)
    await abandon(deps, counted, runError('abandoned'), now());
  else if (isSendDue(counted)) await resend(deps, counted);
  else await due.postpone(counted, inMs(TRY_MS), { tries: counted.tries });
};

/**
 * Sends the job of a run again, unless the job may still wait in the queue. If the queue fails, that is a try that came to
 * nothing.
 */
const resend = async (deps: Sweep, run: RunItem): Promise<void> => {
  const { due, now, progress } = deps;
  try {
    if (run.sends > 0 && progress && mayStillWait(await progress.look(), run)) {
      await due.postpone(run, new Date(now().getTime() + TRY_MS), { tries: run.tries });
      return;
    }
    if (!(await dispatch(deps, run, now()))) return;
    await due.markSent(run, now());
    emit('RunsResent', 1, { region: run.region });
  } catch (error) {
    const later = new Date(now().getTime() + retryAfter(run.tries));
    const tries = run.sends > 0 ? run.tries : run.tries + 1; // the wait of a sent job is counted already
    await due.postpone(run, later, { tries }).catch(() => {}); // the run is due in a minute
    throw error;
  }
};
