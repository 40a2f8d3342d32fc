import { checkView, linksOfCheck, sourceOf } from '../shared/check.ts';
import { matcherOf } from '../shared/list-parameters-schemas.ts';
import { type CheckSummary, checkSummary } from '../shared/summaries.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { pageHeaders, parseCheckList, rangeOf } from './lib/http/list-query.ts';
import { isUnreadable, pageOf, splitPage } from './lib/http/page.ts';
import type { Reply } from './lib/http/response.ts';
import { type CheckStore, checkStore } from './lib/store/checks.ts';
import { openDb, UnreadableItemError } from './lib/store/dynamodb.ts';
import { type ListedCheck, type ListStore, listStore, type Position, type UnreadableEntry } from './lib/store/lists.ts';

/** GET /v1/checks: returns one page of the caller's checks, newest first. */
export const handler = http('list-checks', (env) => {
  const db = openDb(env);
  return listChecks({ lists: listStore(db), store: checkStore(db) });
});

type Deps = { lists: Pick<ListStore, 'checks'>; store: Pick<CheckStore, 'find'>; now?: () => Date };

export const listChecks =
  ({ lists, store, now = () => new Date() }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const { owner } = request;
    const parameters = parseCheckList(request);
    const { filters, byEntry, byResult } = matcherOf(parameters);
    const isFiltered = filters.length > 0;
    const summaryOf = async (
      entry: ListedCheck | UnreadableEntry,
    ): Promise<CheckSummary | UnreadableEntry | undefined> => {
      if (isUnreadable(entry)) return isFiltered ? undefined : entry; // no filter can judge it
      if (!byEntry.matches(entry)) return undefined;
      // A stored summary may lack a field and links of a later release.
      const summary: CheckSummary | UnreadableEntry | undefined = isClosed(entry)
        ? {
            ...entry,
            assertionsPassed: entry.assertionsPassed ?? null,
            scheduleId: entry.scheduleId ?? null,
            source: sourceOf(entry),
            links: linksOfCheck(entry.id),
          }
        : await readSummary(store, entry, owner, now());
      if (!summary || isUnreadable(summary)) return byResult.isUsed ? undefined : summary;
      return byResult.matches(summary) ? summary : undefined;
    };
    const { shown, nextCursor } = await pageOf(
      (count, from) => lists.checks(owner, rangeOf(parameters, from), count, now()),
      { limit: parameters.limit, isFiltered },
      (entries) => Promise.all(entries.map(summaryOf)),
    );
    const { readable, unreadable } = splitPage(shown);
    return {
      status: 200,
      headers: pageHeaders(request, nextCursor),
      body: { checks: readable, ...unreadable, nextCursor },
    };
  };

const isClosed = (entry: ListedCheck): entry is CheckSummary => entry.runs !== undefined;

/** Reads the runs of a check that is not closed. Returns undefined if the check was erased meanwhile. */
const readSummary = async (
  store: Deps['store'],
  { id, createdAt }: Position,
  owner: string,
  now: Date,
): Promise<CheckSummary | UnreadableEntry | undefined> => {
  try {
    const found = await store.find(id, owner, now);
    return found && checkSummary(checkView({ ...found.item, runs: found.runs }));
  } catch (error) {
    if (error instanceof UnreadableItemError) return { id, createdAt, unreadable: true };
    throw error;
  }
};
