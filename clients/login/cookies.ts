import { type Cookie, cookieForms } from '../../shared/options/secrets.ts';
import { cutText, printable } from '../../shared/text.ts';
import { FaultyLoginError, isObject, parseJson } from './fault.ts';

/** A cookie as a file has it. Without a domain it belongs to the host of the page. */
export type FileCookie = Omit<Cookie, 'domain'> & { domain?: string | undefined };

const FORMATS =
  'Use a JSON list as Playwright, Puppeteer, Selenium, EditThisCookie or Cookie-Editor writes it, a cookies.txt, or the text of a Cookie header.';

/** Reads cookies from a JSON list, a cookies.txt in the format of Netscape, or the text of a `Cookie` header. */
export const cookiesFrom = (text: string): FileCookie[] => {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (/^[[{]/.test(content)) return cookiesInList(parseJson(content));
  if (/^#|\t/.test(content) || content === '') return netscapeCookies(content);
  if (/[\r\n]/.test(content)) throw new FaultyLoginError(`It has no cookies. ${FORMATS}`);
  return headerCookies(content.replace(/^cookie:/i, ''), 'cookie');
};

const cookiesInList = (content: unknown): FileCookie[] => {
  const list = isObject(content) && !('origins' in content) ? content.cookies : content; // J2TEAM Cookies wraps its list
  if (!Array.isArray(list)) {
    throw isObject(list)
      ? new FaultyLoginError('It is a storage state and no list of cookies.', 'storageState')
      : new FaultyLoginError(`It is no list of cookies. ${FORMATS}`);
  }
  return list.map((each, i) => cookieFrom(each, `Cookie ${i + 1}`));
};

/** Returns the cookies of a `Cookie` header. They belong to the host of the page. */
export const headerCookies = (text: string, noun: string): FileCookie[] =>
  text
    .split(';')
    .filter((pair) => pair.trim() !== '')
    .map((pair, i) => {
      const [, name, value] = /^\s*([^\s<>=]+)=(.*)$/.exec(pair.trim()) ?? [];
      if (name === undefined) {
        throw new FaultyLoginError(`The ${noun} has no name and value in pair ${i + 1}. ${HEADER_FORM}`);
      }
      return cookieFrom({ name, value, ...(/^__(Host|Secure)-/i.test(name) && { secure: true }) }, `Cookie ${i + 1}`);
    });

const HEADER_FORM = 'Write it as name=value; name=value.';

const checks = {
  name: [cookieForms.name, 'a text without control characters, "=" and ";", and not empty'],
  value: [cookieForms.value, 'a text without control characters and ";"'],
  domain: [cookieForms.domain, 'a host such as app.example.com, or .example.com with its subdomains'],
  path: [cookieForms.path, 'a text that begins with "/"'],
} as const;

/** Returns a cookie of a list with the fields and words that the service accepts. */
export const cookieFrom = (given: unknown, place: string): FileCookie => {
  const entry = isObject(given) ? given : {};
  const named = typeof entry.name === 'string' && checks.name[0].test(entry.name) ? entry.name : '';
  const at = named === '' ? place : `${place} (${cutText(printable(named), 100)})`;
  const refuse = (field: string, form: string): never => {
    throw new FaultyLoginError(`${at} has a wrong ${field}. It must be ${form}.`);
  };
  const text = (field: keyof typeof checks, value: unknown): string => {
    const [form, words] = checks[field];
    return typeof value === 'string' && form.test(value) ? value : refuse(field, words);
  };
  const flag = (field: string): boolean | undefined => {
    const value = entry[field] ?? undefined;
    return typeof value === 'boolean' || value === undefined ? value : refuse(field, 'true or false');
  };
  const domain = domainOf(entry);
  const secure = flag('secure');
  const expires = secondsOf(entry);
  if (Number.isNaN(expires)) refuse('expiry', 'seconds since 1970, such as 1893456000, or -1');
  const sameSite = sameSiteOf(entry.sameSite ?? '', secure);
  if (sameSite === null) refuse('sameSite', 'Strict, Lax or None');
  return {
    name: text('name', entry.name),
    value: text('value', entry.value),
    ...(domain !== undefined && { domain: text('domain', domain) }),
    ...((entry.path ?? '') !== '' && { path: text('path', entry.path) }),
    secure,
    httpOnly: flag('httpOnly'),
    sameSite: sameSite ?? undefined,
    expires,
  };
};

/** Returns the domain of a cookie. Extensions of browsers say by `hostOnly` whether its subdomains get the cookie too. */
const domainOf = ({ domain, url, hostOnly }: Record<string, unknown>): unknown => {
  if ((domain ?? '') === '') return typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : undefined;
  if (typeof domain !== 'string' || typeof hostOnly !== 'boolean') return domain;
  return `${hostOnly ? '' : '.'}${domain.replace(/^\./, '')}`;
};

/** Milliseconds begin here. As seconds, it is the year 5138. */
const MILLISECONDS = 1e11;

/** Returns the expiry in seconds, undefined or -1 for a cookie of the session, or NaN for a wrong value. */
const secondsOf = (entry: Record<string, unknown>): number | undefined => {
  const given = entry.expires ?? entry.expirationDate ?? entry.expiry ?? undefined;
  if (entry.session === true || given === '' || given === 'Session') return -1;
  if (given === undefined) return undefined;
  const isDate = typeof given === 'string' && !/^-?[\d.]+$/.test(given);
  const value = isDate ? Date.parse(given) / 1000 : typeof given === 'boolean' ? Number.NaN : Number(given);
  if (value <= 0) return -1;
  return value >= MILLISECONDS ? value / 1000 : value;
};

/** Words for SameSite. Firefox calls a cookie without the attribute `no_restriction`. */
const sameSites: Readonly<Record<string, Cookie['sameSite']>> = {
  strict: 'Strict',
  lax: 'Lax',
  none: 'None',
  no_restriction: 'None',
  unspecified: undefined,
  '': undefined,
};

/** Returns a value of SameSite, undefined if the cookie has none, or null for a wrong value. */
const sameSiteOf = (given: unknown, secure: boolean | undefined): Cookie['sameSite'] | null => {
  const word = String(given).toLowerCase();
  if (!Object.hasOwn(sameSites, word)) return null;
  return word === 'no_restriction' && !secure ? undefined : sameSites[word];
};

/** Reads a cookies.txt: lines of domain, subdomains, path, secure, expiry, name and value, separated by tabs. */
const netscapeCookies = (content: string): FileCookie[] =>
  content.split(/\r?\n|\r/).flatMap((line, i) => {
    const isHttpOnly = line.startsWith('#HttpOnly_');
    if ((line.startsWith('#') && !isHttpOnly) || line.trim() === '') return [];
    const fields = line.replace(/^#HttpOnly_/, '').split('\t');
    const [domain = '', subdomains, path, secure, expires, name, value = '', ...more] = fields;
    if (name === undefined || domain === '' || more.length > 0) {
      throw new FaultyLoginError(
        `Line ${i + 1} is no line of a cookies.txt. It needs seven fields, separated by tabs.`,
      );
    }
    const isTrue = (field = '') => /^true$/i.test(field.trim());
    const hostOnly = !isTrue(subdomains);
    return cookieFrom(
      { domain, hostOnly, path, secure: isTrue(secure), httpOnly: isHttpOnly, expires, name, value },
      `Line ${i + 1}`,
    );
  });
