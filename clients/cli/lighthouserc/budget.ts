import { z } from 'zod';
import type { Assertions } from '../../../shared/assertions/assertions.ts';
import type { AssertionSet } from '../../../shared/assertions/sets.ts';
import { parsePart, readConfigFile, strictObject } from './file.ts';

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `Expected one of ${names.join(', ')}.` });

const hasDistinct =
  <Name extends string>(name: Name) =>
  (rows: readonly Record<Name, string>[]) =>
    new Set(rows.map((row) => row[name])).size === rows.length;

const resources = z
  .array(
    strictObject({
      resourceType: oneOf([
        'total',
        'document',
        'script',
        'stylesheet',
        'image',
        'media',
        'font',
        'other',
        'third-party',
      ]),
      budget: z.number().min(0),
    }),
  )
  .refine(hasDistinct('resourceType'), 'The list has a type twice.')
  .optional();

const timings = z
  .array(
    strictObject({
      metric: oneOf([
        'first-contentful-paint',
        'interactive',
        'first-meaningful-paint',
        'max-potential-fid',
        'total-blocking-time',
        'speed-index',
        'largest-contentful-paint',
        'cumulative-layout-shift',
      ]),
      budget: z.number().min(0),
    }),
  )
  .refine(hasDistinct('metric'), 'The list has a metric twice.')
  .optional();

const Budget = strictObject({
  path: z
    .string()
    .regex(/^\/[^*$]*\*?[^*$]*\$?$/, 'A path starts with /. It may have one * and end with one $.')
    .optional(),
  /** Accepted and without effect, as in Lighthouse CI. */
  options: strictObject({ firstPartyHostnames: z.array(z.string()).optional() }).optional(),
  resourceSizes: resources,
  resourceCounts: resources,
  timings,
});
type Budget = z.infer<typeof Budget>;
/** Budgets of Lighthouse, as a file and a setting have them. */
export const Budgets = z
  .array(Budget, { error: 'Expected a list of budgets.' })
  .min(1, { error: 'The list of budgets is empty.' });

/** Reads a budget file of Lighthouse: assertions of level error for the pages of each path. */
export const readBudgets = async (name: string): Promise<AssertionSet[]> => {
  const file = await readConfigFile(name);
  return setsOfBudgets(parsePart(Budgets, file, file.content, []));
};

/** Returns the assertions of budgets for the pages of each path. */
export const setsOfBudgets = (budgets: readonly Budget[]): AssertionSet[] =>
  budgets.map((budget) => ({ ...patternOf(budget.path), assertions: assertionsOf(budget) }));

const assertionsOf = ({ timings = [], resourceCounts = [], resourceSizes = [] }: Budget): Assertions =>
  Object.fromEntries(
    [
      ...timings.map(({ metric, budget }) => [metric, budget] as const),
      ...resourceCounts.map(({ resourceType, budget }) => [`resource-summary:${resourceType}:count`, budget] as const),
      ...resourceSizes.map(
        ({ resourceType, budget }) => [`resource-summary:${resourceType}:size`, budget * 1024] as const, // from KiB
      ),
    ].map(([key, maxNumericValue]) => [key, ['error', { maxNumericValue }]]),
  );

/** Returns the pattern of a path. A `$` at its end stays special: the URL ends there. */
const patternOf = (path = '/'): Pick<AssertionSet, 'pattern'> => {
  if (path === '/') return {};
  const parts = path.split('*').map((part) => part.replace(/([-[\]{}()*+?.,\\^|#\s])/g, '\\$1'));
  return { pattern: `https?://[^/]+${parts.join('.*')}` };
};
