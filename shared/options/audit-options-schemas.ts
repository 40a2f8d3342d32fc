import { z } from 'zod';
import { CheckAssertions, StoredAssertions } from '../assertions/sets.ts';
import { auditVersionNames } from '../audit-versions.ts';
import { Interactions, StoredInteractions } from '../interactions/interactions-schemas.ts';
import { AuditVersion, anyName, Category, Device } from '../name-schemas.ts';
import { pick } from '../pick.ts';
import { recordOf } from '../record.ts';
import { ARTIFACT_DAYS, type ArtifactName, artifactNames } from './artifacts.ts';
import {
  MAX_SAMPLES,
  type NamesOf,
  namesOf,
  type Option,
  type OptionName,
  optionNames,
  options,
} from './audit-options.ts';
import { MAX_PATTERN_LENGTH, MAX_PATTERNS } from './blocked-urls.ts';
import { chosenNames } from './chosen-names.ts';
import { MAX_LABELS } from './labels.ts';
import { NamedSecretsView, namedSecrets, sentSecrets } from './secrets-schemas.ts';
import { Simulations, StoredSimulations } from './simulations-schemas.ts';
import { MeasuredThrottling, Throttling, ThrottlingValues } from './throttling-schemas.ts';
import { type againstNames, looks } from './variants.ts';

const Labels = chosenNames(
  z.string().regex(/^[a-z0-9._-]{1,32}$/),
  z
    .string()
    .max(128)
    .refine((value) => value.isWellFormed()),
  { max: MAX_LABELS },
).meta({
  id: 'Labels',
  description: 'Names and values by which a client finds its checks again, such as `branch` and `main`.',
  maxProperties: MAX_LABELS,
});

const BlockedUrlPatterns = z
  .array(
    z
      .string()
      .min(1)
      .max(MAX_PATTERN_LENGTH)
      .refine((pattern) => pattern.isWellFormed()),
  )
  .max(MAX_PATTERNS)
  .meta({
    id: 'BlockedUrlPatterns',
    description:
      'The browser blocks requests of the page whose URL contains one of these patterns. `*` stands for any characters. Case matters.',
  });

/** The inputs that the second variant changes. It has the values of the check for all others. */
export const Against = z
  .strictObject({
    url: z.string(),
    device: Device,
    auditVersion: z.enum(auditVersionNames).describe('A version, its major or `latest`.'),
    throttling: Throttling,
    blockedUrlPatterns: BlockedUrlPatterns,
  } satisfies Record<(typeof againstNames)[number], z.ZodType>)
  .partial()
  .meta({
    id: 'Against',
    description:
      'A second variant of the check, which each run audits in turns with the first. It is the base of the changes. At least one value must differ from that of the check.',
  });

/** The same in answers, which have the exact version. */
export const AgainstView = Against.extend({ auditVersion: AuditVersion.optional() }).meta({ id: 'AgainstInputs' });
export type AgainstView = z.infer<typeof AgainstView>;

const listOf = (numbers: readonly number[]): string =>
  `${numbers.slice(0, -1).join(', ')} or ${numbers[numbers.length - 1]}`;

type Schemas = {
  /** Schema of the values that a create accepts. */
  sent: z.ZodType;
  /** Schema for reading items. Another release may have written it, so limits don't apply and a name may be any text. */
  stored: z.ZodType;
};

const StoredThrottling = z.union([anyName<'none'>(), ThrottlingValues]);
/** The same for reading items. The audit version is exact. */
export const StoredAgainst = z
  .object({
    url: z.string(),
    device: anyName<Device>(),
    auditVersion: anyName<AuditVersion>(),
    throttling: StoredThrottling,
    blockedUrlPatterns: z.array(z.string()),
  })
  .partial();

const schemas = {
  device: { sent: Device, stored: anyName<Device>() },
  samples: {
    sent: z
      .union([z.int().min(1).max(MAX_SAMPLES), z.literal('auto')])
      .describe(
        `Audits of a run, which shows the median one. Default: 1. \`auto\` needs \`against\`: ${listOf(looks)} pairs.`,
      ),
    stored: z.union([z.int(), z.literal('auto')]),
  },
  categories: {
    sent: z.array(Category).min(1).meta({
      description: 'Default: all categories of the audit version except `agentic-browsing`.',
      uniqueItems: true,
    }),
    stored: z.array(anyName<Category>()),
  },
  labels: { sent: Labels, stored: z.record(z.string(), z.string()) },
  throttling: { sent: Throttling, stored: StoredThrottling },
  blockedUrlPatterns: { sent: BlockedUrlPatterns, stored: z.array(z.string()) },
  against: { sent: Against, stored: StoredAgainst },
  simulations: { sent: Simulations, stored: StoredSimulations },
  headers: { sent: sentSecrets.headers, stored: namedSecrets.headers },
  basicAuth: { sent: sentSecrets.basicAuth, stored: namedSecrets.basicAuth },
  cookies: { sent: sentSecrets.cookies, stored: namedSecrets.cookies },
  storageState: { sent: sentSecrets.storageState, stored: namedSecrets.storageState },
  assertions: { sent: CheckAssertions, stored: StoredAssertions },
  interactions: { sent: Interactions, stored: StoredInteractions },
  artifacts: {
    sent: z
      .array(z.enum(artifactNames))
      .min(1)
      .meta({
        description: `Files that a run keeps for ${ARTIFACT_DAYS} days. A check with headers, credentials, cookies, a storage state or secret texts can't have them.`,
        uniqueItems: true,
      }),
    stored: z.array(anyName<ArtifactName>()),
  },
  secretTexts: { sent: sentSecrets.secretTexts, stored: namedSecrets.secretTexts },
} satisfies Record<OptionName, Schemas>;

/**
 * Options that the environment of a run repeats, because results depend on them. `noOptions` has the values of a run without
 * the option.
 */
export const OptionsInEnvironment = z.object({
  blockedUrlPatterns: z.array(z.string()).describe('The `blockedUrlPatterns` of the check.'),
});
type OptionsInEnvironment = z.infer<typeof OptionsInEnvironment>;
export const noOptions: OptionsInEnvironment = { blockedUrlPatterns: [] };

/** Returns the options that the environment of a run repeats. */
export const optionsInEnvironment = (sent: Partial<OptionsInEnvironment>): OptionsInEnvironment => ({
  ...noOptions,
  ...pick(sent, OptionsInEnvironment.keyof().options),
});

type Optional<Use extends keyof Schemas> = { [Name in OptionName]: z.ZodOptional<(typeof schemas)[Name][Use]> };
const optional = <Use extends keyof Schemas>(use: Use) =>
  recordOf(optionNames, (name) => schemas[name][use].optional()) as Optional<Use>;

/** The optional inputs of a create. */
export const SentOptions = z.object(optional('sent'));
/** The same in answers, which have the exact version of the second variant and the names of the secrets. */
export const ShownOptions = SentOptions.extend({
  throttling: MeasuredThrottling.optional(),
  against: AgainstView.optional(),
  ...NamedSecretsView.shape,
});
/** The optional inputs of a create, as stored with its check. */
export const StoredOptions = z.object(optional('stored'));

type Settled = {
  [Name in NamesOf<'run' | 'audit'>]: (typeof options)[Name] extends { default: unknown }
    ? z.ZodDefault<(typeof schemas)[Name]['stored']>
    : z.ZodOptional<(typeof schemas)[Name]['stored']>;
};
const settled = (name: OptionName) => {
  const { default: value }: Option = options[name];
  const { stored }: Schemas = schemas[name];
  return value === undefined ? stored.optional() : stored.default(value);
};

/** Options of a run and of its audits, with the defaults of the options that the client didn't send. */
export const SettledOptions = z.object(recordOf([...namesOf('run'), ...namesOf('audit')], settled) as Settled);
type SettledOptions = z.output<typeof SettledOptions>;

export type AuditOptions = Pick<SettledOptions, NamesOf<'audit'>>;
export type RunOptions = Pick<SettledOptions, NamesOf<'run'>>;
