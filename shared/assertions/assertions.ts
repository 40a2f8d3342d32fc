import { z } from 'zod';
import { chosenNames } from '../chosen-names.ts';
import { describe, describeMissing, type Limit } from './messages.ts';
import { type AssertedAudit, type AssertedReport, findAsserted, partsOfKey } from './values.ts';

const Level = z.enum(['off', 'warn', 'error']);

export const AggregationMethod = z.enum(['median', 'optimistic', 'pessimistic', 'median-run']);

const Options = z
  .strictObject(
    {
      minScore: z
        .number()
        .min(0)
        .max(1, { error: 'A score is from 0 to 1.' })
        .optional()
        .describe('Lowest score, from 0 to 1.'),
      maxLength: z.number().min(0).optional().describe('Largest number of items that the audit lists.'),
      maxNumericValue: z.number().min(0).optional().describe('Largest value, in the unit of the audit.'),
      aggregationMethod: AggregationMethod.optional().describe(
        'Accepted for Lighthouse CI. It changes nothing, because one report is asserted.',
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

const Assertion = z.union([Level, z.tuple([Level, Options.optional()])], {
  error: 'Expected off, warn, error, or a list such as ["warn", { "minScore": 0.9 }].',
});

/**
 * Assertions on a report, in the form of Lighthouse CI. A key is the id of an audit, `categories:<id>`,
 * `resource-summary:<type>:<size|count>` or `user-timings:<name>`. A dot may replace a colon.
 */
export const Assertions = chosenNames(z.string().min(1).max(200), Assertion)
  .superRefine((assertions, context) => {
    for (const key of Object.keys(assertions)) {
      const message = faultOfKey(key);
      if (message) context.addIssue({ code: 'custom', path: [key], message });
    }
  })
  .meta({ id: 'Assertions', description: 'Assertions on the report, in the form of Lighthouse CI.' });
export type Assertions = z.infer<typeof Assertions>;

export type AssertionResult = {
  key: string;
  /** The limit that the report was compared with. `auditRan` if the report lacks the audit. */
  name: 'auditRan' | Limit;
  level: 'warn' | 'error';
  passed: boolean;
  expected: number;
  /** Null if the audit has no such value. */
  actual: number | null;
  operator: '>=' | '<=';
  message: string;
};

/** Score that an audit needs if its assertion names no limit. */
const DEFAULT_MIN_SCORE = 0.9;

/** Compares a report with assertions. An assertion with several limits has several results. */
export const evaluate = (assertions: Assertions, report: AssertedReport): AssertionResult[] =>
  Object.entries(assertions).flatMap(([key, assertion]): AssertionResult[] => {
    const [level, options = {}] = typeof assertion === 'string' ? [assertion] : assertion;
    if (level === 'off') return [];
    const audit = findAsserted(key, report);
    if (audit)
      return limitsOf(options).map(([name, expected]) => ({ key, level, ...compare(key, audit, name, expected) }));
    const message = describeMissing(key, report);
    return [{ key, name: 'auditRan', level, passed: false, expected: 1, actual: 0, operator: '>=', message }];
  });

/** Returns the limits in the order of Lighthouse CI's results. */
const limitsOf = ({ maxLength, maxNumericValue, minScore }: z.infer<typeof Options>): [Limit, number][] => {
  const limits: [Limit, number | undefined][] = [
    ['maxLength', maxLength],
    ['maxNumericValue', maxNumericValue],
    ['minScore', minScore],
  ];
  const given = limits.filter((limit): limit is [Limit, number] => limit[1] !== undefined);
  return given.length > 0 ? given : [['minScore', DEFAULT_MIN_SCORE]];
};

const compare = (key: string, audit: AssertedAudit, name: Limit, expected: number) => {
  const actual = actualValue[name](audit);
  const operator = name === 'minScore' ? '>=' : '<=';
  const passed = actual !== null && (operator === '>=' ? actual >= expected : actual <= expected);
  return { name, passed, expected, actual, operator, message: describe(key, audit, name, expected, actual) } as const;
};

const actualValue: Record<Limit, (audit: AssertedAudit) => number | null> = {
  minScore: ({ score, scoreDisplayMode }) => {
    if (score !== null) return score;
    return scoreDisplayMode === 'notApplicable' ? 1 : scoreDisplayMode === 'informative' ? 0 : null;
  },
  maxLength: ({ scoreDisplayMode, details }) => {
    if (scoreDisplayMode === 'error') return null;
    return Array.isArray(details?.items) ? details.items.length : 0;
  },
  maxNumericValue: ({ numericValue }) => numericValue ?? null,
};

/** Audits with parts that an assertion can name, and the form of their keys. */
const parts: Record<string, { form: string; pattern: RegExp }> = {
  categories: { form: 'categories:<id>', pattern: /^[^:]+$/ },
  'resource-summary': { form: 'resource-summary:<type>:<size or count>', pattern: /^[^:]+:(size|count)$/ },
  'user-timings': { form: 'user-timings:<name>', pattern: /./ },
};

/** Returns why a key is refused. Lighthouse CI ignores the assertion or throws. */
const faultOfKey = (key: string): string | undefined => {
  const kebab = key.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
  if (kebab !== key) return `Write the key with hyphens and without capitals: "${kebab}".`;
  const [id, ...rest] = partsOfKey(key);
  if (rest.length === 0) return undefined;
  const accepted = Object.hasOwn(parts, id) && parts[id];
  if (!accepted) return `The audit ${id} has no parts. Write the key as "${id}".`;
  return accepted.pattern.test(rest.join(':')) ? undefined : `Write the key as ${accepted.form}.`;
};
