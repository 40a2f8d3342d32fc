import { z } from 'zod';
import { Category, Device, Region } from './name-schemas.ts';
import { SentOptions } from './options/audit-options-schemas.ts';

/** Age from which a result is too old for a badge, in days. */
export const MAX_BADGE_DAYS = 30;
/** Time that readers of a badge keep it, in seconds. shields.io keeps no badge for a shorter time. */
export const BADGE_SECONDS = 300;

export const CreateBadgeBody = z
  .strictObject({
    url: z
      .string()
      .max(2048)
      .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
      .describe('The page.'),
    device: Device.default('mobile'),
    region: Region.optional().describe('Results of this region only. Default: the lowest score of the newest check.'),
    labels: SentOptions.shape.labels.describe('Results of checks with these labels only, such as `branch`: `main`.'),
    category: Category.default('performance'),
  })
  .meta({ id: 'CreateBadge' });
export type CreateBadgeBody = z.input<typeof CreateBadgeBody>;

export const BadgeFields = z.object({
  id: z.uuid().describe('The secret of the badge, with which anyone can read its score.'),
  url: z.string(),
  device: Device,
  region: Region.nullable(),
  labels: z.record(z.string(), z.string()),
  category: Category,
  createdAt: z.iso.datetime(),
});
export type BadgeFields = z.infer<typeof BadgeFields>;

export const Badge = BadgeFields.extend({
  markdown: z.string().describe('The image with a link to the page over time, to copy into a README.'),
  links: z
    .object({ self: z.string(), svg: z.string(), json: z.string(), page: z.string() })
    .describe('Relative URLs. `page` shows the page over time, for people with a key.'),
}).meta({ id: 'Badge', description: 'A link of scope `badge`: it shows one score of a page, until it is revoked.' });
export type Badge = z.infer<typeof Badge>;
export const BadgeList = z.object({ badges: z.array(Badge) });
export type BadgeList = z.infer<typeof BadgeList>;

/** A badge as shields.io reads it from an endpoint. */
export const ShieldsBadge = z
  .object({
    schemaVersion: z.literal(1),
    label: z.string().describe('The category.'),
    message: z.string().describe('The score, or why there is none.'),
    color: z.string(),
    isError: z.boolean().describe('True if there is no score.'),
    cacheSeconds: z.int(),
  })
  .meta({ id: 'ShieldsBadge', description: 'A badge in the form of an endpoint of shields.io.' });
export type ShieldsBadge = z.infer<typeof ShieldsBadge>;
