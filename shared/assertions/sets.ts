import { z } from 'zod';
import {
  AggregationMethod,
  AssertionOptions,
  Assertions,
  levelOf,
  type levels,
  limitsOf,
  MAX_ASSERTION_BYTES,
  MAX_LIMITS,
  optionsOf,
  tooLarge,
} from './assertions.ts';

export const presetNames = ['lighthouse:all', 'lighthouse:recommended', 'lighthouse:no-pwa'] as const;

export const MAX_SETS = 20;
export const MAX_PATTERN_LENGTH = 500;

/** Assertions on the pages whose final URL matches a pattern. */
export const AssertionSet = z
  .strictObject(
    {
      pattern: z
        .string()
        .max(MAX_PATTERN_LENGTH, `A pattern has at most ${MAX_PATTERN_LENGTH} characters.`)
        .optional()
        .describe('Regular expression of RE2 that matches a part of the final URL. Default: every URL.'),
      preset: z
        .enum(presetNames, `The presets are ${presetNames.join(', ')}.`)
        .optional()
        .describe('Preset of Lighthouse CI. The assertions of the set win.'),
      aggregation: AggregationMethod.optional().describe('Method of each assertion without an `aggregationMethod`.'),
      assertions: Assertions.optional(),
    },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys'
          ? 'Unknown field. The fields are pattern (the matchingUrlPattern of Lighthouse CI), preset, aggregation and assertions.'
          : 'Each set must be an object such as { "pattern": "/shop/", "assertions": { "image-alt": "error" } }.',
    },
  )
  .meta({ id: 'AssertionSet' });
export type AssertionSet = z.infer<typeof AssertionSet>;

/** Assertions that a create accepts: one set without a pattern in short, or a list of sets. */
export const CheckAssertions = z
  .union([Assertions, z.array(AssertionSet)])
  .refine((given) => setsOf(given).length <= MAX_SETS, `A check has at most ${MAX_SETS} sets of assertions.`)
  .refine(
    (given) => setsOf(given).some(({ preset, assertions = {} }) => preset !== undefined || asserts(assertions)),
    'The assertions must have at least one that is not off. Without one, leave out the assertions.',
  )
  .refine(
    (given) =>
      setsOf(given).reduce((sum, { assertions = {} }) => sum + countLimits(assertions), 0) <= MAX_LIMITS &&
      new TextEncoder().encode(JSON.stringify(given)).length <= MAX_ASSERTION_BYTES,
    tooLarge,
  );
export type CheckAssertions = Assertions | AssertionSet[];

/** Returns the sets of assertions in their one form. */
export const setsOf = (given: CheckAssertions): readonly AssertionSet[] =>
  Array.isArray(given) ? given : [{ assertions: given }];

/** Adds the method of a set to each assertion without one. */
export const withMethod = (assertions: Assertions, aggregationMethod: AssertionSet['aggregation']): Assertions => {
  if (aggregationMethod === undefined) return assertions;
  return Object.fromEntries(
    Object.entries(assertions).map(([key, assertion]) => {
      return [key, [levelOf(assertion), { aggregationMethod, ...optionsOf(assertion) }]];
    }),
  );
};

const asserts = (assertions: Assertions): boolean =>
  Object.values(assertions).some((assertion) => levelOf(assertion) !== 'off');

const countLimits = (assertions: Assertions): number =>
  Object.values(assertions).reduce((sum, assertion) => sum + limitsOf(optionsOf(assertion)).length, 0);

const anyText = <Text extends string>() => z.custom<Text>((value) => typeof value === 'string');
const StoredLevel = anyText<(typeof levels)[number]>();
const StoredMap: z.ZodType<Assertions> = z.record(
  z.string(),
  z.union([StoredLevel, z.tuple([StoredLevel]), z.tuple([StoredLevel, z.looseObject(AssertionOptions.shape)])]),
);
const StoredSet = AssertionSet.extend({ preset: anyText<(typeof presetNames)[number]>().optional() });

/** The same for reading items. Another release may have written other levels, presets and options. */
export const StoredAssertions: z.ZodType<CheckAssertions> = z.union([
  StoredMap,
  z.array(z.looseObject({ ...StoredSet.shape, assertions: StoredMap.optional() })),
]);
