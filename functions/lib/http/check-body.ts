import { faultsOfMethods } from '../../../shared/assertions/samples.ts';
import { type CheckAssertions, setsOf } from '../../../shared/assertions/sets.ts';
import { type AuditVersion, aliasesOf, auditVersions, resolveAuditVersion } from '../../../shared/audit-versions.ts';
import { type CheckInputs, CreateCheckBody } from '../../../shared/check.ts';
import { artifactsWithSecrets } from '../../../shared/options/artifacts.ts';
import {
  type Category,
  categories,
  categoriesIn,
  type Option,
  optionNames,
  options,
  plainOptionNames,
} from '../../../shared/options/audit-options.ts';
import { patternMatching } from '../../../shared/options/blocked-urls.ts';
import { namesOfSecrets, type SecretName, type Secrets, secretNames } from '../../../shared/options/secrets.ts';
import { nameOfSimulation } from '../../../shared/options/simulations.ts';
import { pick } from '../../../shared/pick.ts';
import type { ApiProblemCode, InputError } from '../../../shared/problems.ts';
import { recordOf } from '../../../shared/record.ts';
import type { Region } from '../../../shared/regions.ts';
import { faultOfPattern } from '../patterns.ts';
import { refusalOf, type TargetPolicy } from '../targets/public-addresses.ts';
import { againstValueErrors, parseAgainst, resolveAgainst } from './against-body.ts';
import { type Accepted, invalidInput, parseFields } from './input.ts';
import { interactionErrors, secretTextErrors, unknownInteractions } from './interactions-body.ts';
import { secretErrors, secretsOf, withoutValue } from './secrets-body.ts';

type Rules = {
  /** Regions that this environment has deployed. */
  regions: readonly Region[];
  targets: TargetPolicy;
  /** Names of the secret texts of a schedule, which a body without secrets keeps. */
  keptTexts?: readonly string[] | undefined;
};

/** Body of a create without its secrets. */
export type PlainBody = Omit<CreateCheckBody, SecretName>;
type Parsed = { body: PlainBody; inputs: CheckInputs; secrets: Secrets | undefined };

/**
 * Returns the body of a create, its secrets, and its inputs with the exact version and the names of the secrets. Throws one
 * problem that lists every error.
 */
export const parseCheckBody = (sent: unknown, rules: Rules): Parsed => {
  const accepted = acceptedBy(rules);
  const { fields, errors } = parseFields(CreateCheckBody, accepted, sent);
  const against = parseAgainst((sent as Record<string, unknown>).against, accepted);
  const own = valueErrors(fields, sent as Record<string, unknown>, rules);
  const variant = errors.length + own.length === 0 ? inputsOf(fields as CreateCheckBody) : undefined;
  const secrets = secretsOf(fields);
  const hasOwn = secretNames.some((name) => (sent as Record<string, unknown>)[name] !== undefined);
  const texts = hasOwn ? namesOfSecrets(secrets ?? {}).secretTexts : rules.keptTexts;
  const all = [
    ...errors.filter(({ path }) => !/^against(\.|$)/.test(path)).map(withoutValue),
    ...against.errors,
    ...own,
    ...againstValueErrors(against.fields, variant, { targets: rules.targets, unsupported: unsupportedVersion }),
    ...secretErrors(fields, own.some(({ path }) => path === 'url') ? undefined : fields.url),
    ...(errors.some(({ path }) => path.startsWith('secretTexts'))
      ? []
      : secretTextErrors(fields, { sent: sent as Record<string, unknown>, names: texts ?? [] })),
  ];
  if (all.length > 0) throw invalidInput(all);
  const body = pick(fields as CreateCheckBody, plainNames);
  const named = { ...(body.against && { against: resolveAgainst(body.against) }), ...namesOfSecrets(secrets ?? {}) };
  return { body, secrets, inputs: { ...inputsOf(body), ...named } };
};

const plainNames = ['url', 'auditVersion', 'regions', ...plainOptionNames] as const satisfies (keyof PlainBody)[];

const inputsOf = (body: PlainBody): CheckInputs => ({
  url: body.url,
  auditVersion: resolveAuditVersion(body.auditVersion) as AuditVersion,
  regions: body.regions as Region[],
  ...pick(body, ownNames),
});

/** Options of a check with one variant that everybody may read. */
const ownNames = plainOptionNames.filter((name) => name !== 'against');

const listOf = (names: readonly string[]): string => names.join(', ');
const versions = `Supported versions: ${auditVersions
  .map(({ version }) => `${version} (or ${listOf(aliasesOf(version))})`)
  .join('; ')}.`;
const unsupportedVersion = `The audit version is not supported. ${versions}`;
const supported = (regions: readonly Region[]) => `Supported regions: ${listOf(regions)}.`;

/** Says what each field of a create accepts. */
const acceptedBy = ({ regions }: Rules): Accepted<keyof CreateCheckBody> => ({
  url: 'The URL must be a string that starts with http:// or https://, such as https://example.com/.',
  auditVersion: `The audit version must be a string. ${versions}`,
  regions: `The regions must be a list of one or more regions, each once. ${supported(regions)}`,
  ...recordOf(optionNames, (name) => (options[name] as Option).accepted),
});

type ValueError = InputError & { code?: ApiProblemCode };

/** Judges the values of the fields that have the right type, and of the elements of a list that have it. */
const valueErrors = (
  fields: Partial<CreateCheckBody>,
  sent: Record<string, unknown>,
  { regions: deployed, targets }: Rules,
): ValueError[] => {
  const { url, auditVersion, samples, blockedUrlPatterns = [], simulations = [], assertions } = fields;
  const refusal = url === undefined ? undefined : refusalOf(url, targets);
  const version = auditVersion === undefined ? undefined : resolveAuditVersion(auditVersion);
  const regions = stringsOf(sent.regions);
  const sentCategories = stringsOf(sent.categories);
  const blocking = url && !refusal ? patternMatching(new URL(url).href, blockedUrlPatterns) : undefined;
  const missing = categories.filter(
    (name) => version && sentCategories.includes(name) && !categoriesIn(version).includes(name),
  );
  return [
    refusal && { path: 'url', ...refusal },
    auditVersion !== undefined &&
      !version && {
        code: 'unsupported-audit-version' as const,
        path: 'auditVersion',
        message: unsupportedVersion,
      },
    regions.some((region) => !deployed.includes(region as Region)) && {
      code: 'unsupported-region' as const,
      path: 'regions',
      message: `A region is not supported. ${supported(deployed)}`,
    },
    samples === 'auto' && sent.against === undefined && { path: 'samples', message: autoAlone },
    hasDuplicates(regions) && { path: 'regions', message: 'List each region once.' },
    hasDuplicates(stringsOf(sent.artifacts)) && { path: 'artifacts', message: 'List each artifact once.' },
    sent.artifacts !== undefined &&
      secretNames.some((name) => sent[name] !== undefined) && { path: 'artifacts', message: artifactsWithSecrets },
    hasDuplicates(sentCategories) && { path: 'categories', message: 'List each category once.' },
    blocking !== undefined && {
      path: `blockedUrlPatterns.${blockedUrlPatterns.indexOf(blocking)}`,
      message: `The pattern ${JSON.stringify(blocking)} must not match the URL of the page itself. Send a pattern that matches less, or leave it out.`,
    },
    hasDuplicates(simulations.map(nameOfSimulation)) && {
      path: 'simulations',
      message: 'Give each simulation a name of its own. A preset has its own name.',
    },
    simulations.length > 0 &&
      sentCategories.length > 0 &&
      !sentCategories.includes('performance') && {
        path: 'simulations',
        message:
          'A simulation needs the category `performance`. Add it to the categories, or leave the simulations out.',
      },
    ...(assertions ? assertionErrors(assertions, fields) : []),
    ...interactionErrors(fields, version),
    version && missing.length > 0 && { path: 'categories', message: missingCategories(version, missing) },
  ].filter((each) => !!each);
};

const autoAlone =
  'Automatic samples compare two variants, and this check has one. Add the second variant in `against`, or send a whole number.';

/** Returns the patterns that RE2 can't match, the interactions that the check lacks, and the methods that need more reports than the service keeps. */
export const assertionErrors = (
  assertions: CheckAssertions,
  { samples = 1, interactions }: Pick<Partial<CreateCheckBody>, 'samples' | 'interactions'>,
): InputError[] => [
  ...setsOf(assertions).flatMap(({ pattern }, i) => {
    const message = pattern === undefined ? undefined : faultOfPattern(pattern);
    return message ? [{ path: `assertions.${i}.pattern`, message }] : [];
  }),
  ...unknownInteractions(assertions, interactions),
  ...(samples !== 1 ? faultsOfMethods(assertions) : []),
];

const stringsOf = (sent: unknown): string[] =>
  Array.isArray(sent) ? sent.filter((each) => typeof each === 'string') : [];

const hasDuplicates = (list: readonly string[]): boolean => new Set(list).size < list.length;

const missingCategories = (version: AuditVersion, missing: readonly Category[]): string =>
  `Audit version ${version} has no category ${missing.map((name) => `\`${name}\``).join(', ')}. \
Its categories: ${listOf(categoriesIn(version))}.`;
