import { z } from 'zod';
import { interactionMetricNames } from '../interactions/metrics.ts';
import { chosenNames } from '../options/chosen-names.ts';
import { interactionOfKey } from './interactions.ts';
import type { Limit } from './messages.ts';
import { partsOfKey } from './values.ts';

export const levels = ['off', 'warn', 'error'] as const;
const Level = z.enum(levels);

export const AggregationMethod = z.enum(['median', 'optimistic', 'pessimistic', 'median-run']);

const limit = () => z.number().min(0, 'A limit is 0 or more.');

export const AssertionOptions = z
  .strictObject(
    {
      minScore: z
        .number()
        .min(0, 'A score is from 0 to 1.')
        .max(1, 'A score is from 0 to 1.')
        .optional()
        .describe('Lowest score, from 0 to 1.'),
      maxLength: limit().optional().describe('Largest number of items that the audit lists.'),
      maxNumericValue: limit().optional().describe('Largest value, in the unit of the audit.'),
      aggregationMethod: AggregationMethod.optional().describe(
        'How the samples of a run count. Default: `median-run`, the report that the run shows.',
      ),
    },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys'
          ? 'Unknown option. The options are minScore, maxLength, maxNumericValue and aggregationMethod.'
          : undefined,
    },
  )
  .describe('Without a limit, the lowest score is 0.9.');

export const assertionOptions: readonly string[] = AssertionOptions.keyof().options;

const Assertion = z.union([Level, z.tuple([Level]), z.tuple([Level, AssertionOptions])], {
  error: 'The assertion must be off, warn, error, or a list such as ["warn", { "minScore": 0.9 }].',
});

const MAX_KEY_LENGTH = 200;
/** Most limits of the assertions of a check. An assertion without a limit counts as one. */
export const MAX_LIMITS = 200;
/** Most bytes of the assertions of a check, as JSON. */
export const MAX_ASSERTION_BYTES = 16 * 1024;
export const tooLarge = `The assertions of a check have at most ${MAX_LIMITS} limits and ${MAX_ASSERTION_BYTES} bytes as JSON.`;

const accepted =
  'The assertions must be an object such as { "categories:performance": ["error", { "minScore": 0.9 }] }, or a list of sets.';

/**
 * Assertions on a report, in the form of Lighthouse CI. A key is the id of an audit, `categories:<id>`,
 * `resource-summary:<type>:<size|count>`, `user-timings:<name>` or `interactions:<name>:<inp|tbt|cls|lcp>`. A dot may replace a colon.
 */
export const Assertions = chosenNames(z.string(), Assertion, { max: MAX_LIMITS, message: tooLarge }, accepted)
  .superRefine((assertions, context) => {
    for (const [key, assertion] of Object.entries(assertions)) {
      const message = faultOfKey(key) ?? faultOfLimits(key, assertion);
      if (message) context.addIssue({ code: 'custom', path: [key], message });
    }
  })
  .meta({ id: 'Assertions', description: 'Assertions on the report, in the form of Lighthouse CI.' });
export type Assertions = z.infer<typeof Assertions>;

export const AssertionResult = z
  .object({
    key: z.string(),
    name: z
      .enum(['auditRan', 'minScore', 'maxLength', 'maxNumericValue'])
      .describe('The limit that the report was compared with. `auditRan` if the report lacks the audit.'),
    level: z.enum(['warn', 'error']),
    passed: z.boolean().nullable().describe('Null if it was not judged. Its message says why.'),
    expected: z.number(),
    actual: z.number().nullable().describe('Null if the audit has no such value.'),
    operator: z.enum(['>=', '<=']).meta({ 'x-enum-varnames': ['AtLeast', 'AtMost'] }), // no generator can name the signs
    message: z
      .string()
      .describe(
        'A sentence with the title, the value, the limit, and the first element or file that failed. It may quote the page.',
      ),
  })
  .meta({ id: 'AssertionResult', description: 'A limit of an assertion, and the value of the report.' });
export type AssertionResult = z.infer<typeof AssertionResult>;

export const levelOf = (assertion: Assertions[string]) => (typeof assertion === 'string' ? assertion : assertion[0]);
export const optionsOf = (assertion: Assertions[string]) => (typeof assertion === 'string' ? {} : (assertion[1] ?? {}));

/** Score that an audit needs if its assertion names no limit. */
const DEFAULT_MIN_SCORE = 0.9;

/** Returns the limits in the order of Lighthouse CI's results. */
export const limitsOf = ({
  maxLength,
  maxNumericValue,
  minScore,
}: z.infer<typeof AssertionOptions>): [Limit, number][] => {
  const limits: [Limit, number | undefined][] = [
    ['maxLength', maxLength],
    ['maxNumericValue', maxNumericValue],
    ['minScore', minScore],
  ];
  const given = limits.filter((limit): limit is [Limit, number] => limit[1] !== undefined);
  return given.length > 0 ? given : [['minScore', DEFAULT_MIN_SCORE]];
};

/** Audits with parts that an assertion can name, and the form of their keys. */
const parts: Record<string, { form: string; pattern: RegExp }> = {
  categories: { form: 'categories:<id>', pattern: /^[^:]+$/ },
  'resource-summary': { form: 'resource-summary:<type>:<size or count>', pattern: /^[^:]+:(size|count)$/ },
  'user-timings': { form: 'user-timings:<name>', pattern: /./ },
  interactions: {
    form: `interactions:<name>:<${interactionMetricNames.join(' or ')}>`,
    pattern: new RegExp(`.:(${interactionMetricNames.join('|')})$`),
  },
};

export const partedAudits: readonly string[] = Object.keys(parts);

/** Returns why a key is refused. Lighthouse CI ignores the assertion or throws. */
export const faultOfKey = (key: string): string | undefined => {
  if (key === '' || key.length > MAX_KEY_LENGTH) return `A key has 1 to ${MAX_KEY_LENGTH} characters.`;
  const kebab = key.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
  if (kebab !== key) return `Write the key with hyphens and without capitals: "${kebab}".`;
  const [id, ...rest] = partsOfKey(key);
  if (rest.length === 0 && id !== 'interactions') return undefined; // the others are audits themselves
  const accepted = Object.hasOwn(parts, id) && parts[id];
  if (!accepted) return `The audit ${id} has no parts. Write the key as "${id}".`;
  return accepted.pattern.test(rest.join(':')) ? undefined : `Write the key as ${accepted.form}.`;
};

/** Returns why the limits of an interaction are refused. A metric has a value and no score. */
const faultOfLimits = (key: string, assertion: Assertions[string]): string | undefined => {
  if (!interactionOfKey(key) || levelOf(assertion) === 'off') return undefined;
  const limits = limitsOf(optionsOf(assertion));
  return limits.every(([limit]) => limit === 'maxNumericValue')
    ? undefined
    : 'The metric of an interaction has one limit, such as { "maxNumericValue": 200 }. Send no other.';
};
