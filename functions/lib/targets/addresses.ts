import ipaddr from 'ipaddr.js';

/** Parses canonical spellings only. ipaddr.js alone would also accept 127.1 and zone ids. */
export const parseAddress = (address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(address) || (ipaddr.IPv6.isValid(address) && !address.includes('%'))
    ? ipaddr.parse(address)
    : undefined;

/**
 * Returns true for a public address in the spelling of `dns.lookup`. For ipaddr.js, `unicast` excludes multicast and the
 * IANA special-purpose registries (RFC 6890). IPv6 tunnels that carry an IPv4 address are not public.
 */
export function isPublicAddress(address: string): boolean {
  const ip = parseAddress(address);
  if (ip?.range() !== 'unicast' || isExcluded(ip)) return false;
  return ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_UNICAST);
}

/**
 * Returns true for an address of a private network, which an operator may allow: RFC 1918, RFC 6598 and RFC 4193. Loopback,
 * link-local, multicast and embedded addresses are no such addresses, nor are those of a cloud's own services.
 */
export function isPrivateAddress(address: string): boolean {
  const ip = parseAddress(address);
  return ip !== undefined && PRIVATE_RANGES.includes(ip.range()) && !isExcluded(ip);
}

/** Returns true for 127.0.0.0/8 and ::1 in their canonical spelling. */
export const isLoopbackAddress = (address: string): boolean => parseAddress(address)?.range() === 'loopback';

/** Returns true if the address is in the range. */
export const isInRange = (address: string, range: string): boolean => {
  const ip = parseAddress(address);
  const [start, bits] = ipaddr.parseCIDR(range);
  return ip?.kind() === start.kind() && ip.match([start, bits] as never);
};

/** Returns true if a range has at least one address that a page may use. */
export const hasUsableAddress = (range: string): boolean => {
  const [first] = ipaddr.parseCIDR(range);
  return [first.toNormalizedString(), ...USABLE_STARTS].some(
    (each) => (isPrivateAddress(each) || isPublicAddress(each)) && isInRange(each, range),
  );
};

/** The only IPv6 range that IANA allocates for global unicast (RFC 4291, section 2.5.4). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

const PRIVATE_RANGES: string[] = ['private', 'carrierGradeNat', 'uniqueLocal'];
/** Starts of the ranges of usable addresses. A range that is larger than one of these includes its start. */
const USABLE_STARTS = ['1.0.0.0', '10.0.0.0', '100.64.0.0', '172.16.0.0', '192.168.0.0', 'fc00::', '2000::'];

/** Addresses that no page may use although no registry marks them. The patterns match the expanded spelling. */
const EXCLUDED = [
  { test: /^168\.63\.129\.16$/, source: 'Azure wire server, a platform address in public space' },
  { test: /^100\.100\.100\.200$/, source: 'Alibaba Cloud metadata, in the range of RFC 6598' },
  { test: /^fd00:ec2:/, source: 'AWS: metadata, name server and clock of an instance' },
  { test: /^fd20:ce:0:0:0:0:0:254$/, source: 'Google Cloud metadata' },
  { test: /^fd00:42:0:0:0:0:0:42$/, source: 'Scaleway metadata' },
  { test: /:(?:0|200):5efe:[^:]+:[^:]+$/, source: 'RFC 5214, ISATAP interface id: ends in an IPv4 address' },
];

const isExcluded = (ip: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  EXCLUDED.some(({ test }) => test.test(ip.toNormalizedString()));
