import { BlockList, isIPv6 } from 'node:net';
import fc from 'fast-check';

/** Inputs per property: 300, 2,000 in the full suite, or `FUZZ_RUNS`. A failure prints the seed that repeats it. */
export const numRuns = Number(process.env.FUZZ_RUNS ?? (process.env.FULL ? 2000 : 300));
/** Time limit of one property, in milliseconds. */
export const fuzzTimeoutMs = 20_000 + numRuns * 10;
/** Checks a property with random inputs. */
export const assertProperty = <Input>(property: fc.IProperty<Input> | fc.IAsyncProperty<Input>, runs = numRuns) =>
  fc.assert(property as fc.IAsyncProperty<Input>, { numRuns: runs });

export const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);
/** Texts of up to 12 of these parts in any order. Many are almost valid. */
export const shuffled = (...parts: (string | fc.Arbitrary<string>)[]) =>
  fc
    .array(fc.oneof(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))), { maxLength: 12 })
    .map((chosen) => chosen.join(''));
const number = fc.oneof(fc.nat(255), fc.nat(), fc.bigInt({ min: 0n, max: 2n ** 40n })).map(String);
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6().map((ip) => `[${ip}]`),
  fc.tuple(number, number, number, number).map((parts) => parts.join('.')),
  fc.tuple(fc.constantFrom('::ffff:', '64:ff9b::', '2002:', '::'), fc.ipV4()).map((parts) => `[${parts.join('')}]`),
);
export const host = fc.oneof(
  fc.domain(),
  address,
  fc.domain().map((name) => `xn--${name}`),
  shuffled(
    'xn--',
    'localhost',
    '.',
    '-',
    '_',
    '。',
    '%2e',
    '%00',
    'ß',
    '\u00ad',
    '\u200b',
    'ａ',
    '127',
    '0x7f',
    '1',
    text,
  ),
);
export const url = fc.oneof(
  text,
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc
    .tuple(
      fc.constantFrom(
        'http://',
        'https://',
        'HTTP:\\\\',
        'http:',
        'ftp://',
        'javascript:',
        'file://',
        'data:',
        ' ',
        '',
      ),
      fc.constantFrom('', '', '', 'user@', 'user:pass@', '@', ':@', '%40'),
      host,
      fc.constantFrom('', '', ':80', ':443', ':8080', ':22', ':0', ':99999', ':', ':٨٠', ':80:80'),
      fc.constantFrom('', '/', '/a?b#c', '?', '#', '\\', '//', '\t', '\0', '/%zz', '/\ud83d', '/\u{1f600}'),
    )
    .map((parts) => parts.join('')),
);

/** The most important private IPv4 blocks. Node's BlockList is independent of the rules under test. */
const privateBlocks = new BlockList();
for (const block of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
]) {
  const [net = '', bits] = block.split('/');
  privateBlocks.addSubnet(net, Number(bits));
}
/** Public IPv6 addresses. All others count as private. */
const globalBlock = new BlockList();
globalBlock.addSubnet('2000::', 3, 'ipv6');
export const isPrivate = (ip: string) => (isIPv6(ip) ? !globalBlock.check(ip, 'ipv6') : privateBlocks.check(ip));
