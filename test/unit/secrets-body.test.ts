import { expect, test } from 'vitest';
import { parseCheckBody } from '../../functions/lib/http/check-body.ts';
import { problemResult } from '../../functions/lib/http/response.ts';
import type { ApiProblemError } from '../../shared/problems.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';
import { libraryWords } from '../support/problem.ts';

const rules = { regions: ['us-west1'], targets: { targets: 'local', ports: DEFAULT_PORTS } } as const;
const aBody = { url: 'https://app.example.co.uk/a', auditVersion: '13', regions: ['us-west1'] };
const parse = (secrets: object, url = aBody.url) => parseCheckBody({ ...aBody, url, ...secrets }, rules);
const errorsOf = (secrets: object, url?: string) => {
  try {
    parse(secrets, url);
    return [];
  } catch (error) {
    return (error as ApiProblemError).errors ?? [];
  }
};
const pathsOf = (secrets: object, url?: string) => errorsOf(secrets, url).map(({ path }) => path);

const cookie = { name: 'session', value: 'abc', domain: '.example.co.uk' };
const entry = { name: 'token', value: 'xyz' };
const origin = { origin: 'https://app.example.co.uk', localStorage: [entry] };
const state = { cookies: [cookie], origins: [{ ...origin, sessionStorage: [entry] }] };
const all = {
  headers: { 'X-Preview-Token': 'pppppp' },
  basicAuth: { username: 'anna', password: 'secret: with colon' },
  cookies: [{ ...cookie, path: '/', secure: true, httpOnly: true, sameSite: 'Lax', expires: -1 }],
  storageState: state,
  secretTexts: { password: 'correct horse' },
};
const typing = (secret: string) => [
  { name: 'login', steps: [{ click: '#open' }, { type: '#password', text: { secret } }] },
];
const interactions = typing('password');

test('the inputs of a check have the names of its secrets, and its body has nothing of them', () => {
  const { body, inputs, secrets } = parse({ ...all, interactions });
  expect(secrets).toEqual(all);
  expect(body).toEqual({ ...aBody, interactions });
  expect(inputs).toEqual({
    ...aBody,
    interactions,
    auditVersion: '13.5.0',
    headers: ['x-preview-token'],
    basicAuth: true,
    cookies: ['session'],
    storageState: { cookies: ['session'], origins: ['https://app.example.co.uk'] },
    secretTexts: ['password'],
  });
});

test('a check without secrets has none of their fields', () => {
  const { inputs, secrets } = parse({});
  expect(secrets).toBeUndefined();
  expect(Object.keys(inputs)).toEqual(['url', 'auditVersion', 'regions']);
});

test('fields that newer versions of Playwright write beside a cookie are accepted and left out', () => {
  const written = { ...cookie, expires: 1900000000.5, partitionKey: 'https://x', _crHasCrossSiteAncestor: false };
  const { secrets } = parse({
    storageState: { cookies: [written], origins: [{ ...origin, indexedDB: [] }] },
  });
  expect(secrets?.storageState).toEqual({
    cookies: [{ ...cookie, expires: 1900000000.5 }],
    origins: [{ ...origin, indexedDB: [] }],
  });
});

const aStore = { name: 's', autoIncrement: false, keyPath: 'id', indexes: [], records: [{ value: { id: 1 } }] };
const stateWith = (store: object) => ({
  storageState: { cookies: [], origins: [{ ...origin, indexedDB: [{ name: 'd', version: 1, stores: [store] }] }] },
});
const STORES = 'storageState.origins.0.indexedDB.0.stores';
const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);

const many = (count: number) => Array.from({ length: count }, (_, i) => i);
const headers = (count: number) => Object.fromEntries(many(count).map((i) => [`x-${i}`, 'v']));

test.each([
  ['20 headers', { headers: headers(20) }, []],
  ['21 headers', { headers: headers(21) }, ['headers']],
  ['a header twice', { headers: { 'x-a': '1', 'X-A': '2' } }, ['headers']],
  ...['Host', 'cookie', 'Connection', 'Proxy-Authorization', 'proxy-x', 'content-length', 'Transfer-Encoding'].map(
    (name): [string, object, string[]] => [`the header ${name}`, { headers: { [name]: 'v' } }, [`headers.${name}`]],
  ),
  ['a header with a line break', { headers: { 'x-a': 'a\r\nx-b: c' } }, ['headers.x-a']],
  ['a header with a control character', { headers: { 'x-a': 'a\u0000' } }, ['headers.x-a']],
  ['a header of a number', { headers: { 'x-a': 5 } }, ['headers.x-a']],
  ['a value in place of a header name', { headers: { 'Bearer MARKER': '' } }, ['headers']],
  ['a value in place of a header name and no text', { headers: { 'Bearer MARKER': 5 } }, ['headers']],
  ['credentials without a password', { basicAuth: { username: 'a' } }, ['basicAuth.password']],
  ['a user name with a colon', { basicAuth: { username: 'a:b', password: '' } }, ['basicAuth.username']],
  ['credentials twice', { basicAuth: all.basicAuth, headers: { Authorization: 'Bearer x' } }, ['basicAuth']],
  ['180 cookies', { cookies: many(180).map(() => cookie) }, []],
  ['181 cookies', { cookies: many(181).map(() => cookie) }, ['cookies']],
  ['a cookie without a domain', { cookies: [{ name: 'a', value: 'b' }] }, ['cookies.0.domain']],
  ['a cookie with an unknown field', { cookies: [{ ...cookie, url: 'x' }] }, ['cookies.0']],
  ['a cookie whose value ends it', { cookies: [{ ...cookie, value: 'a; domain=x' }] }, ['cookies.0.value']],
  [
    'an origin with a path',
    { storageState: { cookies: [], origins: [{ ...origin, origin: 'https://a.example.co.uk/' }] } },
    ['storageState.origins.0.origin'],
  ],
  ['a database of Playwright', stateWith(aStore), []],
  ['a record without a key', stateWith({ ...aStore, keyPath: undefined }), [`${STORES}.0`]],
  ['a database with another field', stateWith({ ...aStore, more: 1 }), [`${STORES}.0`]],
  ['a value of 50,000 levels', stateWith({ ...aStore, records: [{ value: deep }] }), [`${STORES}.0.records.0.value`]],
  ['a storage state without origins', { storageState: { cookies: [] } }, ['storageState.origins']],
])('%s: the errors name these paths', (_, secrets, paths) => {
  expect(pathsOf(secrets)).toEqual(paths);
});

test.each([
  ['https://app.example.co.uk/', 'example.co.uk', true],
  ['https://app.example.co.uk/', '.example.co.uk', true],
  ['https://app.example.co.uk/', 'login.EXAMPLE.co.uk', true],
  ['https://app.example.co.uk/', 'co.uk', false],
  ['https://app.example.co.uk/', 'other.co.uk', false],
  ['https://app.example.co.uk/', 'notexample.co.uk', false],
  ['https://me.github.io/', 'me.github.io', true],
  ['https://me.github.io/', 'you.github.io', false],
  ['https://me.github.io/', 'github.io', false],
  ['http://127.0.0.1:8080/', '127.0.0.1', true],
  ['http://127.0.0.1:8080/', '127.0.0.2', false],
  ['http://localhost:8080/', 'localhost', true],
  ['http://localhost:8080/', 'example.com', false],
])('a cookie of a check of %s for the domain %s is accepted: %s', (url, domain, isAccepted) => {
  expect(pathsOf({ cookies: [{ ...cookie, domain }] }, url)).toEqual(isAccepted ? [] : ['cookies.0.domain']);
});

test('a foreign domain and a foreign origin are named, and so is the accepted one', () => {
  const foreign = {
    cookies: [cookie, { ...cookie, domain: '.tracker.example' }],
    origins: [{ ...origin, origin: 'https://login.example.com' }],
  };
  expect(errorsOf({ storageState: foreign })).toEqual([
    {
      path: 'storageState.cookies.1.domain',
      message: 'The domain .tracker.example must belong to example.co.uk, as the URL does. Leave this entry out.',
    },
    {
      path: 'storageState.origins.0.origin',
      message:
        'The origin https://login.example.com must belong to example.co.uk, as the URL does. Leave this entry out.',
    },
  ]);
});

test('all secrets together have at most 64 KiB', () => {
  const room = 64 * 1024 - Buffer.byteLength(JSON.stringify({ headers: { 'x-a': '' }, basicAuth: all.basicAuth }));
  const of = (length: number) => ({ headers: { 'x-a': 'a'.repeat(length) }, basicAuth: all.basicAuth });
  expect(pathsOf(of(room))).toEqual([]);
  expect(errorsOf(of(room + 1))).toEqual([{ path: 'headers', message: expect.stringMatching(/65536 bytes together/) }]);
});

test('a step whose secret text is missing is named, and so is a text that no step types', () => {
  const path = 'interactions.0.steps.1.text';
  const message =
    'The secret text that step 2 of the interaction login types is missing. Send it in `secretTexts` by its name.';
  const { secretTexts } = all;
  expect(errorsOf({ interactions })).toEqual([{ path, message }]);
  expect(errorsOf({ interactions: typing('value-in-place-of-a-name'), secretTexts })).toEqual([
    { path, message },
    { path: 'secretTexts', message: 'No step types the secret texts password. Leave them out.' },
  ]);
  expect(pathsOf({ secretTexts })).toEqual(['secretTexts']);
  expect(pathsOf({ secretTexts, interactions: [{ name: 'login', steps: [] }] })).toEqual(['interactions.0.steps']);
  expect(pathsOf({ secretTexts, interactions, artifacts: ['trace'] })).toEqual(['artifacts']);
});

test.each([
  ['https://www.example.co.uk/', []],
  ['https://other.co.uk/', ['against.url']],
])('a secret text with a second variant at %s: the errors name %j', (url, paths) => {
  expect(pathsOf({ interactions, secretTexts: all.secretTexts, against: { url } })).toEqual(paths);
});

/** Values of which no problem document may have a part. */
const MARKER = 'MARKER';
const wrong: Record<string, object> = {
  'a header with a line break': { headers: { 'x-a': `${MARKER}\n` } },
  'headers as a text': { headers: `authorization: ${MARKER}` },
  'headers as a list': { headers: [`authorization: ${MARKER}`] },
  'a header name that is a value': { headers: { [`Bearer ${MARKER}`]: '' } },
  'credentials as a text': { basicAuth: `anna:${MARKER}` },
  'a password of another type': { basicAuth: { username: MARKER, password: [MARKER] } },
  'an unknown field of credentials': { basicAuth: { username: 'a', password: MARKER, [MARKER]: 1 } },
  'a wrong cookie': { cookies: [{ name: MARKER, value: `${MARKER};`, domain: 'example.co.uk' }] },
  'cookies as a text': { cookies: JSON.stringify([{ value: MARKER }]) },
  'a foreign cookie': { cookies: [{ name: MARKER, value: MARKER, domain: 'example.com' }] },
  'a wrong expiry': { cookies: [{ ...cookie, value: MARKER, expires: MARKER, sameSite: MARKER }] },
  'a wrong storage': { storageState: { cookies: [], origins: [{ ...origin, localStorage: { [MARKER]: MARKER } }] } },
  'a foreign storage': {
    storageState: {
      cookies: [],
      origins: [{ origin: 'https://x.example', localStorage: [{ name: MARKER, value: MARKER }] }],
    },
  },
  'a secret text as a text': { secretTexts: `password=${MARKER}` },
  'a name that is a secret text': { interactions, secretTexts: { [`${MARKER} 1`]: 'password' } },
  'a secret text of another type': { interactions, secretTexts: { password: [MARKER] } },
  'a short secret text': { interactions, secretTexts: { password: MARKER.slice(1) } },
  'a secret text in place of its name': { interactions: typing(MARKER.toLowerCase()) },
  'too much': { headers: { 'x-a': MARKER.repeat(11_000) } },
};

test.each(Object.entries(wrong))('the problem about %s has no value and no words of a library', (_, secrets) => {
  const error = (() => {
    try {
      parse(secrets);
      return undefined;
    } catch (thrown) {
      return thrown;
    }
  })();
  const { body, statusCode } = problemResult(error, { requestId: 'r', path: '/v1/checks' });
  expect(statusCode).toBe(400);
  expect(body).not.toContain(MARKER);
  expect(body).not.toMatch(libraryWords);
  const { errors } = JSON.parse(body as string);
  for (const { path } of errors)
    expect(path).toMatch(/^(headers|basicAuth|cookies|storageState|secretTexts|interactions\.0\.steps)/);
});
