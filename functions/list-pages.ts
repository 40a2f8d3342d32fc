import { z } from 'zod';
import { type ListedPage, pageResult } from '../shared/pages.ts';
import type { Request } from './lib/http/endpoint.ts';
import { http } from './lib/http/http.ts';
import { fromBase64Json, matcherOf, pageHeaders, parseQueryWith } from './lib/http/list-query.ts';
import { orderedPageOf } from './lib/http/page.ts';
import type { Reply } from './lib/http/response.ts';
import { openDb } from './lib/store/dynamodb.ts';
import { type PageStore, pageStore } from './lib/store/listed-pages.ts';

/** GET /v1/pages: returns the newest finished result of each URL, device and region of the caller, the worst first. */
export const handler = http('list-pages', (env) => listPages({ pages: pageStore(openDb(env)) }));

export const listPages =
  ({ pages, now = () => new Date() }: { pages: PageStore; now?: () => Date }) =>
  async (request: Request): Promise<Reply> => {
    const parameters = parseQueryWith(Cursor, request);
    const { url, region, limit, cursor } = parameters;
    const { matches, isFiltered } = matcherOf(parameters);
    const isWanted = ({ newest, region: of, ...place }: ListedPage): boolean =>
      matches({ ...newest, ...place }) && (region === undefined || of === region);
    const at = now();
    const { shown, nextCursor } = await orderedPageOf(
      (count, from = cursor) =>
        url === undefined ? pages.list(request.owner, from, count, at) : pages.ofUrl(request.owner, url, from, at),
      { limit, isFiltered: isFiltered || region !== undefined, keyOf: ({ listKey }) => listKey, cursorOfKey },
      async (entries) => entries.map(({ page }) => (isWanted(page) ? pageResult(page, at) : undefined)),
    );
    return { status: 200, headers: pageHeaders(request, nextCursor), body: { pages: shown, nextCursor } };
  };

/** A cursor holds a place in the list and no owner, so a forged one stays within its owner's list. */
const cursorOfKey = (listKey: string): string => Buffer.from(JSON.stringify([listKey])).toString('base64url');

const Key = z.string().regex(/^\d{3}#[0-9a-f]{64}#[a-z0-9-]{1,64}#[a-z0-9-]{1,64}$/);
const Cursor = z.string().transform((text, context): string => {
  const parsed = z.tuple([Key]).safeParse(fromBase64Json(text));
  if (parsed.success) return parsed.data[0];
  context.addIssue('invalid');
  return z.NEVER;
});
