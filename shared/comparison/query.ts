import { z } from 'zod';
import { type DifferenceCode, differenceCodes } from './spoils.ts';

/** Most checks that make a base. */
const MAX_POOL = 10;
/** Most further checks that count together with the check. */
const MAX_AGAIN = 5;
/** Checks with a label that make the base if nobody says how many. */
export const USUAL_POOL = 5;

/** Text of a base that is a label. */
const LABEL = /^label:([a-z0-9._-]{1,32})=(.*)$/s;

export const ComparisonQuery = z.object({
  base: z
    .string()
    .refine((text) => !text.startsWith('label:') || LABEL.test(text))
    .optional()
    .describe('Id of the earlier check, or `label:<name>=<value>` for the newest finished check of the page with it.')
    .meta({ examples: ['label:branch=main'] }),
  pool: z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(MAX_POOL))
    .optional()
    .describe(`Number of checks with the label that make the base, if they are comparable. Default: ${USUAL_POOL}.`)
    .meta({ override: { type: 'integer', minimum: 1, maximum: MAX_POOL, default: USUAL_POOL, pattern: undefined } }),
  again: z
    .string()
    .refine((text) => z.array(z.uuid()).max(MAX_AGAIN).safeParse(text.split(',')).success)
    .transform((text) => text.toLowerCase().split(','))
    .optional()
    .describe('Ids of further checks of the page, with commas between them. They count together with the check.')
    .meta({ override: { type: 'string' } }),
  intended: z
    .string()
    .refine((text) => text.split(',').every((code) => (differenceCodes as readonly string[]).includes(code)))
    .transform((text) => text.split(',') as DifferenceCode[])
    .optional()
    .describe('Differences that were meant, with commas between them. Metrics have verdicts in spite of them.')
    .meta({
      override: { type: 'string', pattern: `^(${differenceCodes.join('|')})(,(${differenceCodes.join('|')}))*$` },
    }),
});
export type ComparisonQuery = z.output<typeof ComparisonQuery>;

/** Says what each parameter accepts. */
export const acceptedComparison: Record<keyof ComparisonQuery, string> = {
  base: 'The base must be the id of a check, or a label such as label:branch=main.',
  pool: `The pool must be a whole number from 1 to ${MAX_POOL}.`,
  again: `Further checks must be a list with commas of 1 to ${MAX_AGAIN} ids of checks.`,
  intended: `Intended differences must be a list with commas of: ${differenceCodes.join(', ')}.`,
};

/** Returns the label that a base names, or undefined if the base is the id of a check. */
export const labelOfBase = (text: string): readonly [name: string, value: string] | undefined => {
  const [, name, value] = LABEL.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
};
