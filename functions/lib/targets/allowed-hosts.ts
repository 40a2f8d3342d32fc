import type { AllowedTarget } from '../../../shared/service/allowed-targets.ts';
import { hasUsableAddress, isInRange, isLoopbackAddress, isPrivateAddress, isPublicAddress } from './addresses.ts';

export type AllowRules = {
  /** `local` allows loopback in addition to the public internet. */
  targets: 'public' | 'local';
  /** Ports of public hosts. Loopback hosts may have any port. */
  ports: readonly number[];
  /** Hosts that the operator allows although they are not public. */
  allowed?: readonly AllowedTarget[];
};

/** Returns the entries of TARGETS_ALLOW that name a host: its name, a suffix of its name, or a range with its address. */
export const entriesFor = (host: string, { allowed = [] }: AllowRules): AllowedTarget[] =>
  allowed.filter(({ kind, value }) => {
    if (kind === 'range') return isUsable(host) && isInRange(host, value);
    return kind === 'suffix' ? host.endsWith(`.${value}`) : host === value;
  });

/** Returns the ports that an entry opens. */
export const portsOf = ({ port }: AllowedTarget, { ports }: AllowRules): readonly number[] =>
  port === undefined ? ports : [port];

/**
 * Returns true if TARGETS_ALLOW lets a page reach this address of a host. An entry with the name allows all private addresses
 * of the name, and loopback too with local targets. Any other name must resolve into a listed range.
 */
export const isAllowedAddress = (host: string, port: number, address: string, policy: AllowRules): boolean => {
  const opensPort = (entry: AllowedTarget) => portsOf(entry, policy).includes(port);
  const isNamed = host !== address && entriesFor(host, policy).some(opensPort);
  if (isNamed && policy.targets === 'local' && isLoopbackAddress(address)) return true;
  return (isNamed && isUsable(address)) || entriesFor(address, policy).some(opensPort);
};

/** Returns what is wrong with an entry of TARGETS_ALLOW, or undefined. */
export const faultOfEntry = ({ kind, value, text }: AllowedTarget): string | undefined =>
  kind === 'range' && !hasUsableAddress(value)
    ? `${text} has only addresses that no page may use, for example loopback, link-local or metadata addresses. Remove it.`
    : undefined;

const isUsable = (address: string): boolean => isPrivateAddress(address) || isPublicAddress(address);
