import { expect, test } from 'vitest';
import { serviceOf, withoutOwn } from '../../clients/cli/environment.ts';

const own = { PAGE_AUDIT_URL: 'https://own.example', PAGE_AUDIT_KEY: 'own' };
const lhci = { LHCI_SERVER_BASE_URL: 'https://lhci.example', LHCI_TOKEN: 'token' };
const ofOwn = { url: 'https://own.example', variable: 'PAGE_AUDIT_URL' };
const ofLhci = { url: 'https://lhci.example', variable: 'LHCI_SERVER_BASE_URL' };

test.each([
  ['no variable', {}, { url: undefined, variable: 'PAGE_AUDIT_URL', key: undefined }],
  ['its own', own, { ...ofOwn, key: 'own' }],
  ["those of Lighthouse CI's workflow", lhci, { ...ofLhci, key: 'token' }],
  ['both, of which its own count', { ...own, ...lhci }, { ...ofOwn, key: 'own' }],
  ['its own key and the other URL', { ...lhci, PAGE_AUDIT_KEY: 'own' }, { ...ofLhci, key: 'own' }],
  ['empty ones of its own', { PAGE_AUDIT_URL: '', PAGE_AUDIT_KEY: '', ...lhci }, { ...ofLhci, key: 'token' }],
  ['an empty token', { ...lhci, LHCI_TOKEN: '' }, { ...ofLhci, key: undefined }],
  [
    'its own URL, which never gets the other token',
    { ...lhci, PAGE_AUDIT_URL: own.PAGE_AUDIT_URL },
    { ...ofOwn, key: undefined },
  ],
])('the command reads %s', (_, env, service) => {
  expect(serviceOf(env)).toEqual(service);
});

test('a process that the command starts gets no key', () => {
  expect(withoutOwn({ ...own, ...lhci, PATH: '/bin' })).toEqual({
    LHCI_SERVER_BASE_URL: 'https://lhci.example',
    PATH: '/bin',
  });
});
