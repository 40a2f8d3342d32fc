import { log } from '../log.ts';
import type { OpenKind } from '../store/items.ts';

/** Logs the first failure and the number of them. Returns that number. */
export const logFailures = (message: string, kind: OpenKind, all: readonly PromiseSettledResult<unknown>[]): number => {
  const failures = all.filter((each) => each.status === 'rejected');
  if (failures[0]) log.error(message, { kind, failures: failures.length, error: failures[0].reason });
  return failures.length;
};
