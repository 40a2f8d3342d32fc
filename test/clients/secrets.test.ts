import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSecrets } from '../../clients/cli/login/secrets.ts';
import { type Api, startApi } from '../support/api.ts';
import { runHere } from '../support/command-context.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const folder = temporaryFolder('cli-secrets');
const file = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const cookie = { name: 'session', value: 'ck-value', domain: 'app.example.com', path: '/', sameSite: 'Lax' };
const foreign = { ...cookie, name: 'ad', domain: '.tracker.example' };
const entries = [{ name: 'token', value: 'loc-value' }];
const state = {
  cookies: [cookie, foreign, { ...cookie, name: 'sso', domain: '.example.com', partitionKey: 'https://example.com' }],
  origins: [
    { origin: 'https://app.example.com', localStorage: entries },
    { origin: 'https://tracker.example', localStorage: entries },
  ],
};
/** Runs the command until it has created its checks. Returns what it printed, and the secrets that the service stored. */
const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(['run', 'https://app.example.com/', ...args, '--detach'], api.url);
  const id = stdout.trim().split('\n')[0] ?? '';
  const item = code === 0 ? (await api.world.find(id)).item : undefined;
  return { code, stderr, item, stored: item?.secretsKey && (await api.world.secrets.get(item.secretsKey)) };
};

test('the flags send headers, credentials, cookies and a storage state, without those of other sites', async () => {
  const { code, stderr, item, stored } = await run(
    ...['--header', 'X-Preview: hdr-value', '--header', `@${file('headers.txt', 'x-two: 2\n\nx-three:3\n')}`],
    ...['--basic-auth', `@${file('auth.txt', 'anna:pass:word\n')}`],
    ...['--cookie-file', file('cookies.json', [cookie, foreign])],
    ...['--storage-state', file('state.json', state)],
  );
  expect(code).toBe(0);
  const { domain: _, ...rest } = cookie;
  expect(stored).toEqual({
    headers: { 'X-Preview': 'hdr-value', 'x-two': '2', 'x-three': '3' },
    basicAuth: { username: 'anna', password: 'pass:word' },
    cookies: [cookie],
    storageState: {
      cookies: [cookie, { ...rest, name: 'sso', domain: '.example.com' }],
      origins: [{ origin: 'https://app.example.com', localStorage: entries }],
    },
  });
  expect(stderr).toContain('Left out for https://app.example.com/: 2 cookies and 1 origin of other sites.');
  expect(item).toMatchObject({ headers: ['x-preview', 'x-two', 'x-three'], basicAuth: true, cookies: ['session'] });
});

test('a secret text is sent from the flag or a file, with the recording that types it', async () => {
  const recording = {
    title: 'Log in',
    steps: [
      { type: 'navigate', url: 'https://app.example.com/' },
      { type: 'change', target: 'main', selectors: [['aria/Password'], ['#password']], value: { secret: 'password' } },
      { type: 'change', target: 'main', selectors: [['#code']], value: { secret: 'code' } },
    ],
  };
  const { code, item, stored } = await run(
    ...['--recording', file('login.json', recording), '--secret-text', `code=@${file('code.txt', ' code-value\n')}`],
    ...['--secret-text', 'password = pw-value'],
  );
  expect(code).toBe(0);
  expect(stored).toEqual({ secretTexts: { code: ' code-value', password: 'pw-value' } });
  expect(item).toMatchObject({
    secretTexts: ['code', 'password'],
    interactions: [
      { name: 'log-in', steps: [{ type: 'aria/Password', text: { secret: 'password' } }, { type: '#code' }] },
    ],
  });
});

test('a cookies.txt is read with its flags, and the credentials from the environment', () => {
  const text = [
    '# Netscape HTTP Cookie File',
    '.example.com\tTRUE\t/\tTRUE\t1900000000\tsso\tone',
    '#HttpOnly_app.example.com\tFALSE\t/a\tFALSE\t0\tsession\ttwo',
    '.other.example\tTRUE\t/\tTRUE\t0\tad\tthree',
    '.example.com\tTRUE\t/\tTRUE\t1500000000\told\tfour',
  ].join('\n');
  const options = { cookieFile: file('cookies.txt', text) };
  const { secrets, notes } = readSecrets(options, { PAGE_AUDIT_BASIC_AUTH: 'anna:p' })('https://app.example.com/');
  expect(secrets).toEqual({
    basicAuth: { username: 'anna', password: 'p' },
    cookies: [
      {
        name: 'sso',
        value: 'one',
        domain: '.example.com',
        path: '/',
        secure: true,
        httpOnly: false,
        expires: 1900000000,
      },
      {
        name: 'session',
        value: 'two',
        domain: 'app.example.com',
        path: '/a',
        secure: false,
        httpOnly: true,
        expires: -1,
      },
      expect.objectContaining({ name: 'old' }),
    ],
  });
  expect(notes).toEqual([
    'Left out for https://app.example.com/: 1 cookie of other sites.',
    'Expired cookies for https://app.example.com/: old. Log in again, and save the new ones.',
  ]);
});

test('without the flags nothing is sent', () => {
  expect(readSecrets({}, {})('https://example.com/')).toEqual({ secrets: {}, notes: [] });
});

test.each([
  ['a header without a name', ['--header', 'MARKER']],
  ['a header twice', ['--header', 'x-a: MARKER', '--header', 'X-A: MARKER']],
  ['credentials without a colon', ['--basic-auth', 'MARKER']],
  ['a missing file', ['--storage-state', join(folder, 'none.json')]],
  ['a file without an end', ['--basic-auth', '@/dev/zero']],
  ['a file that is no JSON', ['--storage-state', file('wrong.json', '{"cookies": MARKER')]],
  ['cookies that are no list', ['--cookie-file', file('object.json', { MARKER: 1 })]],
  ['a storage state that is none', ['--storage-state', file('list.json', ['MARKER'])]],
  ['a line of a cookies.txt with three fields', ['--cookie-file', file('short.txt', 'a.example\tTRUE\tMARKER')]],
  ['a value that the service refuses', ['--header', 'x-a: MARKER\u0001']],
  ['a secret text without a name', ['--secret-text', 'MARKER']],
  ['a secret text twice', ['--secret-text', 'a=MARKER', '--secret-text', 'a=MARKER']],
  ['a secret text that no step types', ['--secret-text', 'a=MARKER']],
  ['a forbidden header', ['--header', 'host: MARKER']],
])('%s is wrong use, and no message has the value', async (_, args) => {
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr.trim()).not.toBe('');
  expect(stderr).not.toContain('MARKER');
});
