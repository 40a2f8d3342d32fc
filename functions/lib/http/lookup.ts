import { z } from 'zod';
import { ApiProblemError } from '../../../shared/problems.ts';
import type { Caller } from '../../../shared/service/keys.ts';
import { isFinished } from '../../../shared/states.ts';
import type { CheckStore } from '../store/checks.ts';
import type { StoredCheck } from '../store/find-check.ts';
import type { RunItem } from '../store/items.ts';
import type { Request } from './endpoint.ts';
import { findShared, type SharingStore } from './shared-check.ts';

const isUuid = (text: string | undefined): text is string => z.uuid().safeParse(text).success;

/** Returns the id of the check in the path, or undefined if the id is no UUID. */
export const checkIdOf = ({ params: { checkId } }: Pick<Request, 'params'>): string | undefined =>
  isUuid(checkId) ? checkId : undefined;

/** Store and clock of a lookup. The clock decides what has expired. */
export type Lookup = { store: SharingStore; now?: () => Date };

/** Returns the check of this owner, or the check that the share token of the request shows. */
const find = ({ store, now = () => new Date() }: Lookup, checkId: string, caller: Caller) =>
  'reader' in caller ? findShared(store, checkId, caller.token, now()) : store.find(checkId, caller.owner, now());

/**
 * Returns the check in the path. Throws not-found if this owner has none with the id, or if the id is no UUID.
 * `id` says which id of the request it is.
 */
export const findCheck = async (
  lookup: Lookup,
  request: Caller & Pick<Request, 'params'>,
  id?: string,
): Promise<StoredCheck> => {
  const checkId = checkIdOf(request);
  const found = checkId && (await find(lookup, checkId, request));
  if (!found) throw checkNotFound(id);
  return found;
};

/** Returns a check with its runs. Throws if it is not finished. */
export const finishedCheck = ({ item, runs }: StoredCheck) => {
  if (!runs.every(({ state }) => isFinished(state))) {
    throw new ApiProblemError('report-not-ready', `The check ${item.id} is not finished. Retry in a few seconds.`, {
      headers: { 'retry-after': '2' },
    });
  }
  return { ...item, runs };
};

export const checkNotFound = (id = 'this ID') => new ApiProblemError('not-found', `There is no check with ${id}.`);

type RunRequest = Caller & Pick<Request, 'params' | 'query'>;
export type RunLookup = Lookup & { store: Pick<CheckStore, 'checkIdOfRun'> };
type RunPlace = { runId: string; checkId: string };

/** Returns the ids of the run in the path and of its check, which the path or the query may name. Throws not-found. */
export const placeOfRun = async (store: Pick<CheckStore, 'checkIdOfRun'>, request: RunRequest): Promise<RunPlace> => {
  const { params, query } = request;
  const runId = isUuid(params.runId) ? params.runId : undefined;
  const requested = params.checkId ?? query.checkId;
  const ofRun = async (id: string) =>
    requested ?? ('reader' in request ? request.reader : await store.checkIdOfRun(id, request.owner));
  const checkId = runId && (await ofRun(runId));
  if (!runId || !isUuid(checkId)) throw runNotFound();
  return { runId, checkId };
};

/** Returns a run. Throws not-found if its check has no such run. */
export const readRun = async (lookup: Lookup, { runId, checkId }: RunPlace, caller: Caller): Promise<RunItem> => {
  const found = await find(lookup, checkId, caller);
  const run = found?.runs.find(({ id }) => id === runId);
  if (!run) throw runNotFound();
  return run;
};

/** Returns the run in the path. Throws not-found if there is none, or if `checkId` (path or query) is another check's. */
export const findRun = async (lookup: RunLookup, request: RunRequest): Promise<RunItem> =>
  readRun(lookup, await placeOfRun(lookup.store, request), request);

const runNotFound = () =>
  new ApiProblemError('not-found', 'There is no run with this ID, or it belongs to another check.');
