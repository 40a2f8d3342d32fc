import { isAtLogin } from '../login-page.ts';
import type { Observation } from './observation.ts';

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

const loginWarning = (finalUrl: string | null): string =>
  `The page led to ${finalUrl}, which looks like a login, although the check has secrets. They may be wrong or out of date.`;
