import type { Page, PageList, PageResult } from '../../shared/pages/pages.ts';
import { pick } from '../../shared/pick.ts';
import type { Schedule, ScheduleList } from '../../shared/schedules.ts';
import type { CheckSummary } from '../../shared/summaries.ts';
import type { CheckList } from '../api/lists.ts';
import { failureText, pageChangeWords, pagesHeadline } from '../words/pages.ts';
import { everyText, lastText } from '../words/schedules.ts';
import { slowestInteraction } from '../words/slowest-interaction.ts';
import { unreadableNote } from '../words/words.ts';
import { bytesOf, fitted, MAX_BYTES, withShortTexts } from './fit.ts';
import { checkPage } from './pages.ts';

const DEFAULT_LISTED = 10;
export const MAX_LISTED = 20;

/** Returns one page of a list. Without a limit, reads fewer entries until they fit, so that `nextCursor` skips none. */
export const listed = async <Page>(
  read: (count: number) => Promise<Page>,
  answerOf: (page: Page, count?: number) => object,
  limit: number | undefined,
): Promise<object> => {
  const page = await read(limit ?? DEFAULT_LISTED);
  if (limit !== undefined || bytesOf(answerOf(page)) <= MAX_BYTES) return answerOf(page);
  let count = DEFAULT_LISTED;
  while (count > 1 && bytesOf(answerOf(page, count)) > MAX_BYTES) count -= 1;
  const fewer = answerOf(await read(count));
  return (
    [500, 200, 50].map((length) => withShortTexts(fewer, length)).find((each) => bytesOf(each) <= MAX_BYTES) ?? fewer
  );
};

export const checksAnswer =
  (site: string) =>
  ({ checks, unreadable, nextCursor }: CheckList, count?: number) => ({
    checks: checks.slice(0, count).map((check) => listedCheck(check, site)),
    ...(unreadable && { unreadable, note: unreadableNote(unreadable) }),
    nextCursor,
  });

const listedCheck = (check: CheckSummary, site: string) => ({
  checkId: check.id,
  ...pick(check, ['url', 'state', 'auditVersion', 'device', 'labels', 'createdAt']),
  ...(check.assertionsPassed !== null && { assertionsPassed: check.assertionsPassed }),
  page: checkPage(site, check.id),
  runs: check.runs.map(({ id, ...run }) => ({ runId: id, ...run })),
});

/** Returns pages, those that changed most first, under the sentence that says how many got worse. */
export const pagesAnswer =
  (site: string, since?: string) =>
  ({ pages, counts, cut, nextCursor }: PageList, count?: number) => ({
    summary: pagesHeadline({ counts, cut }, since),
    total: counts.total,
    pages: pages.slice(0, count).map((page) => listedPage(page, site)),
    nextCursor,
  });

const listedPage = ({ url, changed, results }: Page, site: string) => {
  const first = results.find(({ change }) => change?.verdict === 'regressed') ?? results[0];
  return { url, changed, results: results.map(listedResult), ...(first && { page: site + first.links.page }) };
};

const listedResult = (result: PageResult) => {
  const { id, checkId, state, change, links } = result;
  const slowest = slowestInteraction(result);
  return {
    ...pick(result, ['region', 'device']),
    ...(state === 'failed' && { state, error: failureText(result) }),
    ...(state !== 'failed' && pick(result, ['performance', 'lcp', 'tbt', 'cls'])),
    ...(slowest && { slowestInteraction: slowest.text }),
    ...pick(result, ['createdAt']),
    ...(result.contended && { contended: true }),
    ...(state !== 'failed' && { change: changeOf(result) }),
    ...(change?.changedAt && { ...pick(change, ['changedAt', 'checkId', 'baseCheckId']) }),
    ...(!change?.changedAt && links.check && { checkId }),
    ...(links.self && { runId: id }),
  };
};

/** Returns the change in words: each metric that changed, or why nobody can say. */
const changeOf = (result: PageResult): string => {
  const { verdict, text, metrics } = pageChangeWords(result);
  return metrics.length > 0 ? `${verdict}: ${metrics.join(', ')}` : text;
};

/** Returns the schedules, which the service lists all at once. */
export const schedulesAnswer = ({ schedules }: ScheduleList, site: string, limit?: number): object => {
  const build = (rows: number) => ({
    page: `${site}/schedules`,
    schedules: schedules.slice(0, rows).map(listedSchedule),
    ...(rows < schedules.length && { more: schedules.length - rows }),
  });
  return fitted({ build, rows: schedules.length, limit });
};

const listedSchedule = ({ id, name, check, every, nextAt, pausedAt, last }: Schedule) => ({
  scheduleId: id,
  name,
  ...pick(check, ['url', 'regions', 'device']),
  every: everyText(every),
  nextAt,
  ...(pausedAt && { pausedAt }),
  last: lastText({ last }),
  ...(last?.checkId && { lastCheckId: last.checkId }),
});
