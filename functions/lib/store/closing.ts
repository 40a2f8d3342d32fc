import type { RunState } from '../../../shared/run.ts';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import { isFinished } from '../../../shared/states.ts';
import { latest } from '../../../shared/times.ts';
import { log } from '../log.ts';
import { type Db, updateItem } from './dynamodb.ts';
import { findCheck } from './find-check.ts';
import {
  checkKey,
  ifEqual,
  ofAnyOwner,
  openPartitionOf,
  type RunItem,
  type RunRef,
  readItems,
  toIso,
} from './items.ts';
import { addResults } from './latest.ts';
import { listedClosedCheck } from './lists.ts';
import { removeOpenCheck } from './open-checks.ts';
import { forgetRefund, refundUnused } from './refunds.ts';
import { removeSecretsOf } from './remove-secrets.ts';
import { fillTrends } from './trends.ts';
import { hasWebhooks } from './webhooks.ts';

/** Closes a check if all its runs are finished. Returns true if the check is closed. */
export const closeIfFinished = async (db: Db, checkId: string, now: Date, again = false): Promise<boolean> => {
  const found = await findCheck(db, checkId, { ...ofAnyOwner, trends: true });
  if (!found?.runs.every((run) => isFinished(run.state))) return false;
  if (found.item.completedAt) return true;
  const { owner, countsAsOpen, expiresAt } = found.item;
  const check = { ...found.item, runs: found.runs };
  if (!(await fillTrends(db, found.runs, found.trends))) {
    if (again) throw new Error(`the entries of check ${checkId} were written while it was closed`);
    return closeIfFinished(db, checkId, now, true);
  }
  // All of these before the check is closed, so that the sweeper repeats them if they fail.
  await addResults(db, found, now);
  await removeSecretsOf(db, checkId, [found.item, ...found.runs]);
  await refundUnused(db, found, now);
  if (countsAsOpen) await removeOpenCheck(db, owner, checkId);
  const notifies = db.announceClosed && (await hasWebhooks(db, owner));
  // The same write closes the check and makes its deliveries due, so that no close is without them.
  const due = { open: openPartitionOf(db, 'deliveries', checkId), dueAt: toIso(now.getTime() + HOLD_MS) };
  await updateItem(db, checkKey(checkId), {
    set: {
      completedAt: latest(now.toISOString(), ...found.runs.map((run) => run.finishedAt)),
      ...listedClosedCheck(check, owner, expiresAt),
      ...(notifies && due),
    },
    remove: notifies ? [] : ['open', 'dueAt'],
    ...ifEqual('completedAt', null), // false for a mark, which has no completedAt
  });
  await forgetRefund(db, found);
  if (notifies) await announce(db, owner, checkId);
  return true;
};

const announce = (db: Db, owner: string, checkId: string): Promise<void> | undefined =>
  db.announceClosed?.({ owner, checkId }).catch((error: Error) => {
    log.warn('Could not send the message about a closed check. The sweeper sends it in a minute.', { checkId, error });
  });

/**
 * Makes the check of a run due in a minute if all its other runs are finished, and its closing must not be late: it reports
 * someone, or deletes secrets. If the worker dies before the closing, the sweeper then closes such a check soon.
 */
export const announceEnd = async (db: Db, { checkId, id }: RunRef, now: Date): Promise<void> => {
  const { check, runs } = await readItems(db, checkId, ofAnyOwner);
  const others = Array.isArray(check?.runIds) ? check.runIds.filter((each) => each !== id) : [];
  const isOver = (other: string) => isFinished(runs.find(({ sk }) => sk === `RUN#${other}`)?.state as RunState);
  if (!check || !others.every(isOver)) return;
  if (!check.scheduleId && !check.secretsKey && !(await hasWebhooks(db, String(check.owner)))) return;
  await makeCheckDue(db, checkId, now);
};

/** Makes an open check due in a minute. */
const makeCheckDue = (db: Db, checkId: string, now: Date) =>
  updateItem(db, checkKey(checkId), {
    set: { dueAt: toIso(now.getTime() + HOLD_MS) },
    returns: 'NONE',
    ...ifEqual('completedAt', null),
  });

/**
 * Closes the check of a run that has finished, if the run was the last. If that fails, the check is due in a minute, and the
 * sweeper closes it. Throws if neither can be written. Safe to repeat.
 */
export const closeAfterRun = async (db: Db, { checkId }: Pick<RunItem, 'checkId'>, now: Date): Promise<void> => {
  try {
    await closeIfFinished(db, checkId, now);
  } catch (error) {
    log.error('Could not close the check. The sweeper retries in a minute.', { checkId, error: error as Error });
    await makeCheckDue(db, checkId, now);
  }
};
