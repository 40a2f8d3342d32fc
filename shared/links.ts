import { z } from 'zod';

/** Longest life of a share link, in days. */
export const MAX_LINK_DAYS = 30;
/** Life of a share link by default. */
export const DEFAULT_LINK_LIFE = '7d';

export const CreateLinkBody = z
  .strictObject({
    expiresIn: z
      .string()
      .regex(/^([1-9]|[12]\d|30)d$/)
      .optional()
      .describe(`Life of the link in days, \`1d\` to \`${MAX_LINK_DAYS}d\`. Default: \`${DEFAULT_LINK_LIFE}\`.`),
  })
  .meta({ id: 'CreateLink' });

export const ShareLink = z
  .object({
    url: z.url().describe('URL of the web page of the check. Its fragment has the share token.'),
    expiresAt: z.iso.datetime().describe('The link ends with its check if that expires earlier.'),
  })
  .meta({ id: 'ShareLink', description: 'A link with which anyone can read one check.' });
export type ShareLink = z.infer<typeof ShareLink>;
