import type { ListName, ParameterOf } from '../../shared/list-parameters.ts';
import type { CheckSummary } from '../../shared/summaries.ts';

/** One page of checks. `unreadable` has the ids of checks whose stored data can't be read. */
export type CheckList = { checks: CheckSummary[]; unreadable?: string[]; nextCursor: string | null };

/** Query parameters of a list. A label is `name:value`. */
type FiltersOf<List extends ListName> = { limit?: number | undefined; label?: readonly string[] | undefined } & {
  [Name in Exclude<ParameterOf<List>, 'limit' | 'label'>]?: string | undefined;
};
export type ListFilters = FiltersOf<'checks'>;
export type PageFilters = FiltersOf<'pages'>;
