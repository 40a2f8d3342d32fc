import { MAX, NIL } from 'uuid';
import type { z } from 'zod';
import { ListParameters, matcherOf } from '../../../shared/list-parameters-schemas.ts';
import { type RunSummary, runSummary } from '../../../shared/summaries.ts';
import { settleAll } from '../settle-all.ts';
import { type ListedCheck, type ListStore, listKeyOf, type Position, type UnreadableEntry } from '../store/lists.ts';
import type { Request } from './endpoint.ts';
import { Cursor, cursorOf, pageHeaders, parseQueryWith } from './list-query.ts';
import { NDJSON } from './negotiation.ts';
import { isUnreadable } from './page.ts';
import type { Reply } from './response.ts';

/** Time until an export shows a new check: a create has 10 s to write it, and the index has the rest to show it. */
export const EXPORT_DELAY_MS = 30_000;
/** Size of an answer in bytes after which it ends. Lambda's limit is 6 MB. */
const MAX_BYTES = 3 * 1024 * 1024;
/** Most checks that an answer reads. A filter may drop all of them. */
const MAX_CHECKS = 1000;
const CHECKS_AT_ONCE = 50;
const READS_AT_ONCE = 16;

type Lists = Pick<ListStore, 'checks' | 'runsOfCheck'>;
type Entry = ListedCheck | UnreadableEntry;

/**
 * Returns the runs of all closed checks as NDJSON, those of the oldest check first. The answer ends before the oldest check
 * that is not closed. So a reader that goes on with the cursor gets each run once.
 */
export const exportRuns = async (request: Request, lists: Lists, now: Date): Promise<Reply> => {
  const parameters = parseQueryWith(ListParameters.export.extend({ cursor: Cursor.optional() }), request);
  const { owner } = request;
  const before = beforeOf(parameters, now);
  const rowsOf = rowReader(lists, owner, parameters);
  const lines: string[] = [];
  let [bytes, checks] = [0, 0];
  let position = startOf(parameters);

  const read = async (): Promise<string> => {
    while (checks < MAX_CHECKS) {
      const range = { after: listKeyOf(position), before };
      const { entries, last, more } = await lists.checks(owner, range, CHECKS_AT_ONCE, now, 'oldest first');
      const open = entries.find(isOpen);
      const closed = open ? entries.slice(0, entries.indexOf(open)) : entries;
      const rows = await rowsOf(closed);
      for (const [i, entry] of closed.entries()) {
        const texts = (rows[i] ?? []).map((row) => `${JSON.stringify(row)}\n`);
        lines.push(...texts);
        bytes += Buffer.byteLength(texts.join(''));
        position = entry;
        if (lines.length >= parameters.limit || bytes >= MAX_BYTES) return 'limit';
      }
      if (open) return `unfinished-check ${open.id}`;
      if (!more || last === undefined) return 'end';
      position = positionOf(last); // the last entries may have expired
      checks += CHECKS_AT_ONCE;
    }
    return 'limit';
  };
  const endedBy = await read();
  const next = cursorOf(position);
  const headers = {
    vary: 'Accept',
    'content-type': NDJSON,
    'next-cursor': next,
    'run-count': String(lines.length),
    'export-ended-by': endedBy,
    ...pageHeaders(request, endedBy === 'limit' ? next : null),
  };
  return { status: 200, headers, body: lines.join('') };
};

type Parameters = Omit<z.output<typeof ListParameters.export>, 'cursor'> & { cursor?: Position | undefined };

/** Returns the sort key before which the export ends. */
const beforeOf = ({ createdBefore }: Parameters, now: Date): string => {
  const visible = new Date(now.getTime() - EXPORT_DELAY_MS).toISOString();
  return createdBefore !== undefined && createdBefore < visible ? createdBefore : visible;
};

/** Returns the position after which the export begins. It has a cursor even if the export finds nothing. */
const startOf = ({ cursor, createdAfter }: Parameters): Position => {
  const start =
    createdAfter === undefined
      ? { createdAt: new Date(0).toISOString(), id: NIL }
      : { createdAt: createdAfter, id: MAX };
  return cursor && listKeyOf(cursor) > listKeyOf(start) ? cursor : start;
};

const positionOf = (listKey: string): Position => {
  const [createdAt = '', id = ''] = listKey.split('#');
  return { createdAt, id };
};

const isOpen = (entry: Entry): boolean => !isUnreadable(entry) && entry.runs === undefined;

type Row =
  | Omit<RunSummary, 'links'>
  | (UnreadableEntry & { checkId: string })
  | { checkId: string; createdAt: string; unreadable: true };

/** Returns a function that returns the wanted rows of each check. A row never changes, so it has no links, which expire. */
const rowReader = (lists: Lists, owner: string, parameters: Parameters) => {
  const ofCheck = matcherOf({ ...parameters, region: undefined }).byEntry;
  const { filters, byEntry: ofRun } = matcherOf(parameters);
  const ifUnfiltered = (row: Row): Row[] => (filters.length === 0 ? [row] : []); // no filter can judge an unreadable entry
  const rowsOfCheck = async (entry: Entry): Promise<Row[]> => {
    const { id: checkId, createdAt } = entry;
    if (isUnreadable(entry)) return ifUnfiltered({ checkId, createdAt, unreadable: true });
    if (!ofCheck.matches(entry)) return [];
    return (await lists.runsOfCheck(owner, checkId)).flatMap((run) => {
      if (isUnreadable(run)) return ifUnfiltered({ ...run, checkId });
      if (!ofRun.matches(run)) return [];
      const { links: _, ...row } = runSummary(run, { isExpired: false });
      return [row];
    });
  };
  return async (checks: readonly Entry[]): Promise<Row[][]> =>
    (await settleAll(checks, READS_AT_ONCE, rowsOfCheck)).map((read) => {
      if (read.status === 'rejected') throw read.reason;
      return read.value;
    });
};
