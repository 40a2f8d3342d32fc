import type { PageList, PageResult } from '../../shared/pages.ts';
import type { Client } from '../api/client.ts';
import type { PageFilters } from '../api/lists.ts';
import { byPlace } from '../words/pages.ts';
import type { Context } from './context.ts';
import { exitCodes, UsageError } from './exit-codes.ts';
import { type PagesFormat, pagesIn } from './formats/pages.ts';
import type { ReadOptions } from './options.ts';
import { labelFilters, reading } from './read.ts';

export type PagesOptions = Pick<ReadOptions, 'data' | 'limit' | 'url' | 'label'> & {
  device?: string[];
  region?: string;
  format: PagesFormat;
};

/** Most results of one answer of the service. */
const MAX_LIMIT = 100;

/** Prints the newest result of each page, device and region, worst first. */
export const pages = (context: Context, options: PagesOptions): Promise<number> => {
  const { limit = Number.POSITIVE_INFINITY, url, device, region, label, format } = options;
  if (limit === 0) throw new UsageError('--limit is 1 or more. Leave it out for all results.');
  const filters = { url, device: device?.[0], region, label: labelFilters(label) };
  return reading(context, options, async (client, server) => {
    const list = await readAll(client, filters, limit, context);
    const isFiltered = Object.values(filters).some((value) => value !== undefined && value.length > 0);
    await context.print(await pagesIn(format, { ...list, isFiltered, server, now: new Date() }, context.view));
    if (list.nextCursor !== null) context.note(`There are more results. Raise --limit, which is ${limit}.`);
    return exitCodes.good;
  });
};

/** Reads the list to its end or to the limit. */
const readAll = async (client: Client, filters: PageFilters, limit: number, { signal }: Context): Promise<PageList> => {
  let found = byPlace<PageResult>([]);
  let cursor: string | undefined;
  for (;;) {
    const part = await client.pages({ ...filters, cursor, limit: Math.min(MAX_LIMIT, limit - found.size) }, { signal });
    found = byPlace([...found.values(), ...part.pages]);
    if (part.nextCursor === null || found.size >= limit)
      return { pages: [...found.values()], nextCursor: part.nextCursor };
    cursor = part.nextCursor;
  }
};
