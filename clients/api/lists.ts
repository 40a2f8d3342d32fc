import type { ListParameter, PageParameter } from '../../shared/list-parameters.ts';
import type { CheckSummary } from '../../shared/summaries.ts';

/** One page of checks. `unreadable` has the ids of checks whose stored data can't be read. */
export type CheckList = { checks: CheckSummary[]; unreadable?: string[]; nextCursor: string | null };

/** Query parameters of the list of checks. A label is `name:value`. */
export type ListFilters = { limit?: number | undefined; label?: readonly string[] | undefined } & {
  [Name in Exclude<ListParameter, 'limit' | 'label' | 'region' | 'every'>]?: string | undefined;
};

/** Query parameters of the list of pages. */
export type PageFilters = { limit?: number | undefined; label?: readonly string[] | undefined } & {
  [Name in Exclude<PageParameter, 'limit' | 'label'>]?: string | undefined;
};
