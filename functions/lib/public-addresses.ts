import { domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { containsKey } from './redact.ts';

/** Which hosts a check may aim at: the public internet, or (embedded mode) loopback as well. */
export type Targets = 'public' | 'local';
export type TargetPolicy = { targets: Targets; ports: readonly number[] };
export type Refusal = { code: 'invalid-request' | 'forbidden-target'; message: string };

export const MAX_URL_LENGTH = 2048;

/**
 * Why a check of `url` is refused, told from its text alone; undefined if it may be tried.
 * What the name resolves to is for the egress proxy to judge. The message is for the API's user.
 */
export function refusalOf(url: string, policy: TargetPolicy): Refusal | undefined {
  if (url.length > MAX_URL_LENGTH) return invalid(`The URL must have at most ${MAX_URL_LENGTH} characters.`);
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    return invalid('The URL must be absolute, with http or https and a valid host, such as https://example.com/.');
  }
  if (parsed.username || parsed.password) return invalid('The URL must not contain a user name or a password.');
  if (containsKey(url)) return invalid('The URL must not contain an API key of this service.');
  const { host, port } = targetOf(parsed);
  if (!isReadable(host)) return invalid('The host contains an xn-- label that is not a valid internationalized name.');
  return refusalOfHost(host, port, policy);
}

/** Whether every internationalised label of a host can be read. Node leaves one that can't as it is, and takes it. */
const isReadable = (host: string): boolean => !/(^|\.)xn--/.test(domainToUnicode(host));

/** The same rule for a bare host and port, as the egress proxy is asked for them: a name or an address literal. */
export function refusalOfHost(host: string, port: number, { targets, ports }: TargetPolicy): Refusal | undefined {
  const isAddress = parseAddress(host) !== undefined;
  if (!isAddress && !HOST_NAME.test(host)) {
    return invalid(
      'The host must be an IP address or a valid name of at most 253 characters, with labels of at most 63.',
    );
  }
  if (targets === 'local' && isLoopbackHost(host)) return undefined;
  if (isAddress ? !isPublicAddress(host) : isSpecialName(host)) {
    const accepted =
      targets === 'local' ? 'a public name, a public IP address or loopback' : 'a public name or IP address';
    return forbidden(`The host must be ${accepted}. Private, reserved and special-use hosts are not audited.`);
  }
  if (!ports.includes(port)) return forbidden(`Port ${port} is not accepted. Accepted ports: ${ports.join(', ')}.`);
  return undefined;
}

/** Host (see `bareHost`) and port that an http or https URL leads to. */
export const targetOf = ({ hostname, port, protocol }: URL): { host: string; port: number } => ({
  host: bareHost(hostname),
  port: Number(port || (protocol === 'https:' ? 443 : 80)),
});

/** A host as the rules compare it: lower case, no brackets, without the one dot that may end a name. */
export const bareHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/**
 * True for an address, written as `dns.lookup` gives it, that anybody on the internet may reach.
 * ipaddr.js's `unicast` is what is left of the IANA special-purpose registries (RFC 6890) and of multicast;
 * of IPv6 only 2000::/3 is allocated. Tunnels that carry an IPv4 address are refused whole.
 */
export function isPublicAddress(address: string): boolean {
  const ip = parseAddress(address);
  if (ip?.range() !== 'unicast' || NOT_PUBLIC.some(({ test }) => test.test(ip.toNormalizedString()))) return false;
  return ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_UNICAST);
}

/** True for 127.0.0.0/8 and ::1, and no other spelling of them. */
export const isLoopbackAddress = (address: string): boolean => parseAddress(address)?.range() === 'loopback';

/** True for a loopback address and the names that RFC 6761 reserves for it. */
export const isLoopbackHost = (host: string): boolean =>
  isLoopbackAddress(host) || host === 'localhost' || host.endsWith('.localhost');

/** RFC 4291 2.5.4 and the IANA IPv6 address space registry: all that is allocated for global unicast. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Not for the public, though their registry entry is ordinary; tested on the address with no group left out. */
const NOT_PUBLIC = [
  { test: /^168\.63\.129\.16$/, source: 'Azure wire server, a platform address in public space' },
  { test: /:(?:0|200):5efe:[^:]+:[^:]+$/, source: 'RFC 5214, ISATAP interface id: ends in an IPv4 address' },
];

/** Names that are never a public site. Subdomains are covered too. */
const SPECIAL_NAMES = [
  ...['localhost', 'test', 'invalid', 'example'], // RFC 6761
  ...['local', 'onion', 'home.arpa', 'alt'], // RFC 6762, 7686, 8375, 9476
  ...['internal', 'intranet', 'private', 'corp', 'home', 'lan'], // RFC 6762 appendix G, ICANN for .internal
  ...['localdomain', 'svc'], // the usual /etc/hosts alias of loopback; Kubernetes services
];

/** A single label is resolved by the machine's own search list, so it is special as well. */
const isSpecialName = (host: string): boolean =>
  !host.includes('.') || SPECIAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));

// The last label starts with a letter: what starts with a digit is, to a resolver, an address in disguise (127.1, 0x7f.1).
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;

/** Only the canonical spellings: ipaddr.js would read 127.1 and zone ids as well. */
const parseAddress = (address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(address) || (ipaddr.IPv6.isValid(address) && !address.includes('%'))
    ? ipaddr.parse(address)
    : undefined;

const invalid = (message: string): Refusal => ({ code: 'invalid-request', message });
const forbidden = (message: string): Refusal => ({ code: 'forbidden-target', message });
