import { checkView } from '../../../shared/check.ts';
import { runView } from '../../../shared/run.ts';
import type { Caller } from '../../../shared/service/keys.ts';
import { isFinished } from '../../../shared/states.ts';
import type { CheckItem } from '../store/items.ts';
import type { Request } from './endpoint.ts';
import { checkIdOf, findCheck, type Lookup, placeOfRun, type RunLookup, readRun } from './lookup.ts';

/** Returns the present view of a check or a run, and whether it changes no more. */
export type Look = () => Promise<{ view: object; finished: boolean }>;
type Place = { checkId: string | undefined; look: Look };

/** Returns how to look at the check in the path. */
export const lookAtCheck = (lookup: Lookup, request: Request<Caller>): Place => ({
  checkId: checkIdOf(request),
  look: async () => {
    const { item, runs } = await findCheck(lookup, request);
    const fieldData = settled(item, lookup.now?.() ?? new Date());
    return { view: checkView({ ...item, fieldData, runs }), finished: runs.every((run) => isFinished(run.state)) };
  },
});

/** Time after which nobody reads the field data of a check any more, in milliseconds. Its message was lost. */
const FIELD_DATA_MS = 15 * 60_000;

/** Returns the field data of a check, without the promise of a lost message. */
const settled = ({ fieldData, createdAt }: Pick<CheckItem, 'fieldData' | 'createdAt'>, now: Date) =>
  fieldData?.reason === 'pending' && now.getTime() - Date.parse(createdAt) > FIELD_DATA_MS
    ? { ...fieldData, reason: 'unavailable' as const }
    : fieldData;

/** Returns how to look at the run in the path. Throws not-found if nothing names its check. */
export const lookAtRun = async (lookup: RunLookup, request: Request<Caller>): Promise<Place> => {
  const place = await placeOfRun(lookup.store, request);
  return {
    checkId: place.checkId,
    look: async () => {
      const run = await readRun(lookup, place, request);
      return { view: runView(run), finished: isFinished(run.state) };
    },
  };
};
