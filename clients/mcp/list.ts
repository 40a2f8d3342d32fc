import { pick } from '../../shared/pick.ts';
import type { CheckSummary } from '../../shared/summaries.ts';
import type { Client } from '../api/client.ts';
import type { CheckList, ListFilters } from '../api/lists.ts';
import { unreadableNote } from '../words/words.ts';
import { bytesOf, MAX_BYTES, withShortTexts } from './fit.ts';
import { checkPage } from './pages.ts';

const DEFAULT_LISTED = 10;
export const MAX_LISTED = 20;

type Options = { site: string; limit: number | undefined; signal: AbortSignal };

/** Returns one page of checks. Without a limit, reads fewer checks until they fit, so that `nextCursor` skips none. */
export const listAnswer = async (
  client: Client,
  filters: ListFilters,
  { site, limit, signal }: Options,
): Promise<object> => {
  const page = await client.list({ ...filters, limit: limit ?? DEFAULT_LISTED }, { signal });
  const answer = answerOf(page, site);
  if (limit !== undefined || bytesOf(answer) <= MAX_BYTES) return answer;
  let count = page.checks.length;
  while (count > 1 && bytesOf(answerOf({ ...page, checks: page.checks.slice(0, count) }, site)) > MAX_BYTES) count -= 1;
  const fewer = answerOf(await client.list({ ...filters, limit: Math.max(count, 1) }, { signal }), site);
  return (
    [500, 200, 50].map((length) => withShortTexts(fewer, length)).find((each) => bytesOf(each) <= MAX_BYTES) ?? fewer
  );
};

const answerOf = ({ checks, unreadable, nextCursor }: CheckList, site: string) => ({
  checks: checks.map((check) => listed(check, site)),
  ...(unreadable && { unreadable, note: unreadableNote(unreadable) }),
  nextCursor,
});

const listed = (check: CheckSummary, site: string) => ({
  checkId: check.id,
  ...pick(check, ['url', 'state', 'auditVersion', 'device', 'labels', 'createdAt']),
  ...(check.assertionsPassed !== null && { assertionsPassed: check.assertionsPassed }),
  page: checkPage(site, check.id),
  runs: check.runs.map(({ id, ...run }) => ({ runId: id, ...run })),
});
