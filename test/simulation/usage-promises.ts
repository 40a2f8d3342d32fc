import { type Buckets, fillBuckets } from '../../shared/service/limits.ts';
import { bucketNames, type PlanName } from '../../shared/service/plans.ts';
import type { Item } from './embedded-table.ts';

type Entry = { at: number; audits: number };
type Refund = { checkId: string; audits: number };
export type Usage = Item & { stamp?: string; creating?: Record<string, Entry>; refunded?: Record<string, Refund> };

const ROUNDING = 0.01;

/**
 * Returns a function that checks a write to the usage of an owner: a create takes a token for each of its audits, a refund
 * returns them, and the end of a create does neither. `unusedBy` is how many audits a check has reserved and not used.
 */
export const usagePromises = ({
  plan,
  violated,
  unusedBy,
}: {
  plan: PlanName;
  violated: (what: string) => void;
  unusedBy: (checkId: string) => number;
}) => {
  const refunded = new Set<string>();

  const refundsOf = (before: Usage | undefined, after: Usage): number => {
    const added = Object.entries(after.refunded ?? {}).filter(([createId]) => !before?.refunded?.[createId]);
    for (const [createId, { checkId, audits }] of added) {
      if (refunded.has(createId)) violated(`the check ${checkId} was refunded twice`);
      if (audits !== unusedBy(checkId)) violated(`the check ${checkId} was refunded ${audits} audits`);
      refunded.add(createId);
    }
    return added.reduce((sum, [, { audits }]) => sum + audits, 0);
  };

  const onUsage = (before: Usage | undefined, after: Usage): void => {
    const [from, to] = [before, after].map((usage) => usage?.[`tokens-${plan}`] as Buckets | undefined);
    if (!to) return;
    const counted = (usage: Usage | undefined, id: string) => usage?.creating?.[id]?.audits ?? 0;
    const ids = new Set([before, after].flatMap((usage) => Object.keys(usage?.creating ?? {})));
    const changes = [...ids].map((id) => counted(after, id) - counted(before, id));
    const taken = changes.reduce((sum, change) => sum + Math.max(0, change), 0);
    const isRefund = before?.stamp !== after.stamp; // the end of a create leaves the stamp
    const ofCreates = isRefund ? changes.reduce((sum, change) => sum + Math.max(0, -change), 0) : 0;
    const returned = ofCreates + refundsOf(before, after);
    const filled = fillBuckets(from, plan, new Date(to.at));
    for (const name of bucketNames) {
      // A subtraction does not move `at`, so it may leave fewer tokens than none.
      const expected = (to.at === from?.at ? from[name] : filled[name]) - taken + returned;
      if (Math.abs(to[name] - expected) > ROUNDING) {
        violated(`${after.pk} has ${to[name]} tokens of a ${name}, and should have ${expected}`);
      }
    }
  };
  return { onUsage, isRefunded: (createId: string): boolean => refunded.has(createId) };
};
