import { BlockList, isIPv6 } from 'node:net';
import fc from 'fast-check';

/** Inputs per property: 300, 2,000 in the full suite, or `FUZZ_RUNS`. A failure prints the seed that repeats it. */
export const numRuns = Number(process.env.FUZZ_RUNS ?? (process.env.FULL ? 2000 : 300));
export const fuzzTimeoutMs = 20_000 + numRuns * 10;
export const assertProperty = <Input>(property: fc.IProperty<Input> | fc.IAsyncProperty<Input>, runs = numRuns) =>
  fc.assert(property as fc.IAsyncProperty<Input>, { numRuns: runs });

export const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);
/** Texts that are nearly what is asked for: parts of it in any order, some of them broken. */
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
  shuffled('xn--', 'localhost', '.', '-', '_', '。', '%2e', '%00', 'ß', '\u00ad', 'ａ', '127', '0x7f', '1', text),
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
      fc.constantFrom('', '/', '/a?b#c', '?', '#', '\\', '//', '\t', '\0', '/%zz'),
    )
    .map((parts) => parts.join('')),
);

/** Blocks of addresses that must be refused, checked by Node's own BlockList: the most important ones, and all of IPv6 except 2000::/3. */
const privateBlocks = new BlockList();
for (const block of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/3'],
]) {
  const [net = '', bits] = block.split('/');
  privateBlocks.addSubnet(net, Number(bits));
}
const globalBlock = new BlockList();
globalBlock.addSubnet('2000::', 3, 'ipv6');
export const isPrivate = (ip: string) => (isIPv6(ip) ? !globalBlock.check(ip, 'ipv6') : privateBlocks.check(ip));
