import { stringify } from 'csv-stringify/sync';
import { matcherOf } from '../shared/list-parameters-schemas.ts';
import { csvOptions, csvRow, dayCsvOptions } from '../shared/run-csv.ts';
import { dayOf, medianRuns } from '../shared/runs-of-day.ts';
import { runSummary } from '../shared/summaries.ts';
import { historyOfPage } from './lib/field-data/history.ts';
import { pageOfDays } from './lib/http/day-page.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput } from './lib/http/input.ts';
import { pageHeaders, parseRunList, rangeOf } from './lib/http/list-query.ts';
import { listFormOf } from './lib/http/negotiation.ts';
import { isUnreadable, pageOf, splitPage } from './lib/http/page.ts';
import type { Reply } from './lib/http/response.ts';
import { exportRuns } from './lib/http/run-export.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type FieldDataStore, fieldDataStore } from './lib/store/field-data.ts';
import { type ListedRun, type ListStore, listStore, type UnreadableEntry } from './lib/store/lists.ts';

/** GET /v1/runs: returns one page of the runs of a URL's closed checks with their metrics, newest first, as JSON or CSV. With `every=day` it returns their medians by day. As NDJSON it returns the runs of all URLs, oldest first. */
export const handler = http('list-runs', (env) => {
  const db = openDb(env);
  return listRuns({ lists: listStore(db), fieldData: env.FIELD_DATA === 'on' ? fieldDataStore(db) : undefined });
});

type Deps = {
  lists: ListStore;
  /** Answers of Chrome UX Report. Without them, a list has no history of field data. */
  fieldData?: Pick<FieldDataStore, 'find'> | undefined;
  now?: () => Date;
};

export const listRuns =
  ({ lists, fieldData, now = () => new Date() }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const form = listFormOf(request.headers.accept);
    if (form === 'ndjson') return exportRuns(request, lists, now());
    const parameters = parseRunList(request);
    const { url, limit, every } = parameters;
    if (url === undefined)
      throw invalidInput([
        {
          path: 'url',
          message: 'Send the `url` whose runs you want. Send `Accept: application/x-ndjson` for the runs of all URLs.',
        },
      ]);
    const { filters, byEntry, byResult } = matcherOf(parameters);
    // No filter can judge an unreadable entry. Trends always have a device, so it counts to both devices.
    const isAlone = filters.every((name) => name === 'url' || name === 'device');
    const isWanted = (entry: Entry) =>
      isUnreadable(entry) ? isAlone : byEntry.matches(entry) && byResult.matches(entry);
    const read = (count: number, from: string | undefined) =>
      lists.runs(request.owner, url, rangeOf(parameters, from), count, now());
    const summaryOf = <Run extends ListedRun>(run: Run) => runSummary(run, { isExpired: isExpired(run, now()) });
    const { shown, nextCursor } = every
      ? await pageOfDays(read, limit, isWanted)
      : await pageOf(read, { limit, isFiltered: true }, async (entries) =>
          entries.map((entry) => (isWanted(entry) ? entry : undefined)),
        );
    const { readable: runs, unreadable } = splitPage(shown.toSorted(byCheck));
    const readable = every
      ? [...Map.groupBy(runs, dayOf).values()]
          .flatMap(medianRuns)
          .map(({ day, ...run }) => ({ ...summaryOf(run), day }))
      : runs.map(summaryOf);
    const headers = { vary: 'Accept', ...pageHeaders(request, nextCursor) };
    if (form === 'json') {
      const isFirst = parameters.cursor === undefined && readable.length > 0; // a page that the owner has not audited says nothing
      const fieldHistory = fieldData && isFirst ? await historyOfPage(fieldData, url, parameters.device) : null;
      return {
        status: 200,
        headers,
        body: { runs: readable, ...unreadable, ...(fieldHistory && { fieldHistory }), nextCursor },
      };
    }
    return {
      status: 200,
      headers: { ...headers, 'content-type': 'text/csv; charset=utf-8; header=present' },
      body: Buffer.from(stringify(readable.map(csvRow), every ? dayCsvOptions : csvOptions)),
    };
  };

type Entry = ListedRun | UnreadableEntry;

/** Sorts runs, newest first. Those of one check are in the order of its regions. */
const byCheck = (a: Entry, b: Entry): number =>
  b.createdAt.localeCompare(a.createdAt) ||
  (isUnreadable(a) || isUnreadable(b) ? 0 : b.checkId.localeCompare(a.checkId) || a.position - b.position);

const isExpired = ({ runExpiresAt }: ListedRun, now: Date): boolean => runExpiresAt * 1000 < now.getTime();
