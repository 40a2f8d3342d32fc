/** How a page is: the first that holds for one of its results. `untold`: it has too few checks, or none since. */
export const standings = ['worse', 'failed', 'better', 'unchanged', 'untold'] as const;
export type Standing = (typeof standings)[number];

/** Orders of the list of pages. */
export const pageOrders = ['score', 'change', 'url'] as const;
export type PageOrder = (typeof pageOrders)[number];
