import { z } from 'zod';
import { resolveAuditVersion } from '../../../shared/audit-versions.ts';
import type { CheckInputs } from '../../../shared/check.ts';
import { differencesOf } from '../../../shared/comparison/comparable.ts';
import { categoriesIn, categoriesOf } from '../../../shared/options/audit-options.ts';
import { Against, type AgainstView } from '../../../shared/options/audit-options-schemas.ts';
import { patternMatching } from '../../../shared/options/blocked-urls.ts';
import { acceptedAgainst, againstNames } from '../../../shared/options/variants.ts';
import { pick } from '../../../shared/pick.ts';
import type { ApiProblemCode, InputError } from '../../../shared/problems.ts';
import { refusalOf, type TargetPolicy } from '../targets/public-addresses.ts';
import { type Accepted, parseFields } from './input.ts';

/** Fields of the second variant. Its version is any text, so that the error about an unknown one has a code of its own. */
const Fields = z.object({ ...Against.shape, auditVersion: z.string().optional() });
type ValueError = InputError & { code?: ApiProblemCode };
/** Inputs that a variant may change, with the exact version, and the categories. */
export type VariantInputs = Omit<CheckInputs, 'regions' | 'samples' | 'labels' | 'assertions' | 'against'>;

type SentAgainst = z.output<typeof Fields>;

/** Returns the fields of the second variant that have the right type, and an error for each other one. */
export const parseAgainst = (
  sent: unknown,
  accepted: Accepted<keyof typeof Fields.shape>,
): { fields: SentAgainst | undefined; errors: InputError[] } => {
  if (sent === undefined) return { fields: undefined, errors: [] };
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return { fields: undefined, errors: [{ path: 'against', message: acceptedAgainst }] };
  }
  const { fields, errors } = parseFields(Fields, accepted, sent);
  return {
    fields: pick(fields, againstNames),
    errors: errors.map(({ path, message }) => ({ path: `against.${path}`, message })),
  };
};

/** Returns the inputs of the second variant as the check stores them, with the exact version. */
export const resolveAgainst = (against: SentAgainst): AgainstView => {
  const { auditVersion, ...others } = against;
  return { ...others, ...(auditVersion !== undefined && { auditVersion: resolveAuditVersion(auditVersion) }) };
};

/**
 * Judges the values of the second variant, together with those that it takes from the check. Without `own`, an input has a
 * wrong type or value. `unsupported` is the message about an unknown version.
 */
export const againstValueErrors = (
  sent: SentAgainst | undefined,
  own: VariantInputs | undefined,
  { targets, unsupported }: { targets: TargetPolicy; unsupported: string },
): ValueError[] => {
  if (!sent) return [];
  const against = resolveAgainst(sent);
  const refusal = sent.url === undefined ? undefined : refusalOf(sent.url, targets);
  const isUnsupported = sent.auditVersion !== undefined && !against.auditVersion;
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
