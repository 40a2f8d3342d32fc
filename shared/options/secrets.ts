import { MAX_TYPED_LENGTH } from '../interactions/interactions.ts';

/** How an audit gets past a login. The secrets of a check never reach its item, its jobs, a log or a report. */
export type Secrets = {
  /** Headers of each request to the origin of the check's URL. */
  headers?: Record<string, string> | undefined;
  /** Credentials for the origin of the check's URL. */
  basicAuth?: { username: string; password: string } | undefined;
  cookies?: Cookie[] | undefined;
  storageState?: StorageState | undefined;
  /** Texts that steps of interactions type, by their names. */
  secretTexts?: Record<string, string> | undefined;
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

/** Control characters, for a pattern. Generated clients have no flag `u`, which the name of the class would need. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f';
/** Returns the form of a text without control characters and these ones. */
export const textWithout = (characters: string): RegExp => new RegExp(`^[^${CONTROLS}${characters}]*$`);

/** Forms of the texts of a cookie. */
export const cookieForms = {
  name: new RegExp(`^[^${CONTROLS};=]+$`),
  value: textWithout(';'),
  domain: /^\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^\[[0-9a-f:.]+\]$/i,
  path: new RegExp(`^/[^${CONTROLS};]*$`),
} as const;

/** Entry of localStorage or of sessionStorage. */
export type StorageEntry = { name: string; value: string };

/** A database of IndexedDB in the form of Playwright. A value that JSON lacks, such as a date, is encoded. */
export type IndexedDatabase = {
  name: string;
  version: number;
  stores: {
    name: string;
    autoIncrement: boolean;
    keyPath?: string | undefined;
    keyPathArray?: string[] | undefined;
    records: { key?: unknown; keyEncoded?: unknown; value?: unknown; valueEncoded?: unknown }[];
    indexes: {
      name: string;
      keyPath?: string | undefined;
      keyPathArray?: string[] | undefined;
      multiEntry: boolean;
      unique: boolean;
    }[];
  }[];
};

/** The file that Playwright's `context.storageState()` writes. `sessionStorage` is an addition of ours. */
export type StorageState = {
  cookies: Cookie[];
  origins: {
    origin: string;
    localStorage: StorageEntry[];
    sessionStorage?: StorageEntry[] | undefined;
    indexedDB?: IndexedDatabase[] | undefined;
  }[];
};

/** Names of the secrets among the inputs of a create. The first ones let a page load. */
export const loginNames = ['headers', 'basicAuth', 'cookies', 'storageState'] as const;
export const secretNames = [...loginNames, 'secretTexts'] as const;
export type SecretName = (typeof secretNames)[number];

/** Names of the secrets that a check was created with. Answers show them, and never a value. */
export type NamedSecrets = {
  headers?: string[] | undefined;
  basicAuth?: true | undefined;
  cookies?: string[] | undefined;
  storageState?: { cookies: string[]; origins: string[] } | undefined;
  secretTexts?: string[] | undefined;
};

export const MAX_HEADERS = 20;
export const MAX_SECRET_TEXTS = 10;
/** Length below which a value is no secret. Shorter ones, such as `dark` or `true`, occur everywhere. */
export const MIN_SECRET_LENGTH = 6;
/** Form of the name of a secret text. */
export const textName = /^[a-z0-9._-]{1,32}$/;
/** Cookies that Chromium keeps for one site. */
export const MAX_COOKIES = 180;
/** Size of all secrets of a check together, as JSON in UTF-8. */
export const MAX_SECRET_BYTES = 64 * 1024;
/** Levels of lists and objects in a value of IndexedDB. */
export const MAX_VALUE_DEPTH = 100;

/** Days after which the service deletes secrets, also those of an open check. */
export const SECRET_DAYS = 2;

/** Returns true if a text has the form of a header's name. */
export const isHeaderName = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/i.test(text);

/** Headers that describe a connection or its message. The browser sets them itself. */
const FORBIDDEN_HEADERS =
  /^(host|cookie2?|connection|keep-alive|content-(length|encoding)|transfer-encoding|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/i;

/** Returns true if a check must not set a header with this name. */
export const isForbiddenHeader = (name: string): boolean => FORBIDDEN_HEADERS.test(name);

export const acceptedHeaders = `The headers must be an object with up to ${MAX_HEADERS} names, each once and each with a text of printable ASCII characters. The names host, connection and proxy-*, and those of other headers of a connection, are not accepted. Send a cookie header as cookies.`;
export const acceptedBasicAuth =
  'The basicAuth must be an object with a username and a password, both texts without control characters. The username must not be empty or have a colon.';
const ofCookie =
  'Each must have a name that is not empty, a value and a domain, all without control characters and ";", and may have path, secure, httpOnly, sameSite (Strict, Lax or None) and expires (seconds since 1970, or -1).';
export const acceptedCookies = `The cookies must be a list of up to ${MAX_COOKIES} cookies. ${ofCookie}`;
export const acceptedStorageState = `The storageState must be the object that Playwright's context.storageState() returns: cookies, a list of up to ${MAX_COOKIES}, and origins, a list with an origin, its localStorage and maybe its sessionStorage, both lists of a name and a value. An origin may have IndexedDB databases as Playwright writes them. ${ofCookie}`;

export const acceptedSecretTexts = `The secretTexts must be an object with up to ${MAX_SECRET_TEXTS} names of 1 to 32 of a-z, 0-9, ., _ and -, each with a text of ${MIN_SECRET_LENGTH} to ${MAX_TYPED_LENGTH} characters without control characters. Type a shorter text as a plain text: nobody can tell it from others in a report.`;

/** Returns the names of some secrets. Names of headers are in lower case. */
export const namesOfSecrets = ({ headers, basicAuth, cookies, storageState, secretTexts }: Secrets): NamedSecrets => ({
  ...(headers && { headers: Object.keys(headers).map((name) => name.toLowerCase()) }),
  ...(basicAuth && { basicAuth: true as const }),
  ...(cookies && { cookies: namesOf(cookies) }),
  ...(storageState && {
    storageState: {
      cookies: namesOf(storageState.cookies),
      origins: storageState.origins.map(({ origin }) => origin),
    },
  }),
  ...(secretTexts && { secretTexts: Object.keys(secretTexts) }),
});

const namesOf = (cookies: readonly Cookie[]): string[] => [...new Set(cookies.map(({ name }) => name))];

/** Returns the registrable domain of a host by the public suffix list, or null if it has none. */
export type RegistrableDomain = (host: string) => string | null;

/**
 * Returns true if the cookies and the storage of a host belong to a page: both hosts have one registrable domain. A host
 * without such a domain, such as an address, belongs to itself only.
 */
export const belongsTo = (pageHost: string, host: string, registrableOf: RegistrableDomain): boolean => {
  const domain = registrableOf(pageHost);
  return host === pageHost || (domain !== null && (host === domain || host.endsWith(`.${domain}`)));
};

/** Returns true if a cookie has ended before a time in milliseconds. */
export const isExpired = ({ expires = -1 }: Pick<Cookie, 'expires'>, now: number): boolean =>
  expires >= 0 && expires * 1000 <= now;

/** Returns the host of a cookie's domain, which may begin with a dot. */
export const hostOfCookie = ({ domain }: Pick<Cookie, 'domain'>): string => domain.replace(/^\./, '').toLowerCase();
