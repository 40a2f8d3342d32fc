import {
  type CheckComparison,
  compareChecks,
  compareRegions,
  type RegionComparison,
} from '../shared/comparison/comparison.ts';
import type { Caller } from '../shared/keys.ts';
import { ApiProblem } from '../shared/problems.ts';
import { isFinished } from '../shared/run.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput } from './lib/http/input.ts';
import { findCheck, type Lookup } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { checkStore, type StoredCheck } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';

/** GET /v1/checks/{checkId}/comparison: compares the regions of a check, or the check with the check in `base`. */
export const handler = http('get-comparison', (env) => getComparison({ store: checkStore(openDb(env)) }));

export const getComparison =
  (lookup: Lookup) =>
  async (request: Request<Caller>): Promise<Reply> => {
    const { base } = request.query;
    if (base !== undefined && 'reader' in request) throw shareWithBase();
    const check = await findCheck(lookup, request);
    if (base === undefined) return reply(compareRegions(comparedCheck(check)), tooFewRegions);
    if (base === check.item.id) {
      const message = 'A check can not be compared with itself. Send the id of another check.';
      throw new ApiProblem('invalid-request', message, { errors: [{ path: 'base', message }] });
    }
    const baseCheck = await findCheck(lookup, { ...request, params: { checkId: base } }, 'the ID in base');
    return reply(compareChecks(comparedCheck(baseCheck), comparedCheck(check)), noPairs);
  };

/** Returns the check for the comparison. Throws if it is not finished. */
const comparedCheck = ({ item, runs }: StoredCheck) => {
  if (!runs.every(({ state }) => isFinished(state))) {
    throw new ApiProblem('report-not-ready', `The check ${item.id} is not finished. Retry in a few seconds.`, {
      headers: { 'retry-after': '2' },
    });
  }
  return { id: item.id, runs };
};

const reply = (comparison: RegionComparison | CheckComparison | undefined, detail: string): Reply => {
  if (!comparison) throw new ApiProblem('not-comparable', detail);
  return { status: 200, body: comparison };
};

const shareWithBase = () =>
  invalidInput([
    { path: 'base', message: 'A share link shows one check. Leave out base, or send an API key instead of share.' },
  ]);

const tooFewRegions =
  'A comparison of regions needs at least two runs that succeeded. To compare two checks, send ?base=<id of a check>.';
const noPairs = 'No region succeeded in both checks. Compare checks that have a region in common.';
