import { type Buckets, fillBuckets } from '../../shared/limits.ts';
import { bucketNames, type PlanName } from '../../shared/plans.ts';
import type { Item } from './embedded-table.ts';

type Entry = { at: number; audits: number };
export type Usage = Item & { stamp?: string; creating?: Record<string, Entry> };

const ROUNDING = 0.01;

/**
 * Returns a function that checks a write to the usage of an owner: a create takes a token for each of its audits, a refund
 * returns them, and the end of a create does neither.
 */
export const usagePromises =
  ({ plan, violated }: { plan: PlanName; violated: (what: string) => void }) =>
  (before: Usage | undefined, after: Usage): void => {
    const [from, to] = [before, after].map((usage) => usage?.[`tokens-${plan}`] as Buckets | undefined);
    if (!to) return;
    const counted = (usage: Usage | undefined, id: string) => usage?.creating?.[id]?.audits ?? 0;
    const ids = new Set([before, after].flatMap((usage) => Object.keys(usage?.creating ?? {})));
    const changes = [...ids].map((id) => counted(after, id) - counted(before, id));
    const taken = changes.reduce((sum, change) => sum + Math.max(0, change), 0);
    const isRefund = before?.stamp !== after.stamp; // the end of a create leaves the stamp
    const returned = isRefund ? changes.reduce((sum, change) => sum + Math.max(0, -change), 0) : 0;
    const filled = fillBuckets(from, plan, new Date(to.at));
    for (const name of bucketNames) {
      // A subtraction does not move `at`, so it may leave fewer tokens than none.
      const expected = (to.at === from?.at ? from[name] : filled[name]) - taken + returned;
      if (Math.abs(to[name] - expected) > ROUNDING) {
        violated(`${after.pk} has ${to[name]} tokens of a ${name}, and should have ${expected}`);
      }
    }
  };
