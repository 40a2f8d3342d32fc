import { describe, expect, test } from 'vitest';
import { isLoopbackAddress, isPublicAddress } from '../../functions/lib/targets/addresses.ts';
import { isBadPort } from '../../functions/lib/targets/bad-ports.ts';
import {
  bareHost,
  isLoopbackHost,
  refusalOf,
  refusalOfHost,
  targetOf,
} from '../../functions/lib/targets/public-addresses.ts';
import { DEFAULT_PORTS } from '../../shared/service/env.ts';
import { ssrfCases } from '../support/ssrf-cases.ts';

const submitted = ssrfCases.filter(({ stage }) => stage === 'submit');
const inPublic = { targets: 'public', ports: DEFAULT_PORTS } as const;
const inLocal = { targets: 'local', ports: DEFAULT_PORTS } as const;

describe('a submitted URL', () => {
  test('the collection has all its cases', () => expect(submitted).toHaveLength(192));

  test.each(submitted)('$id: $expect, because $why', ({ url, policy, expect: expected }) => {
    const refusal = refusalOf(url, policy === 'local' ? inLocal : inPublic);
    expect(refusal ? 'refuse' : 'allow').toBe(expected);
  });

  test.each([
    ['', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['example.com', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['ftp://example.com/', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['xhttps://example.com/', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    [`https://example.com/${'a'.repeat(2029)}`, 'invalid-request', /2048/],
    ['https://user@example.com/', 'invalid-request', /user name/],
    ['https://:secret@example.com/', 'invalid-request', /password/],
    ['https://@example.com/', 'invalid-request', /user name/],
    ['http:/example.com/', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['http:example.com', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['http:\\\\example.com/', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['http:///example.com/', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['http://', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['http://example.com:99999/', 'invalid-request', /valid host and port/],
    [' https://example.com/', 'invalid-request', /start or end with blanks/],
    ['https://example.com/\n', 'invalid-request', /start or end with blanks/],
    ['https://example.com/\u00a0', 'invalid-request', /start or end with blanks/],
    ['\ufeffhttps://example.com/', 'invalid-request', /start or end with blanks/],
    ['https://exa\tmple.com/', 'invalid-request', /tab, a line break/],
    ['ht\ntps://example.com/', 'invalid-request', /must start with http:\/\/ or https:\/\//],
    ['https://example.com/a\r\nb', 'invalid-request', /tab, a line break/],
    ['https://example.com/a?b#c\0d', 'invalid-request', /control character.* %09/],
    ['https://example.com/\ud83d', 'invalid-request', /half of a surrogate pair/],
    ['https://example.com/?q=\ude00', 'invalid-request', /half of a surrogate pair/],
    ['https://example.com\\a', 'invalid-request', /backslash.*%5C/],
    ['https://example.com/a\\b?c', 'invalid-request', /backslash.*%5C/],
    ['https://exa\u200bmple.com/', 'invalid-request', /zero-width space/],
    ['https://exa\u00admple.com/', 'invalid-request', /invisible character/],
    ['https://exa%E2%80%8Bmple.com/', 'invalid-request', /percent sign in its host/],
    ['https://a..example.com/', 'invalid-request', /valid name/],
    ['http://xn--a.com/', 'invalid-request', /xn-- label/],
    ['http://a.xn--xn---epa.com/', 'invalid-request', /xn-- label/],
    ['http://intranet/', 'forbidden-target', /public name or IP address/],
    ['http://10.0.0.1/', 'forbidden-target', /public name or IP address/],
    ['http://example.com:22/', 'forbidden-target', /Port 22 .* 80, 443, 8080, 8443/],
  ])('%s is refused as %s with a message that names the accepted form', (url, code, message) => {
    expect(refusalOf(url, inPublic)).toEqual({ code, message: expect.stringMatching(message) });
  });

  test.each([
    'HTTPS://EXAMPLE.com:443/a/../b?q=ü#frag',
    'https://example.com/\u{1f600}/\u{20bb7}', // an emoji, and a kanji past U+FFFF
    'https://example.com/a b?c d',
    'https://example.com?a\\b#c\\d',
    'https://example.com/\u200b',
    'https://نامه\u200cای.com/', // the joiner belongs to the name
    'https://faß.de/',
  ])('%j is accepted as it is', (url) => expect(refusalOf(url, inPublic)).toBeUndefined());

  test.each([0, 9, 22, 6000, 6667, 10080])('port %s is refused on loopback, because browsers refuse it', (port) => {
    expect(refusalOf(`http://localhost:${port}/`, inLocal)).toEqual({
      code: 'forbidden-target',
      message: `Browsers refuse to open port ${port}. Use another port.`,
    });
  });

  test('a port that browsers refuse stays closed if an operator accepts it for public hosts', async () => {
    const ports = [9, 80];
    expect(refusalOf('http://example.com:9/', { targets: 'public', ports })?.message).toMatch(/^Browsers refuse/);
    expect(refusalOf('http://example.com/', { targets: 'public', ports })).toBeUndefined();
  });

  test('the ports are those that fetch of Node.js refuses, and port 0', async () => {
    const isRefused = (port: number) =>
      fetch(`http://0.0.0.0:${port}/`, { signal: AbortSignal.timeout(1) }).then(
        () => false,
        ({ cause }) => cause?.message === 'bad port',
      );
    const listed = Array.from({ length: 65_536 }, (_, port) => port).filter(isBadPort);
    expect(listed).toHaveLength(83);
    expect(await Promise.all(listed.slice(1).map(isRefused))).not.toContain(false);
  });

  test('the message mentions loopback only if loopback is accepted', () => {
    expect(refusalOf('http://10.0.0.1/', inLocal)?.message).toMatch(/loopback/);
    expect(refusalOf('http://127.0.0.1/', inPublic)?.message).not.toMatch(/loopback|127/);
  });

  test('the accepted ports come from the policy, also for the default port of a scheme', () => {
    const policy = { targets: 'public', ports: [443, 3000] } as const;
    expect(refusalOf('http://example.com:3000/', policy)).toBeUndefined();
    expect(refusalOf('https://example.com/', policy)).toBeUndefined();
    expect(refusalOf('http://example.com/', policy)?.code).toBe('forbidden-target');
  });

  test.each([
    'http://127.8.9.10:90/',
    'http://localhost.:3000/',
    'http://a.b.localhost:3000/',
    'http://2130706433:3000/',
    'http://[::1]/',
  ])('%s is accepted for local targets only', (url) => {
    expect(refusalOf(url, inLocal)).toBeUndefined();
    expect(refusalOf(url, inPublic)?.code).toBe('forbidden-target');
  });

  test.each(['http://notlocalhost:3000/', 'http://localhost.example.com:3000/', 'http://[::ffff:127.0.0.1]:3000/'])(
    '%s is refused for local targets too',
    (url) => expect(refusalOf(url, inLocal)?.code).toBe('forbidden-target'),
  );
});

describe('the host and port of a connection', () => {
  test.each([
    ...['localhost', 'test', 'invalid', 'example', 'local', 'onion', 'home.arpa', 'alt', 'internal', 'intranet'],
    ...['private', 'corp', 'home', 'lan', 'localdomain', 'svc'],
  ])('no name under .%s is public', (name) => {
    expect(refusalOfHost(name, 80, inPublic)?.code).toBe('forbidden-target');
    expect(refusalOfHost(`a.b.${name}`, 80, inPublic)?.code).toBe('forbidden-target');
    expect(refusalOfHost(`a.b.${name}`, 80, inLocal)?.code).toBe(name === 'localhost' ? undefined : 'forbidden-target');
    expect(refusalOfHost(`example.not${name.replace('.', '-')}`, 80, inPublic)).toBeUndefined();
  });

  test.each([
    ...['', '.', 'a..com', '.example.com', 'exa mple.com', 'example.com\0.local', 'example.com\n', 'é.com'],
    ...['127.1', '0x7f.1', '1.2.3.0x4', '0177.0.0.1', '1.2.3.4.5', 'fe80::1%eth0', '[::1', 'a_b'],
    ...[`${'a'.repeat(64)}.com`, `a.${'b'.repeat(64)}`, `${'a.'.repeat(126)}de`],
  ])('%j is not a valid host', (host) => expect(refusalOfHost(host, 80, inLocal)?.code).toBe('invalid-request'));

  test.each([
    'example.com',
    'a_b.example.com',
    'xn--mnchen-3ya.de',
    '8.8.8.8',
    '2606:4700::1',
    `${'a.'.repeat(125)}com`,
  ])('%s is accepted only with an accepted port', (host) => {
    expect(refusalOfHost(host, 443, inPublic)).toBeUndefined();
    expect(refusalOfHost(host, 444, inPublic)?.code).toBe('forbidden-target');
    expect(refusalOfHost(host, 444, inLocal)?.code).toBe('forbidden-target');
  });

  test('the target of a URL is its bare host and its port or default port', () => {
    expect(targetOf(new URL('https://EXAMPLE.com./a'))).toEqual({ host: 'example.com', port: 443 });
    expect(targetOf(new URL('http://[0:0::1]/'))).toEqual({ host: '::1', port: 80 });
    expect(targetOf(new URL('http://example.com:8080/'))).toEqual({ host: 'example.com', port: 8080 });
  });

  test('only one trailing dot is dropped', () => expect(bareHost('Example.COM..')).toBe('example.com.'));
});

describe('an address', () => {
  // First and last address of each range: IANA special-purpose registries, multicast, unallocated, platform addresses.
  test.each([
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
    ...['127.0.0.0', '127.255.255.255', '169.254.0.0', '169.254.255.255', '172.16.0.0', '172.31.255.255'],
    ...['192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255', '192.31.196.1', '192.52.193.1', '192.88.99.0'],
    ...['192.88.99.255', '192.168.0.0', '192.168.255.255', '192.175.48.1', '198.18.0.0', '198.19.255.255'],
    ...['198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255', '224.0.0.0', '239.255.255.255'],
    ...['240.0.0.0', '255.255.255.254', '255.255.255.255', '168.63.129.16'],
    ...['::', '::1', '::127.0.0.1', '::ffff:8.8.8.8', '::ffff:0:8.8.8.8', '64:ff9b::808:808', '64:ff9b:1::808:808'],
    ...['100::1', '100:0:0:1::1', '1fff:ffff::1', '2001::1', '2001:2::1', '2001:3::1', '2001:4:112::1', '2001:10::1'],
    ...['2001:20::1', '2001:30::1', '2001:1ff:ffff::1', '2001:db8::', '2001:db8:ffff::1', '2002::1', '2002:808:808::1'],
    ...['2620:4f:8000::1', '3fff::1', '3fff:fff::1', '4000::1', '5f00::1', 'fbff::1', 'fc00::1', 'fd00:ec2::254'],
    ...['fe00::1', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1', 'ffff::1'],
    ...['2606:4700::5efe:8.8.8.8', '2606:4700::200:5efe:7f00:1', '2a00:1:2:3:0:5efe:0:1'],
    ...[
      'fe80::1%eth0',
      '2606:4700::1%eth0',
      '',
      'example.com',
      '8.8.8',
      '134744072',
      '0x8.8.8.8',
      '010.8.8.8',
      ' 8.8.8.8',
    ],
  ])('%j is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  test.each([
    ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
    ...['168.63.129.15', '168.63.129.17', '168.63.129.160', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
    ...['172.32.0.0', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
    ...['198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255', '2000::1', '2001:200::1', '2001:db7::1'],
    ...['2001:db9::1', '2003::1', '2606:4700:4700::1111', '2A00:1450:4001:800::200E', '3ffe:ffff::1'],
    ...['2606:4700::100:5efe:7f00:1', '2606:4700::5efe:0:7f00:1', '2606:4700::1:5efe:7f00:1'],
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each(['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'])('%s is loopback', (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
    expect(isLoopbackHost(address)).toBe(true);
  });

  test.each(['126.255.255.255', '128.0.0.0', '0.0.0.0', '::', '::2', '::ffff:127.0.0.1', '::127.0.0.1', '127.1', 'x'])(
    '%s is not loopback',
    (address) => expect(isLoopbackAddress(address)).toBe(false),
  );
});
