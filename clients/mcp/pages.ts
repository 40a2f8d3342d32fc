type Compared = { checkId: string; baseCheckId: string | null };

/** Returns the address of a check's page for people. `site` is the address of the service. */
export const checkPage = (site: string, checkId: string): string => `${site}/checks/${checkId}`;
export const runPage = (site: string, checkId: string, runId: string): string =>
  `${checkPage(site, checkId)}/runs/${runId}`;

/** Returns the address of the page that compares two checks, or the regions or variants of one. */
export const comparisonPage = (site: string, { checkId, baseCheckId }: Compared): string =>
  baseCheckId === null || baseCheckId === checkId
    ? checkPage(site, checkId)
    : `${site}/comparisons/${baseCheckId}...${checkId}`;
