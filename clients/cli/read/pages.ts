import type { Page, PageList } from '../../../shared/pages/pages.ts';
import type { Client } from '../../api/client.ts';
import type { PageFilters } from '../../api/lists.ts';
import { uniquePages } from '../../words/pages.ts';
import type { Context } from '../context.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import type { ReadOptions } from '../flags/options.ts';
import { hasOnePlace } from '../run/result.ts';
import { filtersFrom } from './filter-flags.ts';
import { type PagesFormat, pagesIn } from './pages-text.ts';
import { reading } from './read.ts';

export type PagesOptions = Pick<ReadOptions, 'data' | 'limit'> & { since: string; sort: string; format: PagesFormat };

/** Most pages of one answer of the service. */
const MAX_LIMIT = 1000;

/** Prints the pages with their newest results, those that changed most first. */
export const pages = (context: Context, options: PagesOptions): Promise<number> => {
  const { limit = Number.POSITIVE_INFINITY, since, sort, format } = options;
  if (limit === 0) throw new UsageError('--limit is 1 or more. Leave it out for all pages.');
  const filters = filtersFrom('pages', options);
  return reading(context, options, async (client, server) => {
    const list = await readAll(client, { ...filters, since: since.replace('=', ':'), sort }, limit, context);
    const isFiltered = Object.keys(filters).length > 0;
    const isOnePlace = (format === 'text' || format === 'markdown') && (await hasOnePlace(client, context.signal));
    const shown = { ...list, isFiltered, isOnePlace, server, now: new Date(), sent: since };
    await context.print(await pagesIn(format, shown, context.view));
    if (list.nextCursor !== null) context.note(`There are more pages. Raise --limit, which is ${limit}.`);
    return exitCodes.good;
  });
};

/** Reads the list to its end or to the limit. */
const readAll = async (client: Client, filters: PageFilters, limit: number, { signal }: Context): Promise<PageList> => {
  let found: Page[] = [];
  let cursor: string | undefined;
  for (;;) {
    const part = await client.pages(
      { ...filters, cursor, limit: Math.min(MAX_LIMIT, limit - found.length) },
      { signal },
    );
    found = uniquePages([...found, ...part.pages]);
    if (part.nextCursor === null || found.length >= limit) return { ...part, pages: found };
    cursor = part.nextCursor;
  }
};
