import {
  belongsTo,
  type Cookie,
  hostOfCookie,
  type RegistrableDomain,
  type StorageState,
} from '../../shared/options/secrets.ts';
import { counted } from '../words/numbers.ts';
import type { FileCookie } from './cookies.ts';
import type { FileState } from './storage-state.ts';

type Given = { cookies?: FileCookie[] | undefined; storageState?: FileState | undefined };
type Own = { cookies?: Cookie[]; storageState?: StorageState };

/**
 * Returns the cookies and the storage that belong to a page, because a browser's file has those of all sites, and the
 * service refuses them. `leftOut` counts the others. A cookie without a domain gets the host of the page.
 */
export const ownOf = (
  { cookies, storageState }: Given,
  pageUrl: string,
  registrableOf: RegistrableDomain,
): { own: Own; leftOut: string | undefined } => {
  const pageHost = hostOf(pageUrl) ?? '';
  const belongs = (host: string) => belongsTo(pageHost, host, registrableOf);
  const ofPage = (list: readonly FileCookie[]): Cookie[] =>
    list.map((each) => ({ ...each, domain: each.domain ?? pageHost })).filter((each) => belongs(hostOfCookie(each)));
  const origins = storageState?.origins.filter(({ origin }) => belongs(hostOf(origin) ?? pageHost)) ?? [];
  const own: Own = {
    ...(cookies && { cookies: ofPage(cookies) }),
    ...(storageState && { storageState: { cookies: ofPage(storageState.cookies), origins } }),
  };
  const count = (list: Given) => (list.cookies?.length ?? 0) + (list.storageState?.cookies.length ?? 0);
  const counts = [
    [count({ cookies, storageState }) - count(own), 'cookie'],
    [(storageState?.origins.length ?? 0) - origins.length, 'origin'],
  ] as const;
  const words = counts.flatMap(([number, noun]) => (number === 0 ? [] : [counted(number, noun)]));
  return { own, leftOut: words.length === 0 ? undefined : words.join(' and ') };
};

/** Returns the host of a URL, or undefined. Node 20 has no `URL.parse`. */
const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);
