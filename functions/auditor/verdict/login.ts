import type { Observation } from './observation.ts';

/** Paths at which a site asks who its visitor is. */
const LOGIN_PATH =
  /(?:^|[/._#!-])(?:log[-_]?[io]n|sign[-_]?[io]n|sso|auth|oauth2?|authorize|authenticate|saml2?)(?:[/._-]|$)/i;

/** Returns the warnings about an audit with secrets: the page asks for a login all the same, or cookies are missing. */
export const warningsOfLogin = ({ sentSecretsTo, end }: Observation, finalUrl: string | null): string[] => {
  if (sentSecretsTo === undefined || end.how !== 'audited') return [];
  const { refusedCookies = [], asksForPassword = false } = end.login ?? {};
  return [
    ...(isAtLogin(sentSecretsTo, finalUrl, { asksForPassword, status: end.status }) ? [loginWarning(finalUrl)] : []),
    ...(refusedCookies.length > 0
      ? [`The browser refused these cookies of the check: ${refusedCookies.join(', ')}.`]
      : []),
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
