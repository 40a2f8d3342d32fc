import { randomUUID } from 'node:crypto';
import { HOLD_MS } from '../../../shared/service/due-times.ts';
import type { Buckets } from '../../../shared/service/limits.ts';
import { type PlanName, tokensOf } from '../../../shared/service/plans.ts';
import { type Db, getItem, updateItem } from './dynamodb.ts';
import { anyOf, type Condition } from './expressions.ts';
import { ifEqual, usageKey } from './items.ts';
import { openCheckIds } from './open-checks.ts';

/*
 * Attributes of an owner's usage:
 * tokens-<plan>  token buckets of the owner's keys of this plan. Each plan has its own, because its quotas are its own.
 * creating       the creates at work: { <checkId>: entry }
 * openAtMost     a bound of the open checks that keys of any plan created
 * recount        a new UUID with each recount of the open checks
 * refunded       refunds of checks that are being closed (refunds.ts)
 * stamp          a new UUID with each create and each refund
 *
 * The open checks themselves are items of their own (open-checks.ts), so the size of this item doesn't depend on them. A
 * create adds 1 to `openAtMost`. The end of a check writes nothing here. A create that finds the bound at the limit counts
 * the open checks and lowers the bound. So the bound is never too low, and no owner has more open checks than the plan.
 * There is one exception: a create that stands still for a minute between its take and its check is not counted meanwhile.
 *
 * An entry of `creating` says that the tokens of its create are taken. So a write that is repeated takes them once, and a
 * refund returns them once. The create removes its entry once its check is stored. A later create removes the entry of a
 * create that has died.
 */
export const entryOf = (checkId: string) => `creating.${checkId}`;

/**
 * Entry of a check that is being created. `at` is the time of the create that wrote it last, in milliseconds, and `by` is
 * that create. `creates` are all that use its tokens: creates of one check with the same `Idempotency-Key`.
 */
export type Entry = { at: number; by: string; creates: readonly string[]; audits: number };
/** Returns the name of a create in entries, which is short to keep the item small. */
export const nameOf = (createId: string): string => createId.slice(0, 8);
type Creating = Readonly<Record<string, Entry>>;

export type StoredUsage = {
  buckets: Buckets | undefined;
  /** Undefined in an owner's first create. */
  creating: Creating | undefined;
  openAtMost: number;
  recount: unknown;
  stamp: string | undefined;
  expiresAt: number;
};

/** Reads the usage, after it has removed the entries of creates that have died. */
export const readUsage = async (
  db: Db,
  { owner, plan, at }: { owner: string; plan: PlanName; at: number },
): Promise<StoredUsage> => {
  const item = (await getItem(db, usageKey(owner))) ?? {};
  const creating = item.creating as Creating | undefined;
  const isDead = ({ at: since }: Entry) => Math.abs(at - since) > HOLD_MS;
  for (const [id, entry] of Object.entries(creating ?? {})) {
    const change = { returns: 'NONE', remove: [entryOf(id)], ...ifEntry(id, entry) } as const;
    if (isDead(entry)) await updateItem(db, usageKey(owner), change);
  }
  const alive = creating && Object.fromEntries(Object.entries(creating).filter(([, entry]) => !isDead(entry)));
  const openAtMost = item.openAtMost as number | undefined; // missing in an owner's first create for days
  return {
    buckets: item[tokensOf(plan)] as StoredUsage['buckets'],
    creating: alive,
    openAtMost: openAtMost ?? (await openCheckIds(db, owner, new Date(at))).length,
    recount: item.recount,
    stamp: item.stamp as StoredUsage['stamp'],
    expiresAt: (item.expiresAt ?? 0) as number,
  };
};

/**
 * Lowers the bound of the open checks to their number. Returns false if there are as many as the bound says. A create counts
 * its check in the usage first and stores it later. So a create that began before the read of the usage is found here. A later
 * one has raised the bound, which keeps its increase.
 */
export const recount = async (db: Db, owner: string, read: StoredUsage, now: Date): Promise<boolean> => {
  const open = new Set([...Object.keys(read.creating ?? {}), ...(await openCheckIds(db, owner, now))]);
  const surplus = read.openAtMost - open.size;
  if (surplus <= 0) return false;
  await updateItem(db, usageKey(owner), {
    returns: 'NONE',
    set: { recount: randomUUID() },
    add: { openAtMost: -surplus },
    ...ifEqual('recount', read.recount), // else another create has counted meanwhile, or this write is repeated
  });
  return true;
};

/** Holds if a create uses the entry of its check. */
export const ifUses = (checkId: string, create: string): Condition =>
  anyOf([`${entryOf(checkId)}.creates`, 'contains', create]);

/** Holds if the check has this entry. */
export const ifEntry = (checkId: string, { by }: Pick<Entry, 'by'>): Condition => ifEqual(`${entryOf(checkId)}.by`, by);
