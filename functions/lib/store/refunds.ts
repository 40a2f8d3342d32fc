import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { countUsed } from '../../../shared/check.ts';
import { bucketNames, tokensOf } from '../../../shared/service/plans.ts';
import { type Db, getItem, type Item, updateItem } from './dynamodb.ts';
import { anyOf } from './expressions.ts';
import type { StoredCheck } from './find-check.ts';
import { checkKey, ifEqual, usageKey } from './items.ts';

/*
 * A check with automatic samples takes tokens for the most audits that it can need, and its end returns those of the others.
 * One write returns the tokens and leaves a mark in `refunded`: { <createId>: { checkId, audits, at } }. The check is closed after it,
 * and then the mark is removed. The write fails if another create or refund came after the read of the usage. The check is
 * read after the usage. So a late worker finds the mark or a closed check, or its write fails: tokens return exactly once.
 */
type Marks = Readonly<Record<string, { checkId: string; audits: number; at: string }>>;

const MAX_TRIES = 30;
/** Age of a mark from which on its worker may have died before it removed the mark. */
const OLD_MS = 10 * 60_000;

/** Returns the tokens of the audits that a check with automatic samples did not make. Safe to repeat until the check is closed. */
export const refundUnused = async (db: Db, { item, runs }: StoredCheck, now: Date): Promise<void> => {
  const { id, owner, createId, reserved } = item;
  const unused = reserved ? reserved.audits - countUsed(runs) : 0;
  if (!reserved || unused <= 0) return;
  const tokens = tokensOf(reserved.plan);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const usage = (await getItem(db, usageKey(owner))) ?? {};
    const marks = usage.refunded as Marks | undefined;
    if (!usage[tokens] || marks?.[createId] || !(await isOpen(db, id, createId))) return; // missing tokens count as full
    await removeOldMarks(db, owner, marks, now);
    const mark = { checkId: id, audits: unused, at: now.toISOString() };
    const change = {
      returns: 'NONE' as const,
      set: {
        stamp: randomUUID(),
        ...(marks ? { [`refunded.${createId}`]: mark } : { refunded: { [createId]: mark } }),
      },
      add: Object.fromEntries(bucketNames.map((name) => [`${tokens}.${name}`, unused])),
    };
    if (await updateItem(db, usageKey(owner), { ...change, ...ifEqual('stamp', usage.stamp) })) return;
    await sleep(Math.random() * Math.min(10 * 2 ** tries, 200));
  }
  throw new Error(`could not refund check ${id}: other checks of its owner came first in every try`);
};

/** Removes the mark of a refund, after its check is closed. If that fails, a later refund does it. */
export const forgetRefund = async (db: Db, { item }: Pick<StoredCheck, 'item'>): Promise<void> => {
  if (item.reserved) await removeMark(db, item.owner, item.createId);
};

const isOpen = async (db: Db, id: string, createId: string): Promise<boolean> => {
  const check: Item = (await getItem(db, checkKey(id))) ?? {};
  return check.createId === createId && check.completedAt === null;
};

const removeOldMarks = async (db: Db, owner: string, marks: Marks = {}, now: Date): Promise<void> => {
  for (const [createId, { checkId, at }] of Object.entries(marks)) {
    const isOld = Math.abs(now.getTime() - Date.parse(at)) > OLD_MS;
    if (isOld && !(await isOpen(db, checkId, createId))) await removeMark(db, owner, createId);
  }
};

const removeMark = (db: Db, owner: string, createId: string) => {
  const path = `refunded.${createId}`;
  return updateItem(db, usageKey(owner), {
    returns: 'NONE',
    remove: [path],
    ...anyOf([path, 'exists']),
  });
};
