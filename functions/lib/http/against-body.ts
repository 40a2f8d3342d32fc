import { z } from 'zod';
import { categoriesIn, categoriesOf } from '../../../shared/audit-options.ts';
import { Against, type AgainstView } from '../../../shared/audit-options-schemas.ts';
import { resolveAuditVersion } from '../../../shared/audit-versions.ts';
import { patternMatching } from '../../../shared/blocked-urls.ts';
import type { CheckInputs } from '../../../shared/check.ts';
import { differencesOf } from '../../../shared/comparison/comparable.ts';
import type { ApiProblemCode, InputError } from '../../../shared/problems.ts';
import { acceptedAgainst } from '../../../shared/variants.ts';
import { refusalOf, type TargetPolicy } from '../public-addresses.ts';
import { parseFields } from './input.ts';

/** Fields of the second variant. Its version is any text, so that the error about an unknown one has a code of its own. */
const Fields = z.object({ ...Against.shape, auditVersion: z.string().optional() });
type Accepted = Record<keyof typeof Fields.shape, string>;
type ValueError = InputError & { code?: ApiProblemCode };
/** Inputs that a variant may change, with the exact version, and the categories. */
export type VariantInputs = Omit<CheckInputs, 'regions' | 'samples' | 'labels' | 'against'>;

/** Returns an error for each field of the second variant that has a wrong type. */
export const againstErrors = (sent: unknown, accepted: Accepted): InputError[] => {
  if (sent === undefined) return [];
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return [{ path: 'against', message: acceptedAgainst }];
  }
  return parseFields(Fields, accepted, sent).errors.map(({ path, message }) => ({ path: `against.${path}`, message }));
};

/** Returns the inputs of the second variant as the check stores them, with the exact version. */
export const resolveAgainst = (against: z.output<typeof Fields>): AgainstView => {
  const { auditVersion, ...others } = against;
  return { ...others, ...(auditVersion !== undefined && { auditVersion: resolveAuditVersion(auditVersion) }) };
};

/**
 * Judges the values of the second variant, together with those that it takes from the check. Without `own`, the check itself
 * is wrong. `unsupported` is the message about an unknown version.
 */
export const againstValueErrors = (
  sent: unknown,
  own: VariantInputs | undefined,
  { targets, unsupported }: { targets: TargetPolicy; unsupported: string },
): ValueError[] => {
  const { data } = Fields.safeParse(sent);
  if (!data) return [];
  const against = resolveAgainst(data);
  const refusal = data.url === undefined ? undefined : refusalOf(data.url, targets);
  const isUnsupported = data.auditVersion !== undefined && !against.auditVersion;
  const code = 'unsupported-audit-version' as const;
  const errors = [
    ...(refusal ? [{ path: 'against.url', ...refusal }] : []),
    ...(isUnsupported ? [{ code, path: 'against.auditVersion', message: unsupported }] : []),
  ];
  return errors.length > 0 || !own ? errors : variantErrors(own, against);
};

const variantErrors = (own: VariantInputs, against: AgainstView): ValueError[] => {
  const variant = { ...own, ...against };
  const { auditVersion, categories = [], url, blockedUrlPatterns = [] } = variant;
  const missing = categories.filter((name) => !categoriesIn(auditVersion).includes(name));
  const blocking = patternMatching(new URL(url).href, blockedUrlPatterns);
  const audited = (of: VariantInputs) => ({ ...of, categories: categoriesOf(of.auditVersion, of) });
  const isEqual = differencesOf(audited(own), audited(variant)).length === 0;
  return [
    ...(isEqual ? [{ path: 'against', message: acceptedAgainst }] : []),
    ...(missing.length > 0 && against.auditVersion ? [lacks(auditVersion, missing)] : []),
    ...(blocking !== undefined ? [blocksItself(blocking, blockedUrlPatterns.indexOf(blocking), against)] : []),
  ];
};

const lacks = (version: string, missing: readonly string[]): ValueError => ({
  path: 'against.auditVersion',
  message: `Audit version ${version} has no category ${missing.join(', ')}, and the check asks for it. Leave out the category, or send another version.`,
});

const blocksItself = (pattern: string, index: number, { blockedUrlPatterns }: AgainstView): ValueError => ({
  path: blockedUrlPatterns ? `against.blockedUrlPatterns.${index}` : 'against.url',
  message: `The pattern ${JSON.stringify(pattern)} must not match the URL of the second variant itself. Send a pattern that matches less, or leave it out.`,
});
