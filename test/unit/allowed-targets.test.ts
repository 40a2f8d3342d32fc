import { afterEach, describe, expect, test } from 'vitest';
import { isPrivateAddress } from '../../functions/lib/targets/addresses.ts';
import { closeToPages } from '../../functions/lib/targets/audit-ports.ts';
import { refusalOf, targetPolicy } from '../../functions/lib/targets/public-addresses.ts';
import { settingsFrom } from '../../infra/local/start-settings.ts';
import { workerSettingsFrom } from '../../infra/local/worker-settings.ts';
import { DEFAULT_PORTS, TargetsEnv } from '../../shared/service/env.ts';
import { entriesOf } from '../support/allowed-elsewhere.ts';
import { cleanUp, dialsTo, open, origin, PUBLIC, request } from '../support/egress.ts';

afterEach(cleanUp);

const allowing = (text: string, targets: 'public' | 'local' = 'public') =>
  ({ targets, ports: DEFAULT_PORTS, allowed: entriesOf(text) }) as const;

describe('the setting', () => {
  test.each([
    ['intranet.example', { kind: 'host', value: 'intranet.example' }],
    ['Build:3000', { kind: 'host', value: 'build', port: 3000 }],
    ['*.test', { kind: 'suffix', value: 'test' }],
    [' *.shop.Corp:8000 ', { kind: 'suffix', value: 'shop.corp', port: 8000 }],
    ['*.bücher.test', { kind: 'suffix', value: 'xn--bcher-kva.test' }],
    ['10.1.0.0/16', { kind: 'range', value: '10.1.0.0/16' }],
    ['10.1.2.3', { kind: 'range', value: '10.1.2.3/32' }],
    ['10.1.0.0/16:3000', { kind: 'range', value: '10.1.0.0/16', port: 3000 }],
    ['fd12::/16', { kind: 'range', value: 'fd12::/16' }],
    ['fd12::1', { kind: 'range', value: 'fd12::1/128' }],
    ['[fd12::/16]:3000', { kind: 'range', value: 'fd12::/16', port: 3000 }],
    ['[fd12::1]', { kind: 'range', value: 'fd12::1/128' }],
  ])('%j is an entry', (text, entry) => {
    expect(entriesOf(text)).toEqual([{ ...entry, text: text.trim().toLowerCase() }]);
  });

  test.each([
    ...['*', '*.', '10.1', '10.1.0.0/33', '127.1', '0x0a000001', 'http://intranet.example', 'a.test/path', 'a.test:0'],
    ...['a.test:65536', 'a.test:http', '*.*.test', 'a.*.test', 'fd12::/129', '[fd12::1', 'user@a.test', 'a b.test'],
    ...['localhost', 'shop.localhost', '*.localhost'],
  ])('%j is refused', (text) => {
    expect(TargetsEnv.safeParse({ TARGETS_ALLOW: text }).error?.issues[0]?.message).toContain(`"${text}"`);
    expect(() => settingsFrom({ TARGETS_ALLOW: `*.test,${text}` })).toThrow(/TARGETS_ALLOW/);
  });

  test.each([
    ...['127.0.0.0/8', '::1', '169.254.0.0/16', '169.254.169.254', 'fe80::/10', 'fd00:ec2::254', '168.63.129.16'],
    ...['100.100.100.200', 'fd20:ce::254', '224.0.0.0/4', '0.0.0.0/8', '240.0.0.0/4', '::ffff:0:0/96', '64:ff9b::/96'],
  ])('an entry that is only %s stops the start', (text) => {
    expect(() => settingsFrom({ TARGETS_ALLOW: text })).toThrow(/only addresses that no page may use/);
    expect(() => workerSettingsFrom({ TARGETS_ALLOW: text })).toThrow(/only addresses that no page may use/);
  });

  test('the service passes the entries on, and has none by default', () => {
    expect(settingsFrom({ TARGETS_ALLOW: '*.test, 10.1.0.0/16' }).targetsAllow).toBe('*.test,10.1.0.0/16');
    expect(settingsFrom({})).not.toHaveProperty('targetsAllow');
    expect(TargetsEnv.parse({}).TARGETS_ALLOW).toEqual([]);
  });
});

describe('at creation', () => {
  const policy = allowing('*.test,intranet.example,build:3000,10.1.0.0/16,[fd12::/16]:8000,www.example.com:3000');

  test.each([
    ...['http://shop.test/', 'https://a.b.test:8443/', 'http://intranet.example/', 'http://build:3000/'],
    ...['http://10.1.255.255/', 'http://[fd12::7]:8000/', 'http://www.example.com:3000/', 'http://www.example.com/'],
  ])('%s is accepted', (url) => expect(refusalOf(url, policy)).toBeUndefined());

  test.each([
    ...['http://test/', 'http://shop.test.corp/', 'http://a.intranet.example/', 'http://xintranet.example/'],
    ...['http://10.2.0.1/', 'http://[fd13::7]:8000/', 'http://[::ffff:10.1.0.1]/', 'http://169.254.169.254/'],
    ...['http://metadata.google.internal/', 'http://localhost/', 'http://127.0.0.1/'],
    ...['http://shop.test:3000/', 'http://build/', 'http://[fd12::7]/', 'http://example.com:3000/'], // ports
  ])('%s is refused', (url) => expect(refusalOf(url, policy)?.code).toBe('forbidden-target'));

  test('a range of everything includes no address that no page may use', () => {
    const everything = allowing('0.0.0.0/0,::/0');
    for (const url of ['http://10.0.0.1/', 'http://192.168.1.1/', 'http://100.64.0.1/', 'http://[fd00::1]/'])
      expect(refusalOf(url, everything)).toBeUndefined();
    const never = ['169.254.169.254', '168.63.129.16', '100.100.100.200', '127.0.0.1', '0.0.0.0', '224.0.0.1'];
    const never6 = ['fd00:ec2::254', 'fe80::1', '::1', '::', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::'];
    for (const host of [...never, ...never6.map((each) => `[${each}]`)])
      expect([host, refusalOf(`http://${host}/`, everything)?.code]).toEqual([host, 'forbidden-target']);
  });

  test('a refusal names the setting to a caller who may be the operator, unless it does not help', () => {
    const local = allowing('', 'local');
    const hint = (url: string) => /add (\S+) to TARGETS_ALLOW/.exec(refusalOf(url, local)?.message ?? '')?.[1];
    expect(hint('http://10.0.0.1/')).toBe('10.0.0.1');
    expect(hint('http://10.0.0.1:3000/')).toBe('10.0.0.1:3000');
    expect(hint('http://[fd12::1]:3000/')).toBe('[fd12::1]:3000');
    expect(hint('http://shop.test/')).toBe('shop.test');
    expect(hint('http://example.com:3000/')).toBe('example.com:3000');
    for (const url of ['http://169.254.169.254/', 'http://[fe80::1]/', 'http://example.com:25/'])
      expect(refusalOf(url, local)?.message).not.toMatch(/TARGETS_ALLOW/);
    expect(refusalOf('http://10.0.0.1/', allowing(''))?.message).not.toMatch(/TARGETS_ALLOW/);
  });
});

describe('as a page loads something', () => {
  const ALLOWED = '*.test,intranet.example:3000,10.1.0.0/16';
  const NAMES: Record<string, string> = {
    'shop.test': '192.168.1.5',
    'intranet.example': '10.9.0.1',
    'staging.example.com': '10.1.0.7', // listed by its address only
    'cdn.example.com': PUBLIC,
    'imds.test': '169.254.169.254',
    'imds6.test': 'fd00:ec2::254',
    'loop.test': '127.0.0.1',
    'other.example.com': '10.2.0.1',
  };
  const proxyFor = async (url: string, more = {}) => {
    const { dialled, connect } = dialsTo(await origin());
    const lookup = (host: string) => [NAMES[host] ?? PUBLIC];
    const proxy = await open({ policy: { url, ...allowing(ALLOWED), ...more }, lookup, connect });
    const get = async (host: string, port = 80) => (await request(proxy, host, port)).code;
    return { proxy, dialled, get, reason: (host: string, port = 80) => proxy.lastDecision(host, port)?.reason };
  };
  const inside = [
    'http://shop.test/',
    'http://intranet.example:3000/',
    'http://10.1.0.9/',
    'http://staging.example.com/',
  ];

  test.each(inside)('the page of %s uses all listed hosts, and public ones', async (url) => {
    const { get, dialled } = await proxyFor(url);
    const codes = [await get('shop.test', 443), await get('intranet.example', 3000), await get('10.1.0.9')];
    codes.push(await get('staging.example.com'), await get('cdn.example.com'));
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    expect(dialled.map(({ host }) => host)).toEqual(['192.168.1.5', '10.9.0.1', '10.1.0.9', '10.1.0.7', PUBLIC]);
  });

  test('a page of a public host uses no listed host', async () => {
    const { get, dialled, reason } = await proxyFor('https://cdn.example.com/');
    const codes = [await get('shop.test'), await get('intranet.example', 3000), await get('10.1.0.9')];
    codes.push(await get('staging.example.com'));
    expect(codes).toEqual([2, 2, 2, 2]);
    expect(reason('shop.test')).toMatch(/^Only a check whose own URL is on a host of TARGETS_ALLOW/);
    expect(await get('example.com')).toBe(0);
    expect(dialled).toHaveLength(1);
  });

  test.each(['public', 'local'] as const)(
    'with %s targets a listed name that leads elsewhere is refused',
    async (targets) => {
      const { get, dialled } = await proxyFor('http://shop.test/', { targets });
      const codes = [await get('imds.test'), await get('imds6.test'), await get('169.254.169.254')];
      codes.push(await get('other.example.com'), await get('localhost'), await get('127.0.0.1'), await get('::1'));
      expect(codes).toEqual([2, 2, 2, 2, 2, 2, 2]);
      expect(dialled).toEqual([]);
    },
  );

  test('a name has one answer per audit, so a page can not rebind it', async () => {
    const answers = [[PUBLIC], ['10.1.0.7'], ['169.254.169.254']];
    const { dialled, connect } = dialsTo(await origin());
    const policy = { url: 'https://evil.example.com/', ...allowing(ALLOWED) };
    const proxy = await open({ policy, connect, lookup: () => answers.shift() ?? [] });
    for (let turn = 0; turn < 3; turn += 1) expect((await request(proxy, 'evil.example.com', 443)).code).toBe(0);
    expect(dialled.map(({ host }) => host)).toEqual([PUBLIC, PUBLIC, PUBLIC]);
  });

  test('a name with a listed and a public address makes its page no page of a listed host', async () => {
    const { dialled, connect } = dialsTo(await origin());
    const policy = { url: 'https://mixed.example.com/', ...allowing(ALLOWED) };
    const proxy = await open({ policy, connect, lookup: () => [PUBLIC, '10.1.0.7'] });
    expect((await request(proxy, 'mixed.example.com', 443)).code).toBe(2);
    expect(dialled).toEqual([]);
  });

  test('an entry opens its port for its own hosts only', async () => {
    const { get } = await proxyFor('http://shop.test/');
    expect([await get('intranet.example'), await get('shop.test', 3000), await get('10.1.0.9', 3000)]).toEqual([
      2, 2, 2,
    ]);
    expect(await get('cdn.example.com', 3000)).toBe(2);
  });

  test('with local targets a listed name may lead to loopback, but not to ports of the service', async () => {
    const { get, reason } = await proxyFor('http://loop.test/', { targets: 'local', ownPorts: [8443] });
    expect([await get('loop.test'), await get('loop.test', 8443)]).toEqual([0, 2]);
    expect(reason('loop.test', 8443)).toBe('The host is a part of this service itself, and no page may use it.');
    const reopen = closeToPages(8080);
    expect(await get('loop.test', 8080)).toBe(2);
    reopen();
    const { get: publicGet } = await proxyFor('http://loop.test/');
    expect(await publicGet('loop.test')).toBe(2);
  });

  test('a page of this machine uses listed hosts too', async () => {
    const { get } = await proxyFor('http://localhost:3000/', { targets: 'local' });
    expect([await get('shop.test'), await get('10.1.0.9')]).toEqual([0, 0]);
  });

  test('an endpoint of the service inside the network stays closed', async () => {
    const env = TargetsEnv.parse({ TARGETS_ALLOW: ALLOWED, AWS_ENDPOINT_URL_S3: 'http://store.test:8080' });
    const { dialled, connect } = dialsTo(await origin());
    const policy = { ...targetPolicy(env), url: 'http://shop.test/' };
    const lookup = (host: string) => [host.includes('store') ? '10.1.0.3' : '10.1.0.4'];
    const proxy = await open({ policy, connect, lookup });
    const codes = [await request(proxy, 'store.test', 8080), await request(proxy, 'alias-of-store.test', 8080)];
    codes.push(await request(proxy, '10.1.0.3', 8080));
    expect(codes.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect((await request(proxy, '10.1.0.3', 80)).code).toBe(0);
    expect((await request(proxy, '10.1.0.4', 8080)).code).toBe(0);
    expect(dialled).toHaveLength(2);
  });

  test('the refusal of a check names the setting to its operator', async () => {
    const { get, reason } = await proxyFor('http://other.example.com/', { targets: 'local' });
    expect(await get('other.example.com')).toBe(2);
    expect(reason('other.example.com')).toBe(
      'The host resolves to a non-public address. To audit it, add other.example.com to TARGETS_ALLOW, and restart the service.',
    );
  });
});

test.each([...['10.0.0.1', '172.31.255.255', '192.168.0.1', '100.64.0.1', 'fc00::1', 'fd12::1']])(
  '%s is private',
  (address) => expect(isPrivateAddress(address)).toBe(true),
);

test.each([
  ...['127.0.0.1', '169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', '0.0.0.0', '255.255.255.255'],
  ...['::1', '::', 'fe80::1', 'fec0::1', 'fd00:ec2::254', 'fd00:ec2::253', 'fd20:ce::254', 'fd00:42::42', 'ff02::1'],
  ...['::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::', '2001::1', 'fd12::5efe:a00:1', '93.184.216.34', '10.1'],
])('%s is not private', (address) => expect(isPrivateAddress(address)).toBe(false));
