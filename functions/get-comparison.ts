import { compareRegions } from '../shared/comparison/regions.ts';
import { ApiProblemError } from '../shared/problems.ts';
import type { Caller } from '../shared/service/keys.ts';
import { type BaseLookup, comparedVariants, compareWithBase, parseComparison } from './lib/http/base-comparison.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput } from './lib/http/input.ts';
import { findCheck, finishedCheck } from './lib/http/lookup.ts';
import type { Reply } from './lib/http/response.ts';
import { checkStore } from './lib/store/checks.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { pageStore } from './lib/store/listed-pages.ts';
import { listStore } from './lib/store/lists.ts';

/** GET /v1/checks/{checkId}/comparison: compares the regions or the variants of a check, or the check with a base. */
export const handler = http('get-comparison', (env) => {
  const db = openDb(env);
  return getComparison({ store: checkStore(db), lists: listStore(db), pages: pageStore(db), place: env.REGION_PLACE });
});

/** With `place`, all regions are there, so that a difference between them says nothing about a place. */
export const getComparison =
  ({ place, ...lookup }: BaseLookup & { place?: string | undefined }) =>
  async (request: Request<Caller>): Promise<Reply> => {
    const { base } = request.query;
    if (base === undefined) {
      parseComparison(request.query, base); // refuses the parameters that need a base
      const check = await findCheck(lookup, request);
      if (check.item.against) return { status: 200, body: comparedVariants(check) };
      const compared = finishedCheck(check);
      if (place !== undefined && check.runs.length > 1) throw new ApiProblemError('not-comparable', onePlace(place));
      const body = compareRegions(compared);
      if (!body) throw new ApiProblemError('not-comparable', tooFewRegions);
      return { status: 200, body };
    }
    if ('reader' in request) throw shareWithBase();
    return { status: 200, body: (await compareWithBase(lookup, request, base)).comparison };
  };

const shareWithBase = () =>
  invalidInput([
    { path: 'base', message: 'A share link shows one check. Leave out base, or send an API key instead of share.' },
  ]);

const onePlace = (place: string) =>
  `All regions of this service are one place: ${place}. Their results differ by chance. To compare two checks, send ?base=<id of a check>.`;

const tooFewRegions =
  'A comparison of regions needs at least two runs that succeeded. To compare two checks, send ?base=<id of a check>.';
