import type { StorageEntry, StorageState } from '../../shared/options/secrets.ts';
import { cookieFrom, type FileCookie } from './cookies.ts';
import { FaultyLoginError, isObject, parseJson } from './fault.ts';

/** A storage state as a file has it. */
export type FileState = { cookies: FileCookie[]; origins: StorageState['origins'] };

/** Parts of a storage state that an audit can't use. */
const unused = {
  credentials: 'Passkeys of the storage state are left out, because no authenticator answers during an audit.',
  opfs: 'Files of the storage state (opfs) are left out. The service restores localStorage, sessionStorage and IndexedDB.',
};

/** Reads the file that Playwright's `context.storageState()` writes. A note says what of it no audit can use. */
export const storageStateFrom = (text: string): { state: FileState; notes: string[] } => {
  const content = parseJson(text.replace(/^\uFEFF/, ''));
  if (Array.isArray(content)) throw new FaultyLoginError('It is a list of cookies and no storage state.', 'cookies');
  const { cookies, origins, credentials } = isObject(content) ? content : {};
  if ((cookies ?? origins) === undefined || ![cookies ?? [], origins ?? []].every(Array.isArray)) {
    throw new FaultyLoginError(
      "It is no storage state. Use a file that Playwright's context.storageState() has written.",
    );
  }
  const listed = (origins ?? []) as unknown[];
  const hasEntries = (list: unknown) => Array.isArray(list) && list.length > 0;
  return {
    state: {
      cookies: ((cookies ?? []) as unknown[]).map((each, i) => cookieFrom(each, `Cookie ${i + 1}`)),
      origins: listed.map(originFrom),
    },
    notes: [
      ...(hasEntries(credentials) ? [unused.credentials] : []),
      ...(listed.some((each) => isObject(each) && hasEntries(each.opfs)) ? [unused.opfs] : []),
    ],
  };
};

const originFrom = (given: unknown, i: number): StorageState['origins'][number] => {
  const { origin, localStorage, sessionStorage, indexedDB } = isObject(given) ? given : {};
  const url = typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/') {
    throw new FaultyLoginError(`Origin ${i + 1} has a wrong origin. It must be one such as https://app.example.com.`);
  }
  const entries = (name: string, list: unknown): StorageEntry[] => {
    if (Array.isArray(list) && list.every(isEntry)) return list.map(({ name: key, value }) => ({ name: key, value }));
    throw new FaultyLoginError(
      `Origin ${i + 1} (${url.origin}) has a wrong ${name}. It must be a list of objects with a name and a value, both texts.`,
    );
  };
  return {
    origin: url.origin,
    localStorage: entries('localStorage', localStorage ?? []),
    ...(sessionStorage !== undefined && { sessionStorage: entries('sessionStorage', sessionStorage) }),
    ...(Array.isArray(indexedDB) && indexedDB.length > 0 && { indexedDB }), // the service judges its databases
  };
};

const isEntry = (entry: unknown): entry is StorageEntry =>
  isObject(entry) && typeof entry.name === 'string' && typeof entry.value === 'string';
