import type { CheckView } from '../../../shared/check.ts';
import type { CheckSummary } from '../../../shared/summaries.ts';
import type { Client } from '../../api/client.ts';
import type { ListFilters } from '../../api/lists.ts';
import { UsageError } from '../exit-codes.ts';
import type { RunOptions } from '../flags/options.ts';
import { baseParameter, UUID } from './base.ts';

/** Label that names a page whose path differs between two hosts. */
const PAGE = 'page';
/** Most pages of a list that the search for a label reads, with 100 checks each. */
const MAX_LISTS = 10;

/** Where the bases of checks are: another host, and the label that `--base` names. */
export type BaseHost = { origin: string; label: string | undefined };

/** Returns the host of `--base-url`. Throws a UsageError for options that it can't be used with. */
export const baseHostFrom = (
  { baseUrl, base, pool, label }: Pick<RunOptions, 'baseUrl' | 'base' | 'pool' | 'label'>,
  urls: readonly string[],
): BaseHost | undefined => {
  if (baseUrl === undefined) return undefined;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new UsageError(
      `${baseUrl} is no host. Use --base-url with a URL without a path, such as https://www.example.com. For other paths, use the label page.`,
    );
  }
  if (base !== undefined && UUID.test(base)) {
    throw new UsageError(
      '--base-url looks for the check of each page. Leave out --base, or give a label such as branch=main.',
    );
  }
  if (pool !== undefined)
    throw new UsageError('--pool is for a label of --base, and --base-url finds one check. Use one.');
  if (label?.[PAGE] !== undefined && urls.length > 1) {
    throw new UsageError('The label page names one page. Run the command for each page, or leave out the label.');
  }
  return { origin: url.origin, label: base === undefined ? undefined : labelOf(base) };
};

/** Returns the label of a base as a list takes it, such as `branch:main`. */
const labelOf = (base: string): string => baseParameter(base).replace('label:', '').replace('=', ':');

/** Returns the id of the newest finished check of the same page on the other host, or why there is none. */
export const findBaseOn = async (
  client: Client,
  check: CheckView,
  { origin, label }: BaseHost,
  signal: AbortSignal,
): Promise<{ base: string } | { problem: string }> => {
  const { device = 'mobile', labels = {} } = check;
  const page = labels[PAGE];
  const { pathname, search } = new URL(check.url);
  const url = `${origin}${pathname}${search}`;
  const filters: ListFilters = {
    ...(page === undefined && { url }),
    label: [...(page === undefined ? [] : [`${PAGE}:${page}`]), ...(label === undefined ? [] : [label])],
  };
  const isBase = (found: CheckSummary) => found.id !== check.id && new URL(found.url).origin === origin;
  const found = await firstOf(client, { ...filters, device, state: 'succeeded' }, isBase, signal);
  if (found) return { base: found.id };
  const other = await firstOf(client, filters, isBase, signal);
  const where = page === undefined ? url : `a page of ${origin} with the label ${PAGE}=${page}`;
  const labelled = label === undefined ? '' : ` with the label ${label.replace(':', '=')}`;
  const reason = other
    ? `The newest check of ${where}${labelled} is on ${other.device ?? 'mobile'} and in the state ${other.state}, and a base needs one on ${device} that succeeded.`
    : `The service has no check of ${where}${labelled}.`;
  const advice =
    page === undefined ? `Audit it first: page-audit run ${url}` : `Audit it first, with --label ${PAGE}=${page}.`;
  return { problem: `${check.url} is compared with nothing. ${reason} ${advice}` };
};

/** Returns the newest check of a list that matches. A search by a label reads further pages of the list. */
const firstOf = async (
  client: Client,
  filters: ListFilters,
  matches: (check: CheckSummary) => boolean,
  signal: AbortSignal,
): Promise<CheckSummary | undefined> => {
  let cursor: string | undefined;
  for (let i = 0; i < MAX_LISTS; i += 1) {
    const { checks, nextCursor } = await client.list({ ...filters, limit: 100, cursor }, { signal });
    const found = checks.find(matches);
    if (found || nextCursor === null) return found;
    cursor = nextCursor;
  }
  return undefined;
};
