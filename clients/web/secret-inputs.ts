import { hostOfCookie } from '../../shared/secrets.ts';

/**
 * Returns the secrets that a form describes. A field with a wrong text keeps its text, which the service refuses without
 * repeating it.
 */
export const secretInputs = (form: FormData) => {
  const text = (name: string) => String(form.get(name) ?? '');
  const [headers, cookies, storageState] = ['headers', 'cookies', 'storageState'].map((name) => text(name).trim());
  const [username, password] = ['basicAuth.username', 'basicAuth.password'].map(text);
  const page = URL.parse(text('url'))?.hostname ?? '';
  return {
    ...(headers && { headers: headersFrom(headers) }),
    ...((username || password) && { basicAuth: { username, password } }),
    ...(cookies && { cookies: ofSite(page, jsonFrom(cookies)) }),
    ...(storageState && { storageState: stateOfSite(page, jsonFrom(storageState)) }),
  };
};

const headersFrom = (text: string): Record<string, string> | string => {
  const pairs = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^([^:]+):(.*)$/.exec(line.trim()));
  if (pairs.includes(null)) return text;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1]?.trim(), pair?.[2]?.trim()]));
};

const jsonFrom = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * Leaves out entries whose host ends with other two labels than the page, because a browser's file has the cookies of all
 * sites. The service knows the public suffixes, and refuses the rest.
 */
const ofSite = (page: string, list: unknown): unknown =>
  Array.isArray(list) ? list.filter((each) => site(hostOf(each) ?? page) === site(page)) : list;

const stateOfSite = (page: string, state: unknown): unknown => {
  if (typeof state !== 'object' || state === null) return state;
  const { cookies, origins } = state as Record<string, unknown>;
  return { ...state, cookies: ofSite(page, cookies), origins: ofSite(page, origins) };
};

const hostOf = (entry: unknown): string | undefined => {
  const { domain, origin } = (entry ?? {}) as { domain?: unknown; origin?: unknown };
  if (typeof domain === 'string') return hostOfCookie({ domain });
  return typeof origin === 'string' ? URL.parse(origin)?.hostname : undefined;
};

const site = (host: string): string => host.split('.').slice(-2).join('.');
