import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../../../functions/auditor/child/browser.ts';
import { useSecrets } from '../../../functions/auditor/child/login.ts';
import { openEgressProxy } from '../../../functions/auditor/egress/proxy.ts';
import { prepareChromium } from '../../../functions/auditor/host/chromium.ts';
import { type Auditors, auditors } from '../../../functions/auditor/parent/auditors.ts';
import { WORK_DIR_PREFIX } from '../../../functions/auditor/parent/fork-child.ts';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import type { Secrets } from '../../../shared/options/secrets.ts';
import { auditorDir } from '../../support/auditor-dir.ts';
import { testChromium } from '../../support/chromium-dir.ts';
import { type LoginSite, secretsFor, serveLogin, valuesOf } from '../../support/login-site.ts';
import { anOrder } from '../../support/order.ts';

let lab: Auditors;
beforeAll(async () => {
  lab = auditors({
    targets: { targets: 'local', ports: [] },
    ...testChromium(),
    auditorDir: await auditorDir(),
  });
  await lab.prepare();
});
afterAll(async () => {
  await lab.close();
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(`${WORK_DIR_PREFIX}${process.pid}-`));
  expect(left).toEqual([]); // a profile has the cookies and the storage
});

/** Starts a browser that has the secrets, without Lighthouse. */
const start = async (url: string, secrets: Secrets) => {
  const workDir = await mkdtemp(join(tmpdir(), 'login-test-'));
  const proxy = await openEgressProxy({ targets: 'local', ports: [], url });
  const launch = {
    ...(await prepareChromium(testChromium())),
    proxyPort: proxy.port,
    workDir,
    sandbox: 'none',
  } as const;
  const { browser, page, close } = await launchBrowser(launch);
  onTestFinished(async () => {
    await close();
    await proxy.close();
    await rm(workDir, { recursive: true, force: true });
  });
  const session = await page.createCDPSession();
  await session.send('Security.setIgnoreCertificateErrors', { ignore: true }); // else no https server gets a request
  return { page, unused: await useSecrets(browser, page, { url, secrets }) };
};

const browse = async ({ received }: LoginSite, url: string, secrets: Secrets): Promise<void> => {
  const { page, unused } = await start(url, secrets);
  expect(unused).toEqual({ refusedCookies: [], expiredCookies: [], refusedDatabases: [] });
  expect(received).toEqual([]); // a connection that is open already would shorten the load
  await page.goto(url);
};

const requests = ({ received, origin }: LoginSite) => ({
  own: received.filter((each) => each.origin === origin),
  others: received.filter((each) => each.origin !== origin),
});
const wayOf = (path: string): string => /\/x\/([a-z-]+)/.exec(path)?.[1] ?? path;
const hasHeaders = ({ headers }: LoginSite['received'][number]): boolean =>
  headers['x-preview-token'] !== undefined || headers.authorization !== undefined;

/** Expects that no other origin got a secret. A cookie goes to its host, on all ports. */
const expectNoLeak = (site: LoginSite): void => {
  const { others } = requests(site);
  expect(others.filter(hasHeaders)).toEqual([]);
  const withCookie = others.filter(({ headers }) => headers.cookie !== undefined);
  expect(withCookie.filter(({ origin }) => !/^https?:\/\/app\.localhost:/.test(origin))).toEqual([]);
  for (const { path, headers } of others.filter(({ origin }) => !/\/app\./.test(origin)))
    expect(`${path} ${JSON.stringify(headers)}`).not.toMatch(/cookie-value|local\.token|session-storage/);
};

test('each way to send a request carries the headers to the origin and none elsewhere, also over redirects', async () => {
  await using site = await serveLogin();
  const { origin, cdn, otherPort, secure, via } = site;
  const names = ['img', 'fetch-no-cors', 'iframe', 'script', 'worker'];
  site.tries([
    ...[cdn, via(origin, cdn), origin].map((target) => ({ target })),
    ...[via(cdn, origin), via(origin, otherPort), via(origin, secure)].map((target) => ({ target, names })),
  ]);
  await browse(site, `${origin}/start`, secretsFor(origin));
  await site.settled();

  expectNoLeak(site);
  const { own, others } = requests(site);
  for (const each of [cdn, otherPort, secure]) {
    const ways = others.filter((other) => other.origin === each).map(({ path }) => wayOf(path));
    expect(ways).toEqual(expect.arrayContaining(names));
  }
  expect(others.length).toBeGreaterThan(120);
  const without = own.filter((each) => !hasHeaders(each)).map(({ path }) => wayOf(path));
  const beyondReach = ['websocket', 'worker-websocket', 'speculation-prefetch', 'speculation-prerender'];
  expect(without.filter((way) => !beyondReach.includes(way))).toEqual([]);
  expect(own.filter(hasHeaders).length).toBeGreaterThan(120);
});

test('a browser has the encoded values of a database, and names what it could not use', async () => {
  await using site = await serveLogin();
  const encoded = {
    o: [
      { k: 'at', v: { d: '2030-01-01T00:00:00.000Z' } },
      { k: 'bytes', v: { ta: { b: 'AQI=', k: 'ui8' } } },
      { k: 'list', v: { a: [{ v: 'undefined' }, { bi: '7' }, { ref: 1 }], id: 2 } },
    ],
    id: 1,
  };
  const index = { name: 'by-at', keyPath: 'at', multiEntry: false, unique: true };
  const store = { name: 's', autoIncrement: false, indexes: [index], records: [{ key: 'k', valueEncoded: encoded }] };
  const databases = [
    { name: 'good', version: 2, stores: [store] },
    { name: 'twice', version: 1, stores: [store, store] },
    { name: 'odd', version: 1, stores: [{ ...store, records: [{ key: 'k', valueEncoded: { unknown: 1 } }] }] },
    {
      name: 'same-key',
      version: 1,
      stores: [
        {
          ...store,
          records: [
            { key: 1, value: 1 },
            { key: 1, value: 2 },
          ],
        },
      ],
    },
  ];
  const domain = new URL(site.origin).hostname;
  const { page, unused } = await start(site.origin, {
    cookies: [
      { name: 'old', value: '1', domain, expires: 1_500_000_000 },
      { name: 'new', value: '1', domain, expires: 4_000_000_000 },
      { name: 'insecure', value: '1', domain, sameSite: 'None' },
    ],
    storageState: { cookies: [], origins: [{ origin: site.origin, localStorage: [], indexedDB: databases }] },
  });
  expect(unused).toEqual({
    refusedCookies: ['insecure'],
    expiredCookies: ['old'],
    refusedDatabases: ['twice', 'odd', 'same-key'],
  });
  await page.goto(`${site.origin}/login`);
  const script = `new Promise((resolve) => {
    indexedDB.open('good').onsuccess = ({ target: { result: db } }) => {
      db.transaction('s').objectStore('s').index('by-at').getAll().onsuccess = ({ target: { result } }) => {
        const [{ at, bytes, list }] = result;
        resolve([db.version, at.getUTCFullYear(), bytes instanceof Uint8Array, ...bytes, String(list[1]), list[2].at === at, document.cookie]);
      };
    };
  })`;
  expect(await page.evaluate(script)).toEqual([2, 2030, true, 1, 2, '7', true, 'new=1']);
});

/** Returns the values in the arguments and variables of all processes. */
const inProcesses = async (values: readonly string[]): Promise<string[]> => {
  const files = (await readdir('/proc'))
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => ''))); // it may have exited
  return texts.filter((text) => values.some((value) => text.includes(value)));
};

/** Returns the spellings of the values that a text must not have. */
const spellings = (values: readonly string[]): string[] =>
  values.flatMap((value) => [
    ...[value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), value.replaceAll('"', '&quot;')],
    Buffer.from(value).toString('base64').replace(/=*$/, ''),
    Buffer.from(`and ${value}`).toString('base64').slice(6, -4),
  ]);

const audit = async (url: string, auditVersion: AuditVersion, more: Partial<Parameters<typeof anOrder>[0]> = {}) => {
  const { secrets, ...options } = { secrets: secretsFor(new URL(url).origin), ...more };
  const order = { ...anOrder({ url, auditVersion, ...options }), secrets };
  const { report, ...result } = await lab.audit(order, new AbortController().signal);
  return { ...result, report: report ? gunzipSync(report.gzip).toString() : '' };
};

const someWays = ['img', 'fetch-no-cors', 'xhr', 'iframe', 'script', 'worker', 'shared-worker', 'service-worker'];
const otherWays = ['prefetch', 'beacon', 'redirect-307', 'redirect-iframe', 'websocket'];

test.each([
  ['13.5.0', undefined],
  ['12.8.2', ['seo', 'best-practices']],
  ['9.6.8', ['seo', 'best-practices']],
  ['11.7.1', ['seo']],
  ['10.4.0', ['seo']],
] as const)(
  'version %s measures the page behind the login, and no secret leaves its origin or the auditor',
  async (version, categories) => {
    await using site = await serveLogin();
    const { origin, cdn, via } = site;
    const names = [...someWays, ...otherWays];
    const isShort = categories?.length === 1;
    site.tries([cdn, via(origin, cdn)].map((target) => ({ target, names: isShort ? ['img'] : names })));
    const values = valuesOf(secretsFor(origin));
    const processes = site.firstPage.then(() => inProcesses(values));
    const { report, ...result } = await audit(`${origin}/start`, version, {
      ...(categories && { categories: [...categories] }),
    });

    expect(result).toMatchObject({ state: 'succeeded', finalUrl: `${origin}/page` });
    expect(result.warnings.join()).not.toMatch(/login|stored data/);
    expectNoLeak(site);
    const { own, others } = requests(site);
    expect(others.map(({ path }) => wayOf(path))).toEqual(expect.arrayContaining(isShort ? ['img'] : someWays));
    const without = own.filter((each) => !hasHeaders(each) && !each.upgrade).map(({ path }) => path);
    // The browser looks for a newer service worker by itself, and Lighthouse requests `robots.txt`.
    expect(without.filter((path) => !/^\/(robots\.txt|service-worker\.js)$/.test(path))).toEqual([]);
    const pages = own.filter(({ path }) => path === '/page');
    expect(pages.length).toBeGreaterThan(0);
    for (const { headers } of pages) expect(headers.cookie).toBe('session=cookie-value-1234567890');
    const states = own
      .filter(({ path }) => path.startsWith('/state'))
      .map(({ path }) => new URL(path, origin).searchParams);
    for (const state of states) {
      expect(state.get('local')).toBe('{"accessToken":"local.token.of-22-characters"}');
      expect(state.get('session')).toBe('session-storage-value');
      expect(state.get('database')).toBe('database.token.of-24-char');
    }
    expect(states.length).toBeGreaterThan(0);

    const texts = report + JSON.stringify(result);
    expect(spellings(values).filter((each) => texts.includes(each))).toEqual([]);
    if (!isShort) expect(report.split('[secret]').length).toBeGreaterThan(3);
    expect(JSON.parse(report).categories.seo.score).toBeGreaterThan(0);
    expect(await processes).toEqual([]);
  },
);

test.each(['13.5.0', '9.6.8'] as const)(
  'version %s reports a wrong password as the status of the page',
  async (version) => {
    await using site = await serveLogin();
    const basicAuth = { username: 'visitor-of-staging', password: 'wrong-password' };
    const secrets = { ...secretsFor(site.origin), basicAuth };
    const { state, ...rest } = await audit(`${site.origin}/page`, version, { secrets, categories: ['seo'] });
    expect(state).toBe('failed');
    expect(rest).toMatchObject({ error: { code: 'http-error', message: expect.stringContaining('401') } });
    expect(JSON.stringify(rest)).not.toContain('wrong-password');
  },
);

test('a page that leads to its login says so in a warning', async () => {
  await using site = await serveLogin();
  const { state, warnings } = await audit(`${site.origin}/expired`, '13.5.0', { categories: ['seo'] });
  expect(state).toBe('succeeded');
  expect(warnings.join()).toMatch(
    /led to http:\/\/app\.localhost:\d+\/login\?next=\/expired, which looks like a login/,
  );
});
