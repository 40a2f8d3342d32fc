import { domainToUnicode } from 'node:url';
import { HOST_NAME } from '../../../shared/service/allowed-targets.ts';
import type { TargetsEnv } from '../../../shared/service/env.ts';
import { containsKey } from '../redact.ts';
import { isLoopbackAddress, isPrivateAddress, isPublicAddress, parseAddress } from './addresses.ts';
import { type AllowRules, entriesFor, portsOf } from './allowed-hosts.ts';
import { isBadPort } from './bad-ports.ts';

/** Hosts that a check may audit. */
export type Targets = AllowRules['targets'];
export type TargetPolicy = AllowRules & {
  /** Loopback ports of the service itself, which no page may use. */
  ownPorts?: readonly number[];
  /** Endpoints of the service on other machines, which no page may use either. */
  ownEndpoints?: readonly Target[];
};
export type Target = { host: string; port: number };
export type Refusal = { code: 'invalid-request' | 'forbidden-target'; message: string };

export const MAX_URL_LENGTH = 2048;

/** Returns the policy that the environment sets. An endpoint on loopback is an engine of the service itself. */
export const targetPolicy = (env: TargetsEnv): TargetPolicy => {
  const endpoints = [env.AWS_ENDPOINT_URL_DYNAMODB, env.AWS_ENDPOINT_URL_S3, env.AWS_ENDPOINT_URL_SQS];
  const engines = endpoints.flatMap((url) => URL.parse(url ?? '') ?? []).map(targetOf);
  const ownPorts = engines.filter(({ host }) => isLoopbackHost(host)).map(({ port }) => port);
  const ownEndpoints = engines.filter(({ host }) => !isLoopbackHost(host));
  return { targets: env.TARGETS, ports: env.TARGET_PORTS, ownPorts, ownEndpoints, allowed: env.TARGETS_ALLOW };
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
export function refusalOfHost(host: string, port: number, policy: TargetPolicy): Refusal | undefined {
  const { targets, ports, ownPorts = [] } = policy;
  const isAddress = parseAddress(host) !== undefined;
  if (!isAddress && !HOST_NAME.test(host)) {
    return invalid(
      'The host must be an IP address or a valid name of at most 253 characters, with labels of at most 63.',
    );
  }
  const isLocal = targets === 'local' && isLoopbackHost(host);
  const isPublic = isAddress ? isPublicAddress(host) : !isSpecialName(host);
  const entries = entriesFor(host, policy);
  if (!isLocal && !isPublic && entries.length === 0) {
    const accepted =
      targets === 'local' ? 'a public name, a public IP address or loopback' : 'a public name or IP address';
    return forbidden(
      `The host must be ${accepted}. Private, reserved and special-use hosts are not audited.${allowingHint(host, port, policy)}`,
    );
  }
  const accepted = [...new Set([...(isPublic ? ports : []), ...entries.flatMap((entry) => portsOf(entry, policy))])];
  if (!isLocal && !accepted.includes(port)) {
    return forbidden(
      `Port ${port} is not accepted. Accepted ports: ${accepted.join(', ')}.${allowingHint(host, port, policy)}`,
    );
  }
  if (isLocal && ownPorts.includes(port)) {
    return forbidden(`Port ${port} belongs to this service itself, and no page may use it. Use another port.`);
  }
  return isBadPort(port) ? forbidden(`Browsers refuse to open port ${port}. Use another port.`) : undefined;
}

/**
 * Returns how to allow a host, for a caller who may be the operator: with local targets the service audits pages of its own
 * machine. Returns an empty text if no setting allows the host.
 */
export const allowingHint = (host: string, port: number, { targets, ports }: TargetPolicy): string => {
  const isNever = isLoopbackHost(host) || (parseAddress(host) && !isPrivateAddress(host) && !isPublicAddress(host));
  if (targets !== 'local' || isNever || isBadPort(port)) return '';
  const name = host.includes(':') && !ports.includes(port) ? `[${host}]` : host;
  return ` To audit it, add ${name}${ports.includes(port) ? '' : `:${port}`} to TARGETS_ALLOW, and restart the service.`;
};

/** Returns the bare host and the port of an http or https URL. */
export const targetOf = ({ hostname, port, protocol }: URL): Target => ({
  host: bareHost(hostname),
  port: Number(port || (protocol === 'https:' ? 443 : 80)),
});

/** Returns a host in the form that the rules compare: lower case, without brackets and without one final dot. */
export const bareHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Returns true for a loopback address and for the names that RFC 6761 reserves for loopback. */
export const isLoopbackHost = (host: string): boolean =>
  isLoopbackAddress(host) || host === 'localhost' || host.endsWith('.localhost');

/** Returns the addresses of a loopback host. Browsers look no such name up either (RFC 6761). */
export const loopbackAddressesOf = (host: string): string[] =>
  isLoopbackAddress(host) ? [host] : ['::1', '127.0.0.1'];

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

const invalid = (message: string): Refusal => ({ code: 'invalid-request', message });
const forbidden = (message: string): Refusal => ({ code: 'forbidden-target', message });

/**
 * Returns what is wrong with the spelling of a URL, or undefined. The URL parser would repair these spellings without a
 * word, so the service would audit another URL than the client sent.
 */
const syntaxFault = (url: string): string | undefined => {
  const [, beforeQuery = '', host = ''] = /^([^/\\?#]*[/\\]*([^/\\?#]*)[^?#]*)/.exec(url) ?? [];
  const fault = faults.find(({ isIn }) => isIn({ url, beforeQuery, host }));
  return fault && `The URL ${fault.message}`;
};

/** `host` includes a user name and a port. */
type Parts = { url: string; beforeQuery: string; host: string };
type Fault = { message: string; isIn: (parts: Parts) => boolean };

const faults: readonly Fault[] = [
  { message: 'must not start or end with blanks. Remove them.', isIn: ({ url }) => url.trim() !== url },
  {
    message: 'must start with http:// or https:// and a host, such as https://example.com/.',
    isIn: ({ url }) => !/^https?:\/\/[^/\\?#]/i.test(url),
  },
  {
    message: 'must not contain a tab, a line break or another control character. Percent-encode it, such as %09.',
    isIn: ({ url }) => /\p{Cc}/u.test(url),
  },
  {
    message:
      'must not contain half of a surrogate pair. Send the character in full, or percent-encode its UTF-8 bytes.',
    isIn: ({ url }) => !url.isWellFormed(),
  },
  {
    message: 'must not contain a backslash in its host or path. Use a slash, or percent-encode the backslash as %5C.',
    isIn: ({ beforeQuery }) => beforeQuery.includes('\\'),
  },
  { message: 'must not contain a user name or a password.', isIn: ({ host }) => host.includes('@') },
  {
    message: 'must not contain an invisible character in its host, such as a zero-width space. Remove it.',
    isIn: ({ host }) => INVISIBLE.test(host),
  },
  {
    message: 'must not contain a percent sign in its host. Send the host as text, such as https://münchen.de/.',
    isIn: ({ host }) => host.includes('%'),
  },
];

/** Characters that the URL parser drops from a host. It keeps or refuses the joiners U+200C and U+200D by their context. */
const INVISIBLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u;
