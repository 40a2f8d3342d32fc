import { isLoopbackAddress, isPrivateAddress, isPublicAddress } from './addresses.ts';
import { entriesFor, isAllowedAddress } from './allowed-hosts.ts';
import { auditPorts } from './audit-ports.ts';
import {
  allowingHint,
  isLoopbackHost,
  loopbackAddressesOf,
  refusalOfHost,
  type Target,
  type TargetPolicy,
  targetOf,
} from './public-addresses.ts';

/** `url` is the URL of the check. It decides which hosts the page may use. */
export type EgressPolicy = TargetPolicy & { url: string };
/** Returns the addresses of a name, or an error code if there are none. */
export type AddressesOf = (host: string, signal: AbortSignal) => Promise<string[] | string>;

const NOT_PUBLIC = 'The host resolves to a non-public address.';
const FOR_LOCAL_CHECKS = 'Only a check whose own URL is on loopback may use loopback.';
const FOR_ALLOWED_CHECKS = 'Only a check whose own URL is on a host of TARGETS_ALLOW may use this host.';
const OWN_ENDPOINT = 'The host is a part of this service itself, and no page may use it.';

/**
 * Returns a function that judges each target of a page. It returns the addresses that the proxy may dial, or why there are
 * none. A check whose own URL is on loopback may use loopback. It may use the hosts of TARGETS_ALLOW too, like a check whose
 * own URL is on one of them.
 */
export const targetRules = (policy: EgressPolicy, addressesOf: AddressesOf) => {
  const own = targetOf(new URL(policy.url));
  const isLocalCheck = policy.targets === 'local' && isLoopbackHost(own.host);
  const targets = isLocalCheck ? 'local' : 'public';
  const ownPorts = () => [...(policy.ownPorts ?? []), ...auditPorts()];

  /** Returns true if all addresses of the check's own host are allowed, though its name is not listed. */
  const isAllowedCheck = async (signal: AbortSignal): Promise<boolean> => {
    if (isLocalCheck || entriesFor(own.host, policy).length > 0) return true;
    const addresses = await addressesOf(own.host, signal);
    return (
      typeof addresses !== 'string' && addresses.every((each) => isAllowedAddress(own.host, own.port, each, policy))
    );
  };

  /** Returns true if one of the addresses is an endpoint of the service. */
  const isOwnEndpoint = async ({ host, port }: Target, addresses: readonly string[], signal: AbortSignal) => {
    if (addresses.some(isLoopbackAddress) && ownPorts().includes(port)) return true;
    for (const endpoint of policy.ownEndpoints?.filter((each) => each.port === port) ?? []) {
      const found = endpoint.host === host ? addresses : await addressesOf(endpoint.host, signal);
      if (typeof found !== 'string' && found.some((each) => addresses.includes(each))) return true;
    }
    return false;
  };

  const refusalOfAddresses = async (target: Target, addresses: readonly string[], signal: AbortSignal) => {
    if (addresses.every(isPublicAddress)) return undefined;
    const { host, port } = target;
    const refused = addresses.filter((each) => !isPublicAddress(each) && !isAllowedAddress(host, port, each, policy));
    if (refused.length > 0) {
      const isCurable = host === own.host && refused.every(isPrivateAddress);
      return isCurable ? `${NOT_PUBLIC}${allowingHint(host, port, policy)}` : NOT_PUBLIC;
    }
    if (!(await isAllowedCheck(signal))) return FOR_ALLOWED_CHECKS;
    return (await isOwnEndpoint(target, addresses, signal)) ? OWN_ENDPOINT : undefined;
  };

  return async (target: Target, signal: AbortSignal): Promise<{ addresses: string[] } | Refused> => {
    const { host, port } = target;
    const isLoopback = isLoopbackHost(host);
    if (isLoopback && policy.targets === 'local' && !isLocalCheck) return refused(FOR_LOCAL_CHECKS);
    const refusal = refusalOfHost(host, port, { ...policy, targets, ownPorts: ownPorts() });
    if (refusal) return refused(refusal.message);
    if (isLoopback) return { addresses: loopbackAddressesOf(host) };
    const addresses = await addressesOf(host, signal);
    if (typeof addresses === 'string') return { outcome: 'dns-failure', reason: addresses };
    if (addresses.length === 0) return { outcome: 'dns-failure', reason: 'ENOTFOUND' };
    const reason = await refusalOfAddresses(target, addresses, signal);
    return reason === undefined ? { addresses } : refused(reason);
  };
};

type Refused = { outcome: 'refused' | 'dns-failure'; reason: string };
const refused = (reason: string): Refused => ({ outcome: 'refused', reason });
