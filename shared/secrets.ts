/** How an audit gets past a login. The secrets of a check never reach its item, its jobs, a log or a report. */
export type Secrets = {
  /** Headers of each request to the origin of the check's URL. */
  headers?: Record<string, string> | undefined;
  /** Credentials for the origin of the check's URL. */
  basicAuth?: { username: string; password: string } | undefined;
  cookies?: Cookie[] | undefined;
  storageState?: StorageState | undefined;
};

/** A cookie in the form of Playwright. */
export type Cookie = {
  name: string;
  value: string;
  domain: string;
  path?: string | undefined;
  secure?: boolean | undefined;
  httpOnly?: boolean | undefined;
  sameSite?: 'Strict' | 'Lax' | 'None' | undefined;
  /** Seconds since 1970. Without it, or with -1, the cookie ends with the browser. */
  expires?: number | undefined;
};

/** Entry of localStorage or of sessionStorage. */
export type StorageEntry = { name: string; value: string };

/** The file that Playwright's `context.storageState()` writes. `sessionStorage` is an addition of ours. */
export type StorageState = {
  cookies: Cookie[];
  origins: { origin: string; localStorage: StorageEntry[]; sessionStorage?: StorageEntry[] | undefined }[];
};
