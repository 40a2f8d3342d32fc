import { z } from 'zod';
import { type AuditVersion, auditVersion } from './audit-versions.ts';
import { BlockedUrlPatterns } from './blocked-urls.ts';
import { Throttling } from './throttling-schemas.ts';

export const Device = z.enum(['mobile', 'desktop']).meta({
  id: 'Device',
  description: 'Preset of Lighthouse: a mid-range phone on slow 4G, or a desktop on a fast network.',
});
export type Device = z.infer<typeof Device>;

export const Category = z
  .enum(['performance', 'accessibility', 'best-practices', 'pwa', 'seo', 'agentic-browsing'])
  .meta({
    id: 'Category',
    description:
      'Category of Lighthouse. `pwa` exists in audit versions up to 11, `agentic-browsing` from version 13 on.',
  });
export type Category = z.infer<typeof Category>;

export const MAX_SAMPLES = 5;

/** Options of an audit, with the defaults of the options that the client didn't send. */
export const AuditOptions = z.object({
  device: Device.default('mobile'),
  /** Number of audits. The run shows the median one. */
  samples: z.int().min(1).max(MAX_SAMPLES).default(1),
  /** Default: all categories of the audit version except `agentic-browsing`. */
  categories: z.array(Category).min(1).optional(),
  /** Default: the preset of the device. */
  throttling: Throttling.optional(),
  blockedUrlPatterns: BlockedUrlPatterns.optional(),
});
export type AuditOptions = z.output<typeof AuditOptions>;

/** Options of one audit of a run. */
export type SampleOptions = Omit<AuditOptions, 'samples'>;

/** Returns the categories that an audit measures. */
export const categoriesOf = (version: AuditVersion, { categories }: Pick<AuditOptions, 'categories'>): Category[] =>
  categories ?? categoriesIn(version).filter((category) => category !== 'agentic-browsing');

/** Returns the categories that an audit version has. */
export const categoriesIn = (version: AuditVersion): Category[] => {
  const { pwa, agenticBrowsing } = auditVersion(version);
  return Category.options.filter(
    (category) => (category !== 'pwa' || pwa) && (category !== 'agentic-browsing' || agenticBrowsing),
  );
};
