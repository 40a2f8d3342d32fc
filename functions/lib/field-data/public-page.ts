import type { CheckInputs } from '../../../shared/check.ts';
import type { FieldDataReason } from '../../../shared/field-data.ts';
import { type FieldData, formFactorOf, noFieldData } from '../../../shared/field-data-schemas.ts';
import { secretNames } from '../../../shared/options/secrets.ts';
import { parseAddress } from '../targets/addresses.ts';
import { entriesFor } from '../targets/allowed-hosts.ts';
import { refusalOfHost, type TargetPolicy, targetOf } from '../targets/public-addresses.ts';
import { type AddressesOf, targetRules } from '../targets/target-rules.ts';

type Inputs = Pick<CheckInputs, 'url' | (typeof secretNames)[number]>;

/** The rules of a service that audits public pages only. */
const publicOnly = ({ ports }: TargetPolicy) => ({ targets: 'public', ports }) as const;

/**
 * Returns why nobody may be asked about the page of a check, judged by its inputs. A host of TARGETS_ALLOW is internal also if
 * its name looks public.
 */
const whyPrivate = (inputs: Inputs, policy: TargetPolicy): FieldDataReason | undefined => {
  if (secretNames.some((name) => inputs[name] !== undefined)) return 'login';
  const { host, port } = targetOf(new URL(inputs.url));
  const isPublic =
    parseAddress(host) === undefined &&
    entriesFor(host, policy).length === 0 &&
    refusalOfHost(host, port, publicOnly(policy)) === undefined;
  return isPublic ? undefined : 'not-public';
};

/** Returns the field data of a new check: why there are none, or that a message asks for them. */
export const fieldDataAtCreate = (inputs: CheckInputs, policy: TargetPolicy): FieldData =>
  noFieldData(whyPrivate(inputs, policy) ?? 'pending', formFactorOf(inputs.device));

/** Returns true if the name of a page leads to public addresses only. A name of an internal network need not. */
export const leadsToPublic = async (
  url: string,
  policy: TargetPolicy,
  addressesOf: AddressesOf,
  signal: AbortSignal,
): Promise<boolean> => {
  const judge = targetRules({ ...publicOnly(policy), url }, addressesOf);
  return 'addresses' in (await judge(targetOf(new URL(url)), signal));
};

/** Returns the addresses of a page and of its origin, as Chrome UX Report names them. The query may hold secrets. */
export const namesOf = (url: string): { url: string; origin: string } => {
  const { origin, pathname } = new URL(url);
  return { url: `${origin}${pathname}`, origin };
};
