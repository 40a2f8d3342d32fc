import { z } from 'zod';
import { SentOptions } from './options/audit-options-schemas.ts';

/** Longest text of a mark, in characters. */
const MAX_TEXT = 100;

export const CreateMarkBody = z
  .strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .refine((text) => text.isWellFormed() && !/\p{C}/u.test(text))
      .describe('What happened, such as `deploy 4f2a`. One line.'),
    at: z.iso.datetime({ offset: true }).optional().describe('When it happened. Default: now.'),
    url: z
      .string()
      .max(2048)
      .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
      .optional()
      .describe('The page. Default: all pages.'),
    labels: SentOptions.shape.labels.describe('A trend with a filter by one of these labels shows only equal ones.'),
  })
  .meta({ id: 'CreateMark' });
export type CreateMarkBody = z.infer<typeof CreateMarkBody>;

export const Mark = z
  .object({
    id: z.uuid().nullable().describe('Null for the mark of a label, which goes with its checks.'),
    text: z.string(),
    at: z.iso.datetime(),
    url: z.string().nullable().describe('The page. Null for a mark of all pages.'),
    labels: z.record(z.string(), z.string()),
    checkId: z.uuid().nullable().describe('The first check with the label that made the mark.'),
  })
  .meta({ id: 'Mark', description: 'Something that happened at a time, such as a deploy. Trends and events name it.' });
export type Mark = z.infer<typeof Mark>;
export const MarkList = z.object({ marks: z.array(Mark) });

/** The mark before a step of a page, as an event names it. */
export const NamedMark = Mark.pick({ text: true, at: true });
export type NamedMark = z.infer<typeof NamedMark>;
