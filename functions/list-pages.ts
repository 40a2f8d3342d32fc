import { z } from 'zod';
import { ListParameters, matcherOf } from '../shared/list-parameters-schemas.ts';
import { type JudgedPage, judgedPage, lossOf, pageOf, rankOf, standingOf } from '../shared/pages/listed-pages.ts';
import { type PageOrder, type Standing, standings } from '../shared/pages/page-list.ts';
import type { PageList } from '../shared/pages/pages.ts';
import { recordOf } from '../shared/record.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { invalidInput } from './lib/http/input.ts';
import { fromBase64Json, pageHeaders, parseQueryWith } from './lib/http/list-query.ts';
import type { Reply } from './lib/http/response.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type ListedResult, type PageStore, pageStore } from './lib/store/listed-pages.ts';
import { type ListStore, listStore } from './lib/store/lists.ts';

/** GET /v1/pages: returns the caller's pages with their newest results, and how they changed since a time. */
export const handler = http('list-pages', (env) => {
  const db = openDb(env);
  return listPages({ pages: pageStore(db), lists: listStore(db) });
});

type Deps = { pages: PageStore; lists: Pick<ListStore, 'checks'>; now?: () => Date };

export const listPages =
  ({ pages, lists, now = () => new Date() }: Deps) =>
  async (request: Request): Promise<Reply> => {
    const parameters = parseQueryWith(ListParameters.pages.extend({ cursor: Cursor.optional() }), request);
    const { url, sort, limit, cursor } = parameters;
    const { owner } = request;
    const at = now();
    const since = await timeOf(parameters.since, () => timeOfLabel(lists, owner, parameters.since, at), at);
    const { results, cut } = await (url === undefined ? pages.list(owner, at) : pages.ofUrl(owner, url, at));
    const { byEntry, byResult } = matcherOf(parameters);
    const isWanted = ({ page: { newest, ...place } }: ListedResult): boolean =>
      byEntry.matches({ ...newest, ...place });
    const all = groupsOf(results.filter(isWanted), (page) => judgedPage(page, since, at));
    const wanted = all
      .filter(({ results, standing }) => byResult.matches({ ...results[0].page, changed: standing }))
      .map((group) => ({ ...group, key: keysOf[sort](group) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const rest = wanted.filter(({ key }) => cursor === undefined || key > cursor);
    const shown = rest.slice(0, limit);
    const last = shown.at(-1);
    const nextCursor = last && shown.length < rest.length ? cursorOfKey(last.key) : null;
    const body: PageList = {
      pages: shown.map((group) => pageOf(group.results, at)),
      since: since === 'previous' ? since : new Date(since).toISOString(),
      counts: {
        total: all.length,
        ...recordOf(standings, (name) => all.filter(({ standing }) => standing === name).length),
      },
      cut,
      nextCursor,
    };
    return { status: 200, headers: pageHeaders(request, nextCursor), body };
  };

const DAY_MS = 24 * 3600 * 1000;

const timeOf = async (since: string, ofLabel: () => Promise<number>, now: Date): Promise<number | 'previous'> => {
  if (since === 'previous') return since;
  return /^\d+d$/.test(since) ? now.getTime() - Number.parseInt(since, 10) * DAY_MS : await ofLabel();
};

/** Newest checks among which a label is looked for. */
const MAX_CHECKS = 1000;

/** Returns when the newest check with a label was created. */
const timeOfLabel = async (lists: Deps['lists'], owner: string, label: string, now: Date): Promise<number> => {
  const { byEntry } = matcherOf({ label: [label] });
  const { entries } = await lists.checks(owner, {}, MAX_CHECKS, now);
  const found = entries.find((entry) => !('unreadable' in entry) && byEntry.matches(entry));
  if (found) return Date.parse(found.createdAt);
  const message = `None of your newest ${MAX_CHECKS} checks has the label ${label}. Send another label, or a number of days such as 7d.`;
  throw invalidInput([{ path: 'since', message }]);
};

type Group = { pageKey: string; standing: Standing; results: [JudgedPage, ...JudgedPage[]] };

/** Returns the results by page. */
const groupsOf = (results: readonly ListedResult[], judge: (page: ListedResult['page']) => JudgedPage): Group[] => {
  const groups = new Map<string, Omit<Group, 'standing'>>();
  for (const { page, pageKey } of results) {
    const group = groups.get(pageKey);
    if (group) group.results.push(judge(page));
    else groups.set(pageKey, { pageKey, results: [judge(page)] });
  }
  return [...groups.values()].map((group) => ({ ...group, standing: standingOf(group.results) }));
};

/** Highest loss of points, so that a larger loss has a smaller key. */
const MAX_LOSS = 100;

/** Returns the place of a page in each order, as a text. */
const keysOf: Record<PageOrder, (group: Group) => string> = {
  score: ({ results, pageKey }) => {
    const worst = Math.min(...results.map(rankOf));
    return `${String(worst).padStart(4, '0')}#${pageKey}`;
  },
  change: ({ standing, results, pageKey }) => {
    const loss = Math.min(MAX_LOSS, Math.max(-MAX_LOSS, lossOf(results)));
    return `${standings.indexOf(standing)}#${(MAX_LOSS - loss).toFixed(2).padStart(6, '0')}#${pageKey}`;
  },
  url: ({ results, pageKey }) => `${results[0].page.url}#${pageKey}`,
};

/** A cursor holds a place in the list and no owner, so a forged one stays within its owner's list. */
const cursorOfKey = (key: string): string => Buffer.from(JSON.stringify([key])).toString('base64url');

const Cursor = z.string().transform((text, context): string => {
  const parsed = z.tuple([z.string().regex(/#[0-9a-f]{64}$/)]).safeParse(fromBase64Json(text));
  if (parsed.success) return parsed.data[0];
  context.addIssue('invalid');
  return z.NEVER;
});
