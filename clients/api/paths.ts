/* Paths and queries of the API. */

export const checkPath = (checkId: string): string => `/v1/checks/${encodeURIComponent(checkId)}`;
export const runOfCheckPath = (checkId: string, runId: string): string =>
  `${checkPath(checkId)}/runs/${encodeURIComponent(runId)}`;
export const schedulePath = (id: string): string => `/v1/schedules/${encodeURIComponent(id)}`;
export const runPath = (runId: string): string => `/v1/audit/runs/${encodeURIComponent(runId)}`;

/** Returns the query of a URL. A list repeats its name, and an undefined value has none. */
export const queryOf = (values: Readonly<Record<string, number | string | readonly string[] | undefined>>): string => {
  const pairs = Object.entries(values).flatMap(([name, value = []]) => [value].flat().map((each) => [name, `${each}`]));
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
};

/**
 * How a base is compared: the number of checks with its label that are pooled, further checks that count together with the
 * check, and the differences that were meant.
 */
export type BaseOptions = {
  pool?: number | undefined;
  again?: readonly string[] | undefined;
  intended?: readonly string[] | undefined;
};

/** Returns the query of a comparison. */
export const baseQuery = ({ base, pool, again, intended }: BaseOptions & { base?: string | undefined }): string =>
  queryOf({ base, pool, again: again?.join(), intended: intended?.join() });
