import { MIN_SECRET_LENGTH, type Secrets } from '../../shared/options/secrets.ts';
import { pick } from '../../shared/pick.ts';

/** Replaces the secrets of an audit in a text. */
export type Scrub = (text: string) => string;

const MASK = '[secret]';
/** Length from which a text inside a JSON value is a secret of its own, because it may be a token. */
const TOKEN_LENGTH = 16;
/** Length from which the start of a secret counts as the secret, if Lighthouse cut the rest off. */
const CUT_LENGTH = 8;

/**
 * Returns a function that replaces the values of the secrets, also URL-encoded, in base64, in JSON or in HTML. A value that
 * the URL of the check contains is public, because the check shows its URL.
 */
export const scrubberOf = (secrets: Secrets | undefined, url: string): Scrub => {
  const values = secrets ? valuesOf(secrets).filter((value) => value.length >= MIN_SECRET_LENGTH) : [];
  const forms = new Set(values.filter((value) => !url.includes(value)).flatMap(formsOf));
  const needles = [...forms].filter((form) => form.length >= MIN_SECRET_LENGTH && !url.includes(form));
  return needles.length > 0 ? replacerOf(needles) : (text) => text;
};

const valuesOf = ({ headers = {}, basicAuth, cookies = [], storageState, secretTexts = {} }: Secrets): string[] => [
  ...Object.values(secretTexts),
  ...Object.values(headers).flatMap((value) => [value, credentialIn(value)]),
  ...(basicAuth ? [basicAuth.username, basicAuth.password, `${basicAuth.username}:${basicAuth.password}`] : []),
  ...[...cookies, ...(storageState?.cookies ?? [])].flatMap(({ value }) => [value, decoded(value)]),
  ...(storageState?.origins ?? [])
    .flatMap(({ localStorage, sessionStorage = [] }) => [...localStorage, ...sessionStorage])
    .flatMap(({ value }) => [value, ...tokensIn(value)]),
  ...(storageState?.origins ?? [])
    .flatMap(({ indexedDB = [] }) => indexedDB.flatMap(({ stores }) => stores.flatMap(({ records }) => records)))
    .flatMap((record) => [
      ...(typeof record.value === 'string' ? [record.value] : []),
      ...tokensIn(JSON.stringify(record)),
    ]),
];

/** Returns the token of a header such as `Bearer abc`. */
const credentialIn = (header: string): string => /^[\w-]+ +(\S+)$/.exec(header)?.[1] ?? header;

const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // it is not encoded
  }
};

/** Field in which Playwright encodes the names of an object of IndexedDB. */
const ENCODED_NAME = 'k';

/** Returns the long texts in a JSON value, such as the tokens that a login library stores. */
const tokensIn = (json: string): string[] => {
  const tokens: string[] = [];
  try {
    JSON.parse(json, (key, value) => {
      if (typeof value === 'string' && key !== ENCODED_NAME && value.length >= TOKEN_LENGTH && !/\s/.test(value))
        tokens.push(value);
      return value;
    });
  } catch {
    return []; // it is not JSON
  }
  return tokens;
};

/** Returns the spellings in which a page, a URL or Lighthouse may show a value. */
const formsOf = (value: string): string[] => {
  const encoded = encodeURIComponent(value.toWellFormed());
  const html = value.replaceAll('&', '&amp;');
  return [
    ...[value, encoded, encoded.replace(/%../g, (hex) => hex.toLowerCase()), encodeURIComponent(encoded)],
    ...[encodeURI(value.toWellFormed()), new URLSearchParams({ '': value }).toString().slice(1)],
    ...[JSON.stringify(value).slice(1, -1), html.replaceAll('"', '&quot;')],
    html.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    ...[0, 1, 2].map((offset) => base64At(offset, value)).flatMap((text) => [text, urlSafe(text)]),
  ];
};

/** Returns the base64 characters that a value has after this number of other bytes (modulo 3), with any surroundings. */
const base64At = (offset: number, value: string): string => {
  const bytes = Buffer.from(' '.repeat(offset) + value);
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
};
const urlSafe = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/** Number of characters by which a needle is looked up. */
const START = 4;
const HASHES = 2 ** 20;

/**
 * Returns a function that replaces all needles in one pass: it looks at each character once, and compares needles only where
 * a table says that the last four characters may start one. The number of needles hardly matters.
 */
const replacerOf = (needles: readonly string[]): Scrub => {
  const longestFirst = needles.toSorted((a, b) => b.length - a.length);
  const byStart = Map.groupBy(longestFirst, (needle) => needle.slice(0, START));
  const starts = new Uint8Array(HASHES);
  for (const start of byStart.keys())
    starts[[...Array(START).keys()].reduce((hash, i) => nextHash(hash, start, i), 0)] = 1;

  return (text) => {
    let clean = '';
    let copied = 0;
    let hash = 0;
    for (let i = 0; i < text.length; i++) {
      hash = nextHash(hash, text, i);
      const start = i - START + 1;
      if (starts[hash] === 0 || start < copied) continue;
      const end = endOfSecret(text, start, byStart.get(text.slice(start, i + 1)) ?? []);
      if (end === undefined) continue;
      clean += text.slice(copied, start) + MASK;
      copied = end;
      i = end - 1;
    }
    return copied === 0 ? text : clean + text.slice(copied);
  };
};

/** Returns the hash of the last four characters: older ones have left its 20 bits. */
const nextHash = (hash: number, text: string, index: number): number =>
  ((hash << 5) ^ text.charCodeAt(index)) & (HASHES - 1);

const endOfSecret = (text: string, start: number, candidates: readonly string[]): number | undefined => {
  for (const needle of candidates) {
    if (text.startsWith(needle, start)) return start + needle.length;
  }
  for (const needle of candidates) {
    let length = START;
    while (text[start + length] === needle[length]) length++;
    if (length >= CUT_LENGTH && text[start + length] === '…') return start + length;
  }
  return undefined;
};

/** Replaces the secrets in all texts of plain data, except below these names. Files stay as they are. */
export const scrubData = <T>(data: T, scrub: Scrub, fixed: ReadonlySet<string> = new Set()): T => {
  const clean = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return isPicture(name, value) ? value : scrub(value);
    if (Array.isArray(value)) return value.map((each) => clean(each, name));
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) =>
        fixed.has(key) ? [key, each] : [isWord(key) ? key : scrub(key), clean(each, key)],
      ),
    );
  };
  return clean(data, '') as T;
};

/** Base64 of a screenshot. A short secret may occur in it by chance, and replacing it would damage the picture. */
const isPicture = (name: string, text: string): boolean => name === 'data' && text.startsWith('data:image/');

/** Names of only letters and hyphens are Lighthouse's own, also if a secret is a word such as `performance`. */
const isWord = (name: string): boolean => /^[a-z-]+$/i.test(name);

/** Parts of a Lighthouse result that hold no text of a page. */
const FIXED: ReadonlySet<string> = new Set([
  ...['categories', 'categoryGroups', 'configSettings', 'timing', 'rendererFormattedStrings'],
  ...['headings', 'type', 'valueType', 'scoreDisplayMode', 'lighthouseVersion'],
]);

type Report = { audits: Record<string, { id?: string; title?: string } | undefined> };

/** Replaces the secrets in a Lighthouse result. Its pictures, and the words by which clients find its parts, stay as they are. */
export const scrubReport = <T extends Report>(report: T, scrub: Scrub): T => {
  const clean = scrubData(report, scrub, FIXED);
  const audits = Object.entries(report.audits).map(([id, audit]) => [
    id,
    { ...clean.audits[id], ...(audit && pick(audit, ['id', 'title'])) },
  ]);
  return { ...clean, audits: Object.fromEntries(audits) };
};
