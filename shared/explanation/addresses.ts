import { cutText, printable } from '../text.ts';

const MAX_URL = 300;
const MAX_NAME = 80;

/** Query parameters that only prevent a cached answer. */
const cacheBusting = /^(?:_|v|ver|version|hash|rev|t|ts|cb|cachebust|cachebuster|nocache|bust|random|rnd)$/i;

/** A part of a file name that a build made from the contents: hexadecimal digits, or letters and digits mixed. */
const isHash = (part: string): boolean =>
  /^(?=.*\d)[0-9a-f]{6,}$/i.test(part) || (part.length >= 8 && /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w]+$/.test(part));

/** A folder that a build names. Short folders such as `2024a1` are names of people. */
const isBuildFolder = (part: string): boolean => part.length >= 16 && isHash(part.replace(/-/g, ''));

const withoutHash = (segment: string, isFile: boolean): string => {
  if (!isFile) return isBuildFolder(segment) ? '*' : segment;
  return segment
    .split(/([._~-])/)
    .map((part) => (isHash(part) ? '*' : part))
    .join('');
};

const parsed = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined);

/** Returns the site of a host: its last two labels, or three below a second-level domain such as `co.uk`. */
const siteOf = (host: string): string => {
  if (/^[\d.]+$|^\[/.test(host)) return host;
  const labels = host.split('.');
  const isSecondLevel =
    /^(?:co|com|net|org|gov|edu|ac|or|ne|go)$/.test(labels.at(-2) ?? '') && labels.at(-1)?.length === 2;
  return labels.slice(isSecondLevel ? -3 : -2).join('.');
};

/** Returns true if two addresses belong to different sites, or false if one of them is no web address. */
export const isOtherSite = (url: string, documentUrl: string): boolean => {
  const [a, b] = [parsed(url), parsed(documentUrl)];
  return a !== undefined && b !== undefined && a.hostname !== '' && siteOf(a.hostname) !== siteOf(b.hostname);
};

/**
 * Returns the name under which the requests of two reports match: without hashes and without parameters that prevent a
 * cached answer. A file of the page's own origin has no host, so that a preview matches its production.
 */
export const matchKey = (url: string, documentUrl: string): string => {
  const address = parsed(url);
  if (!address) return url;
  const segments = address.pathname.split('/');
  const path = segments.map((segment, i) => withoutHash(segment, i === segments.length - 1)).join('/');
  const query = [...address.searchParams]
    .filter(([name]) => !cacheBusting.test(name))
    .map((pair) => pair.join('='))
    .sort();
  const origin = address.origin === parsed(documentUrl)?.origin ? '' : address.origin;
  return `${origin}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
};

/** Returns an address for an answer: on one line, cut, and without a user, a password and a fragment. */
export const shownUrl = (url: string): string => {
  const address = parsed(url);
  if (!address) return cutText(printable(url), MAX_URL);
  address.username = '';
  address.password = '';
  address.hash = '';
  return cutText(printable(address.href), MAX_URL);
};

/** Returns the short name of an address for a sentence: the path, with the host if it is another one. It has no query. */
export const nameOfUrl = (url: string, documentUrl: string): string => {
  const address = parsed(url);
  if (!address) return cutText(printable(url), MAX_NAME);
  const host = address.origin === parsed(documentUrl)?.origin ? '' : address.host;
  return cutText(printable(`${host}${address.pathname}`), MAX_NAME);
};
