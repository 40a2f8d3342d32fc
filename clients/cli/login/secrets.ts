import { Option } from 'commander';
import { getDomain } from 'tldts';
import { isExpired, type Secrets } from '../../../shared/options/secrets.ts';
import { type HeaderLine, headersFrom } from '../../login/headers.ts';
import { ownOf } from '../../login/own-site.ts';
import { secretTextsFrom } from '../../login/secret-texts.ts';
import { UsageError } from '../exit-codes.ts';
import { repeated } from '../flags/flag-values.ts';
import { readTextFile } from '../text-file.ts';
import { explained, readCookieFile, readStorageState } from './secret-files.ts';

/** Options with secrets, by the names of their flags. */
export type SecretOptions = {
  header?: string[];
  basicAuth?: string;
  cookieFile?: string;
  storageState?: string;
  secretText?: string[];
};

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
  new Option(
    '--cookie-file <file>',
    'cookies: a JSON list of a browser or a test tool, a cookies.txt, or the text of a Cookie header',
  ),
  new Option('--storage-state <file>', "file of Playwright's storageState(): cookies, localStorage and IndexedDB"),
  new Option(
    '--secret-text <name=text>',
    'text that a step types as { "secret": name }, or name=@file. Repeat it for more',
  ).argParser(repeated),
];

/** The secrets for one page, and notes on what the command left out. */
type PageSecrets = { secrets: Secrets; notes: string[] };

/**
 * Reads the secrets that the flags name. Returns a function that returns those for a page. It leaves out cookies and origins of
 * other sites, because a browser's file has them too, and the service refuses them.
 */
export const readSecrets = (
  { header = [], basicAuth, cookieFile, storageState: stateFile, secretText = [] }: SecretOptions,
  env: Readonly<Record<string, string | undefined>>,
): ((url: string) => PageSecrets) => {
  const sent = explained(() => headersFrom(linesOf(header)));
  const credentials = basicAuth ?? env[BASIC_AUTH];
  const common = {
    ...(Object.keys(sent.headers).length > 0 && { headers: sent.headers }),
    ...(credentials && { basicAuth: credentialsFrom(credentials) }),
    ...(secretText.length > 0 && { secretTexts: explained(() => secretTextsFrom(numbered(secretText), readTextFile)) }),
  };
  const cookies = [...sent.cookies, ...(cookieFile === undefined ? [] : readCookieFile(cookieFile))];
  const { state, notes } = stateFile === undefined ? { notes: [] } : readStorageState(stateFile);
  const given = { ...((cookies.length > 0 || cookieFile !== undefined) && { cookies }), storageState: state };
  return (url) => {
    const { own, leftOut } = ownOf(given, url, registrableDomain);
    const left = leftOut === undefined ? [] : [`Left out for ${url}: ${leftOut} of other sites.`];
    const now = Date.now();
    const old = [...(own.storageState?.cookies ?? []), ...(own.cookies ?? [])].filter((each) => isExpired(each, now));
    const names = [...new Set(old.map(({ name }) => name))].join(', ');
    const expired = names === '' ? [] : [`Expired cookies for ${url}: ${names}. Log in again, and save the new ones.`];
    return { secrets: { ...common, ...own }, notes: [...notes, ...left, ...expired] };
  };
};

const numbered = (texts: readonly string[]): HeaderLine[] =>
  texts.map((text, i) => ({ text, place: `The secret text ${i + 1}` }));

/** Returns the headers of the flags, and those of each line of a file. */
const linesOf = (given: readonly string[]): HeaderLine[] =>
  given.flatMap((text, i) => {
    if (!text.startsWith('@')) return [{ text, place: `The header ${i + 1}` }];
    const file = text.slice(1);
    const lines = readTextFile(file).split(/\r?\n/);
    return lines
      .map((line, n) => ({ text: line, place: `${file}:${n + 1}` }))
      .filter((line) => line.text.trim() !== '');
  });

const credentialsFrom = (given: string): NonNullable<Secrets['basicAuth']> => {
  const text = given.startsWith('@') ? readTextFile(given.slice(1)).replace(/\r?\n$/, '') : given;
  const [, username, password] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  if (username === undefined || password === undefined)
    throw new UsageError(
      `The credentials have no user name and password. Use --basic-auth user:password, a file as @file, or ${BASIC_AUTH}.`,
    );
  return { username, password };
};

const registrableDomain = (host: string): string | null => getDomain(host, { allowPrivateDomains: true });
