import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { environmentOf, startService } from '../../infra/local/service.ts';
import { Settings, settingsFrom } from '../../infra/local/start-settings.ts';
import { AuditEnv } from '../../shared/service/env.ts';
import { libraryWords } from '../support/problem.ts';

vi.mock('node:dns/promises', async (original) => ({ ...(await original<object>()), lookup: vi.fn() }));

test('by default only this machine can use the service, and its pages can be audited', () => {
  expect(settingsFrom({})).toMatchObject({
    host: '127.0.0.1',
    port: 4080,
    dataDir: resolve('.local'),
    auth: 'open',
    targets: 'local',
    corsOrigins: [],
    logLevel: 'ERROR',
  });
});

test('each setting reaches the auditors, also where the environment leaves it out', async () => {
  const given = {
    AUDITS_AT_ONCE: '3',
    TIMED_AT_ONCE: '2',
    SANDBOX: 'required',
    TARGETS: 'public',
    TARGETS_ALLOW: 'a.test',
  };
  const documented = readFileSync('infra/local/SETTINGS.md', 'utf8');
  const names = Object.keys(Settings.shape).filter(
    (name) => name in AuditEnv.shape && !/^(CHROMIUM|EXTRA_CA)/.test(name),
  );
  expect(Object.keys(given)).toEqual(expect.arrayContaining(names.filter((name) => !/_DAYS$/.test(name))));
  const [usual, chosen] = await Promise.all([{}, given].map((env) => environmentOf(settingsFrom(env))));
  expect(chosen).toMatchObject(given);
  const defaults = names.flatMap((name) => {
    const [, value] = new RegExp(`^\\| \`${name}\` \\| \`?(\\w+)\`? \\|`, 'm').exec(documented) ?? [];
    return value === undefined || value === 'none' ? [] : [[name, value]];
  });
  expect(defaults).toContainEqual(['SANDBOX', 'tested']);
  expect(usual).toMatchObject(Object.fromEntries(defaults));
});

test.each([
  [{}, 90, 400],
  [{ RETENTION_DAYS: '7' }, 7, 7],
  [{ RETENTION_DAYS: '1000' }, 1000, 1000],
  [{ TREND_DAYS: '30' }, 90, 30],
  [{ RETENTION_DAYS: '7', TREND_DAYS: '400' }, 7, 400],
])('%o keeps checks for %i days and entries of series for %i', (env, retentionDays, trendDays) => {
  expect(settingsFrom(env)).toMatchObject({ retentionDays, trendDays });
});

test.each(['0.0.0.0', '::', '192.0.2.1', 'example.com'])('HOST=%s is rejected without keys', (HOST) => {
  expect(() => settingsFrom({ HOST })).toThrow(/^With HOST=.* Set AUTH=keys too, or leave HOST at 127.0.0.1./);
});

test.each(['localhost', '127.0.0.1', '127.1.2.3', '::1'])('HOST=%s needs no keys', (HOST) => {
  expect(settingsFrom({ HOST })).toMatchObject({ host: HOST, auth: 'open', targets: 'local' });
});

test.each([{ HOST: '0.0.0.0' }, {}])(
  'a service with keys and %o audits only public pages, unless TARGETS=local',
  (host) => {
    const env = { ...host, AUTH: 'keys' };
    expect(settingsFrom(env)).toMatchObject({ targets: 'public' });
    expect(settingsFrom({ ...env, TARGETS: 'local' })).toMatchObject({ targets: 'local' });
  },
);

test('pages of every origin may read a service with keys only', () => {
  const all = { CORS_ORIGINS: 'https://a.example,*' };
  expect(() => settingsFrom(all)).toThrow(
    /^With CORS_ORIGINS=\* .* Name the origins in CORS_ORIGINS, or set AUTH=keys too\.$/,
  );
  expect(settingsFrom({ ...all, AUTH: 'keys' })).toMatchObject({ corsOrigins: ['https://a.example', '*'] });
  expect(settingsFrom({ CORS_ORIGINS: 'https://a.example' })).toMatchObject({ auth: 'open' });
});

test('without keys, a name that leads to an address of other machines stops the start', async () => {
  vi.mocked(lookup).mockResolvedValue({ address: '192.0.2.7', family: 4 });
  const start = startService(settingsFrom({ HOST: 'localhost', PORT: '0' }), () => {});
  await expect(start).rejects.toThrow(
    /^HOST=localhost leads to 192\.0\.2\.7, .* Set HOST=127\.0\.0\.1, or AUTH=keys\.$/,
  );
});

test('each invalid setting is named with the values that it accepts', () => {
  const env = { PORT: 'many', AUDITS_AT_ONCE: '0', AUTH: 'none', CORS_ORIGINS: 'example.com' };
  expect(() => settingsFrom(env)).toThrow(/PORT: .*\n +AUDITS_AT_ONCE: .*\n +AUTH: .*\n +CORS_ORIGINS/);
  expect(() => settingsFrom(env)).toThrow('PORT: Use a whole number from 0 to 65535.');
  expect(() => settingsFrom(env)).toThrow('AUDITS_AT_ONCE: Use a whole number from 1 to 64.');
  expect(() => settingsFrom(env)).toThrow('AUTH: Use one of open, keys.');
});

test.each(Object.keys(Settings.shape))('the message about a wrong %s is in our own words', (name) => {
  const messages = ['', 'x', '-1', '1.5', '1e9', ','].flatMap((value) => {
    const parsed = Settings.safeParse({ [name]: value });
    return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  });
  expect(messages.length).toBeGreaterThan(0);
  for (const message of messages) {
    expect(message).toMatch(/^Use |must be an origin/);
    expect(message).not.toMatch(libraryWords);
  }
});
