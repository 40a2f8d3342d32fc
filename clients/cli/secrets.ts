import { Option } from 'commander';
import { getDomain } from 'tldts';
import { belongsTo, type Cookie, hostOfCookie, type Secrets, type StorageState } from '../../shared/secrets.ts';
import { counted } from '../words/numbers.ts';
import { UsageError } from './exit-codes.ts';
import { repeated } from './flag-values.ts';
import { readCookieFile, readSecretText, readStorageState } from './secret-files.ts';

/** Options with secrets, by the names of their flags. */
export type SecretOptions = { header?: string[]; basicAuth?: string; cookieFile?: string; storageState?: string };

/** Variable with credentials, so that they need not stand in the history of a shell. */
const BASIC_AUTH = 'PAGE_AUDIT_BASIC_AUTH';

/** The flags of `run` for pages behind a login. No parser judges their values, because commander would print a wrong one. */
export const secretFlags: readonly Option[] = [
  new Option(
    '--header <name: value>',
    "header for the page's own origin. Repeat it for more. @file has one on each line",
  ).argParser(repeated),
  new Option(
    '--basic-auth <user:password>',
    `credentials for the page's own origin, or @file (default: ${BASIC_AUTH})`,
  ),
  new Option('--cookie-file <file>', 'cookies: a JSON list as Playwright writes it, or a cookies.txt'),
  new Option('--storage-state <file>', "file of Playwright's storageState(): cookies and localStorage"),
];

/** The secrets for one page, and a note on those that the command left out. */
type PageSecrets = { secrets: Secrets; note: string | undefined };

/**
 * Reads the secrets that the flags name. Returns a function that returns those for a page. It leaves out cookies and origins of
 * other sites, because a browser's file has them too, and the service refuses them.
 */
export const readSecrets = (
  { header, basicAuth, cookieFile, storageState: stateFile }: SecretOptions,
  env: Readonly<Record<string, string | undefined>>,
): ((url: string) => PageSecrets) => {
  const headers = header && headersFrom(header);
  const credentials = basicAuth ?? env[BASIC_AUTH];
  const common = { ...(headers && { headers }), ...(credentials && { basicAuth: credentialsFrom(credentials) }) };
  const cookies = cookieFile === undefined ? undefined : readCookieFile(cookieFile);
  const state = stateFile === undefined ? undefined : readStorageState(stateFile);
  return (url) => {
    const own = ownOf(url, cookies, state);
    const secrets = {
      ...common,
      ...(own.cookies && { cookies: own.cookies }),
      ...(own.state && { storageState: own.state }),
    };
    return { secrets, note: noteOn(url, { cookies, state }, own) };
  };
};

const headersFrom = (given: readonly string[]): Record<string, string> => {
  const lines = given.flatMap((text) =>
    text.startsWith('@')
      ? readSecretText(text.slice(1))
          .split(/\r?\n/)
          .filter((line) => line.trim() !== '')
      : [text],
  );
  const pairs = lines.map((line, i) => {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`The header ${i + 1} has no name and value. Use --header 'name: value'.`);
    return [name, value.trim()] as const;
  });
  const twice = pairs.find(([name], i) => pairs.findIndex(([other]) => same(name, other)) < i);
  if (twice) throw new UsageError(`The header ${twice[0]} is given twice. Give it once.`);
  return Object.fromEntries(pairs);
};

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const credentialsFrom = (given: string): NonNullable<Secrets['basicAuth']> => {
  const text = given.startsWith('@') ? readSecretText(given.slice(1)) : given;
  const [, username, password] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  if (username === undefined || password === undefined)
    throw new UsageError(
      `The credentials have no user name and password. Use --basic-auth user:password, a file as @file, or ${BASIC_AUTH}.`,
    );
  return { username, password };
};

type Sent = { cookies: Cookie[] | undefined; state: StorageState | undefined };

/** Returns what belongs to the registrable domain of a page. The service judges an entry without a domain. */
const ownOf = (url: string, cookies: Cookie[] | undefined, state: StorageState | undefined): Sent => {
  const pageHost = hostOf(url) ?? '';
  const belongs = (host: string) => belongsTo(pageHost, host, registrableDomain);
  const isOwn = (cookie: Cookie) => typeof cookie.domain !== 'string' || belongs(hostOfCookie(cookie));
  return {
    cookies: cookies?.filter(isOwn),
    state: state && {
      cookies: state.cookies.filter(isOwn),
      origins: state.origins.filter(({ origin }) => belongs(hostOf(origin) ?? pageHost)),
    },
  };
};

const registrableDomain = (host: string): string | null => getDomain(host, { allowPrivateDomains: true });

const noteOn = (url: string, all: Sent, own: Sent): string | undefined => {
  const cookiesOf = ({ cookies = [], state }: Sent) => cookies.length + (state?.cookies.length ?? 0);
  const originsOf = ({ state }: Sent) => state?.origins.length ?? 0;
  const counts = [
    [cookiesOf(all) - cookiesOf(own), 'cookie'],
    [originsOf(all) - originsOf(own), 'origin'],
  ].filter(([count]) => count !== 0) as [number, string][];
  if (counts.length === 0) return undefined;
  return `Left out for ${url}: ${counts.map((each) => counted(...each)).join(' and ')} of other sites.`;
};

/** Returns the host of a URL, or undefined. Node 20 has no `URL.parse`. */
const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);
