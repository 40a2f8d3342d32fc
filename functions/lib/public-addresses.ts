import { domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import type { TargetsEnv } from '../../shared/env.ts';
import { isBadPort } from './bad-ports.ts';
import { containsKey } from './redact.ts';
import { syntaxFault } from './url-syntax.ts';

/** Hosts that a check may audit. `local` allows loopback in addition to the public internet. */
export type Targets = 'public' | 'local';
export type TargetPolicy = {
  targets: Targets;
  /** Ports of public hosts. Loopback hosts may have any port. */
  ports: readonly number[];
  /** Loopback ports of the service itself, which no page may use. */
  ownPorts?: readonly number[];
};
export type Refusal = { code: 'invalid-request' | 'forbidden-target'; message: string };

export const MAX_URL_LENGTH = 2048;

/** Returns the policy that the environment sets. An endpoint on loopback is an engine of the service itself. */
export const targetPolicy = (env: TargetsEnv): TargetPolicy => {
  const endpoints = [env.AWS_ENDPOINT_URL_DYNAMODB, env.AWS_ENDPOINT_URL_S3, env.AWS_ENDPOINT_URL_SQS];
  const engines = endpoints.flatMap((url) => URL.parse(url ?? '') ?? []).map(targetOf);
  const ownPorts = engines.filter(({ host }) => isLoopbackHost(host)).map(({ port }) => port);
  return { targets: env.TARGETS, ports: env.TARGET_PORTS, ownPorts };
};

/**
 * Returns why the service refuses to audit `url`, judged by its text alone, or undefined. The egress proxy applies the host
 * rules again when it connects, and checks the addresses that the name resolves to.
 */
export function refusalOf(url: string, policy: TargetPolicy): Refusal | undefined {
  if (url.length > MAX_URL_LENGTH) return invalid(`The URL must have at most ${MAX_URL_LENGTH} characters.`);
  const fault = syntaxFault(url);
  if (fault) return invalid(fault);
  const parsed = URL.parse(url);
  if (!parsed) return invalid('The URL must have a valid host and port, such as https://example.com:8443/.');
  if (containsKey(url)) return invalid('The URL must not contain an API key of this service.');
  const { host, port } = targetOf(parsed);
  if (!isReadable(host)) return invalid('The host contains an xn-- label that is not a valid internationalized name.');
  return refusalOfHost(host, port, policy);
}

/** Returns true if every internationalized label can be decoded. Node accepts invalid labels and leaves them encoded. */
const isReadable = (host: string): boolean => !/(^|\.)xn--/.test(domainToUnicode(host));

/** Returns why the service refuses to connect to a host and port, or undefined. The host is a name or an IP address. */
export function refusalOfHost(
  host: string,
  port: number,
  { targets, ports, ownPorts = [] }: TargetPolicy,
): Refusal | undefined {
  const isAddress = parseAddress(host) !== undefined;
  if (!isAddress && !HOST_NAME.test(host)) {
    return invalid(
      'The host must be an IP address or a valid name of at most 253 characters, with labels of at most 63.',
    );
  }
  const isLocal = targets === 'local' && isLoopbackHost(host);
  if (!isLocal && (isAddress ? !isPublicAddress(host) : isSpecialName(host))) {
    const accepted =
      targets === 'local' ? 'a public name, a public IP address or loopback' : 'a public name or IP address';
    return forbidden(`The host must be ${accepted}. Private, reserved and special-use hosts are not audited.`);
  }
  if (!isLocal && !ports.includes(port)) {
    return forbidden(`Port ${port} is not accepted. Accepted ports: ${ports.join(', ')}.`);
  }
  if (isLocal && ownPorts.includes(port)) {
    return forbidden(`Port ${port} belongs to this service itself, and no page may use it. Use another port.`);
  }
  return isBadPort(port) ? forbidden(`Browsers refuse to open port ${port}. Use another port.`) : undefined;
}

/** Returns the bare host and the port of an http or https URL. */
export const targetOf = ({ hostname, port, protocol }: URL): { host: string; port: number } => ({
  host: bareHost(hostname),
  port: Number(port || (protocol === 'https:' ? 443 : 80)),
});

/** Returns a host in the form that the rules compare: lower case, without brackets and without one final dot. */
export const bareHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/**
 * Returns true for a public address in the spelling of `dns.lookup`. For ipaddr.js, `unicast` excludes multicast and the
 * IANA special-purpose registries (RFC 6890). IPv6 tunnels that carry an IPv4 address are not public.
 */
export function isPublicAddress(address: string): boolean {
  const ip = parseAddress(address);
  if (ip?.range() !== 'unicast' || NOT_PUBLIC.some(({ test }) => test.test(ip.toNormalizedString()))) return false;
  return ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_UNICAST);
}

/** Returns true for 127.0.0.0/8 and ::1 in their canonical spelling. */
export const isLoopbackAddress = (address: string): boolean => parseAddress(address)?.range() === 'loopback';

/** Returns true for a loopback address and for the names that RFC 6761 reserves for loopback. */
export const isLoopbackHost = (host: string): boolean =>
  isLoopbackAddress(host) || host === 'localhost' || host.endsWith('.localhost');

/** Returns the addresses of a loopback host. Browsers look no such name up either (RFC 6761). */
export const loopbackAddressesOf = (host: string): string[] =>
  isLoopbackAddress(host) ? [host] : ['::1', '127.0.0.1'];

/** The only IPv6 range that IANA allocates for global unicast (RFC 4291, section 2.5.4). */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Addresses that are not public although no registry marks them. The patterns match the expanded spelling. */
const NOT_PUBLIC = [
  { test: /^168\.63\.129\.16$/, source: 'Azure wire server, a platform address in public space' },
  { test: /:(?:0|200):5efe:[^:]+:[^:]+$/, source: 'RFC 5214, ISATAP interface id: ends in an IPv4 address' },
];

/** Names that are never public. Their subdomains are not public either. */
const SPECIAL_NAMES = [
  ...['localhost', 'test', 'invalid', 'example'], // RFC 6761
  ...['local', 'onion', 'home.arpa', 'alt'], // RFC 6762, 7686, 8375, 9476
  ...['internal', 'intranet', 'private', 'corp', 'home', 'lan'], // RFC 6762 appendix G, ICANN for .internal
  ...['localdomain', 'svc'], // usual alias of loopback in /etc/hosts, Kubernetes services
];

/** Returns true for a special-use name or a single label, which the machine's own search list would resolve. */
const isSpecialName = (host: string): boolean =>
  !host.includes('.') || SPECIAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));

// The last label must start with a letter, because resolvers read names such as 127.1 or 0x7f.1 as addresses.
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9-]{0,62}$/;

/** Parses canonical spellings only. ipaddr.js alone would also accept 127.1 and zone ids. */
const parseAddress = (address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(address) || (ipaddr.IPv6.isValid(address) && !address.includes('%'))
    ? ipaddr.parse(address)
    : undefined;

const invalid = (message: string): Refusal => ({ code: 'invalid-request', message });
const forbidden = (message: string): Refusal => ({ code: 'forbidden-target', message });
