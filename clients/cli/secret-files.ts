import { readFileSync } from 'node:fs';
import type { Cookie, StorageEntry, StorageState } from '../../shared/secrets.ts';
import { UsageError } from './exit-codes.ts';

/* Files of secrets. An error names a file and a line, and never a text of the file. */

/** Reads a file of cookies: a JSON list as Playwright writes it, or Netscape's cookies.txt as curl and browsers write it. */
export const readCookieFile = (name: string): Cookie[] => {
  const text = readText(name);
  if (/^\s*#|\t/.test(text) || text.trim() === '') return netscapeCookies(name, text);
  const content = parseJson(name, text);
  if (!Array.isArray(content)) {
    const advice = 'For the file of a storage state, use --storage-state.';
    throw new UsageError(
      `${name} is no list of cookies. Use a JSON list as Playwright writes it, or a cookies.txt. ${advice}`,
    );
  }
  return content.map(cookieFrom);
};

/** Reads the file that Playwright's `context.storageState()` writes. The service judges what it holds. */
export const readStorageState = (name: string): StorageState => {
  const content = parseJson(name, readText(name)) as Partial<StorageState> | null;
  if (!Array.isArray(content?.cookies) || !Array.isArray(content.origins)) {
    throw new UsageError(
      `${name} is no storage state. Use a file that Playwright's context.storageState() has written.`,
    );
  }
  return { cookies: content.cookies.map(cookieFrom), origins: content.origins.map(originFrom) };
};

/** Reads a text, such as credentials, without the line break at its end. */
export const readSecretText = (name: string): string => readText(name).replace(/\r?\n$/, '');

const readText = (name: string): string => {
  try {
    return readFileSync(name, 'utf8');
  } catch (error) {
    throw new UsageError(`${name} can't be read (${(error as NodeJS.ErrnoException).code}). Name a readable file.`);
  }
};

const parseJson = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${name} is no valid JSON.`); // the message of JSON.parse quotes the file
  }
};

/** Returns the fields of a cookie that the service accepts. Extensions of browsers write more. */
const cookieFrom = (each: Cookie | null): Cookie => {
  const { name, value, domain, path, secure, httpOnly, sameSite, expires } = (each ?? {}) as Cookie;
  return { name, value, domain, path, secure, httpOnly, sameSite, expires };
};

type Origin = StorageState['origins'][number] & { indexedDB?: unknown };

const originFrom = (each: Origin | null): Origin => {
  const { origin, localStorage = [], sessionStorage, indexedDB } = (each ?? {}) as Origin;
  const entries = (list: StorageEntry[]) => list.map(({ name, value }) => ({ name, value }));
  return {
    ...{ origin, localStorage: entries(localStorage) },
    ...(sessionStorage && { sessionStorage: entries(sessionStorage) }),
    ...(indexedDB !== undefined && { indexedDB }), // the service refuses one that is not empty
  };
};

/** Parses a cookies.txt: lines of domain, subdomains, path, secure, expiry, name and value, separated by tabs. */
const netscapeCookies = (name: string, text: string): Cookie[] =>
  text.split(/\r?\n/).flatMap((line, i) => {
    const httpOnly = line.startsWith('#HttpOnly_');
    if ((line.startsWith('#') && !httpOnly) || line.trim() === '') return [];
    const [domain, withSubdomains, path, secure, expires, cookie, value] = line.replace(/^#HttpOnly_/, '').split('\t');
    if (domain === undefined || cookie === undefined || !/^\d+$/.test(expires ?? '')) {
      throw new UsageError(`${name}:${i + 1} is no line of a cookies.txt. It needs seven fields, separated by tabs.`);
    }
    const host = domain.replace(/^\./, '');
    return {
      ...{ name: cookie, value: value ?? '', domain: withSubdomains === 'TRUE' ? `.${host}` : host, path },
      ...{ secure: secure === 'TRUE', httpOnly, expires: Number(expires) || -1 },
    };
  });
