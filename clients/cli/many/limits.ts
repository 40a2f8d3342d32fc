/** Most pages of a sitemap without `--limit`, so that a large one does not start thousands of audits. */
export const DEFAULT_LIMIT = 50;

/** Time limits of `run` without `--timeout`, for named pages and for many pages, in seconds. */
export const TIMEOUT = 900;
export const TIMEOUT_OF_MANY = 3600;
