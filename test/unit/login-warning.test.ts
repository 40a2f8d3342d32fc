import { expect, test } from 'vitest';
import type { Audited } from '../../functions/auditor/messages.ts';
import { judge } from '../../functions/auditor/verdict/judge.ts';
import { audited, observed } from '../support/observation.ts';

type Given = { from?: string | undefined; to: string; status?: number } & Partial<Audited['login']>;
const noneUnused = { refusedCookies: [], expiredCookies: [], refusedDatabases: [] };
const warnings = ({ from, to, status = 200, asksForPassword = false, ...unused }: Given) => {
  const end = { ...audited({ finalUrl: to }), status, login: { ...noneUnused, ...unused, asksForPassword } };
  return judge({ ...observed(end, { url: to, status }), sentSecretsTo: from }).warnings;
};
const from = 'https://app.example.com/team';

test.each([
  ['to a page that asks for a password', 'https://app.example.com/', { asksForPassword: true }],
  ['to a page that refuses its visitor', 'https://app.example.com/sorry', { status: 403 }],
  ['to a page that wants to know its visitor', 'https://app.example.com/sorry', { status: 401 }],
  ['to /login', 'https://app.example.com/login?next=/team', {}],
  ['to /users/sign_in', 'https://app.example.com/users/sign_in', {}],
  ['to another site', 'https://example.okta.com/oauth2/v1/authorize', {}],
  ['to a route in its fragment', 'https://app.example.com/team#/login', {}],
])('a page that leads %s although the check has secrets says so', (_, to, more) => {
  expect(warnings({ from, to, ...more })).toEqual([
    `The page led to ${to}, which looks like a login, although the check has secrets. They may be wrong or out of date.`,
  ]);
});

test.each([
  ['stays where it was requested', from, { asksForPassword: true }],
  ['gets a last slash and a query', `${from}/?a=b`, { asksForPassword: true }],
  ['leads to a page without a login', 'https://app.example.com/authors/blogging', {}],
])('a page that %s has no such warning', (_, to, more) => {
  expect(warnings({ from, to, ...more })).toEqual([]);
});

test('a check without secrets has no such warning', () => {
  expect(warnings({ to: 'https://app.example.com/login', asksForPassword: true })).toEqual([]);
});

test('cookies and databases that the browser does not have are named, each once', () => {
  const unused = { refusedCookies: ['a', '__Host-b'], expiredCookies: ['sid', 'sid'], refusedDatabases: ['logins'] };
  expect(warnings({ from, to: from, ...unused })).toEqual([
    'The browser refused these cookies of the check: a, __Host-b.',
    'These cookies of the check have expired: sid. Log in again, and send the new ones.',
    'The browser could not fill these IndexedDB databases of the storage state: logins. Save the state again.',
  ]);
});
