import type { Observation } from './observation.ts';

/** Paths at which a site asks who its visitor is. */
const LOGIN_PATH =
  /(?:^|[/._#!-])(?:log[-_]?[io]n|sign[-_]?[io]n|sso|auth|oauth2?|authorize|authenticate|saml2?)(?:[/._-]|$)/i;

/** Returns the warnings about an audit with secrets: the page asks for a login all the same, or the browser lacks some. */
export const warningsOfLogin = ({ sentSecretsTo, end }: Observation, finalUrl: string | null): string[] => {
  if (sentSecretsTo === undefined || end.how !== 'audited') return [];
  const { refusedCookies = [], expiredCookies = [], refusedDatabases = [], asksForPassword = false } = end.login ?? {};
  const named = (names: readonly string[], text: string, advice = '') =>
    names.length > 0 ? [`${text}: ${[...new Set(names)].join(', ')}.${advice}`] : [];
  return [
    ...(isAtLogin(sentSecretsTo, finalUrl, { asksForPassword, status: end.status }) ? [loginWarning(finalUrl)] : []),
    ...named(refusedCookies, 'The browser refused these cookies of the check'),
    ...named(expiredCookies, 'These cookies of the check have expired', ' Log in again, and send the new ones.'),
    ...named(
      refusedDatabases,
      'The browser could not fill these IndexedDB databases of the storage state',
      ' Save the state again.',
    ),
  ];
};

/** Returns true if the page led elsewhere, to a page that asks for a password, refuses its visitor, or is called a login. */
const isAtLogin = (
  requestedUrl: string,
  finalUrl: string | null,
  { asksForPassword, status }: { asksForPassword: boolean; status: number | null },
): boolean => {
  const final = URL.parse(finalUrl ?? '');
  if (!final || placeOf(final) === placeOf(new URL(requestedUrl))) return false;
  return asksForPassword || status === 401 || status === 403 || LOGIN_PATH.test(final.pathname + final.hash);
};

/** Returns an address without its query and its last slash. The fragment may be a path of a page that routes itself. */
const placeOf = ({ origin, pathname, hash }: URL): string => `${origin}${pathname.replace(/\/$/, '')}${hash}`;

const loginWarning = (finalUrl: string | null): string =>
  `The page led to ${finalUrl}, which looks like a login, although the check has secrets. They may be wrong or out of date.`;
