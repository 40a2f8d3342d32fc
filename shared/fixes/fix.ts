import { z } from 'zod';

const milliseconds = z.int().min(1).nullable();

/** Lighthouse's estimate of what a fix saves. */
export const Savings = z
  .object({
    fcp: milliseconds,
    lcp: milliseconds,
    tbt: milliseconds,
    cls: z.number().nullable(),
    ms: milliseconds.describe('Time of the load. Versions 9 and 10 estimate no other time.'),
    bytes: z.int().min(1).nullable(),
  })
  .describe(
    'What Lighthouse estimates that the fix saves at most: milliseconds, CLS and bytes. Null without an estimate.',
  );
export type Savings = z.infer<typeof Savings>;

export const FixItem = z.object({
  url: z.string().nullable(),
  selector: z.string().nullable().describe('CSS selector of the element.'),
  snippet: z.string().nullable().describe('HTML of the element, or the words of the audit.'),
  bytes: z.int().nullable().describe('Bytes that the fix saves of this file, or the size of the file.'),
  ms: z.int().nullable().describe('Milliseconds that the fix saves, or that the file takes.'),
});
export type FixItem = z.infer<typeof FixItem>;

/** One thing to fix on a page. The texts of the items come from the page. */
export const Fix = z
  .object({
    audit: z
      .string()
      .describe("Lighthouse's id of the audit, or the metric of an interaction, such as `interactions:search:inp`."),
    title: z.string(),
    category: z
      .string()
      .describe(
        'Category that gains the points, such as `performance` or `best-practices`. `interactions` has no points.',
      ),
    points: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe(
        'Points that the category gains at most. Null if Lighthouse estimates nothing, as for performance in versions 9 and 10, and for interactions.',
      ),
    savings: Savings,
    items: z.array(FixItem).describe('The first five files or elements.'),
    itemCount: z.int().describe('Number of all files or elements.'),
    contended: z
      .boolean()
      .describe('True if the fix comes from CPU time while the machine was busy. The time may be that of the machine.'),
    documentation: z.string().nullable().describe('URL of a page that says how to fix it.'),
  })
  .meta({ id: 'Fix', description: 'One thing to fix on a page. A text of an item may quote the page.' });
export type Fix = z.infer<typeof Fix>;

export const Fixes = z.object({
  fixes: z
    .array(Fix)
    .describe(
      'Each fault once: interactions whose INP is not good first, then those from which their category would gain most. Those of a contended run are last.',
    ),
});
export type Fixes = z.infer<typeof Fixes>;
