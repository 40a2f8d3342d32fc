import { z } from 'zod';
import { chosenNames } from './chosen-names.ts';

export const MAX_LABELS = 10;

export const Labels = chosenNames(
  z.string().regex(/^[a-z0-9._-]{1,32}$/),
  z
    .string()
    .max(128)
    .refine((value) => value.isWellFormed()),
)
  .refine((labels) => Object.keys(labels).length <= MAX_LABELS)
  .meta({
    id: 'Labels',
    description: 'Names and values by which a client finds its checks again, such as `branch` and `main`.',
    maxProperties: MAX_LABELS,
  });
export type Labels = z.infer<typeof Labels>;

/** Says what labels accept. */
export const acceptedLabels = `The labels must be an object with up to ${MAX_LABELS} names of 1 to 32 characters (a-z, 0-9, '.', '_', '-'; not __proto__), each with a text of up to 128 characters.`;
