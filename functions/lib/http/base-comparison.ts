import { type CheckComparison, compareChecks } from '../../../shared/comparison/comparison.ts';
import type { Caller } from '../../../shared/keys.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import { isFinished } from '../../../shared/run.ts';
import type { StoredCheck } from '../store/checks.ts';
import type { Request } from './endpoint.ts';
import { findCheck, type Lookup } from './lookup.ts';

type BaseComparison = { check: StoredCheck; baseCheck: StoredCheck; comparison: CheckComparison };

/** Compares the check in the path with its base, another check. Throws a problem if the two can not be compared. */
export const compareWithBase = async (
  lookup: Lookup,
  request: Request<Caller>,
  base: string,
): Promise<BaseComparison> => {
  const check = await findCheck(lookup, request);
  if (base === check.item.id) {
    const message = 'A check can not be compared with itself. Send the id of another check.';
    throw new ApiProblemError('invalid-request', message, { errors: [{ path: 'base', message }] });
  }
  const baseCheck = await findCheck(lookup, { ...request, params: { checkId: base } }, 'the ID in base');
  const comparison = compareChecks(comparedCheck(baseCheck), comparedCheck(check));
  if (!comparison) throw new ApiProblemError('not-comparable', noPairs);
  return { check, baseCheck, comparison };
};

/** Returns the check for a comparison. Throws if it is not finished. */
export const comparedCheck = ({ item, runs }: StoredCheck) => {
  if (!runs.every(({ state }) => isFinished(state))) {
    throw new ApiProblemError('report-not-ready', `The check ${item.id} is not finished. Retry in a few seconds.`, {
      headers: { 'retry-after': '2' },
    });
  }
  return { id: item.id, runs };
};

const noPairs = 'No region succeeded in both checks. Compare checks that have a region in common.';
