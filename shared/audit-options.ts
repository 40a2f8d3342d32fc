import { z } from 'zod';
import { type AuditVersion, auditVersion } from './audit-versions.ts';

/** Lighthouse's own presets: a mid-range phone on slow 4G, or a desktop on a dense network. */
export const Device = z.enum(['mobile', 'desktop']);
export type Device = z.infer<typeof Device>;

/** Lighthouse's ids of its categories. `pwa` exists in audit versions up to 11. */
export const Category = z.enum(['performance', 'accessibility', 'best-practices', 'pwa', 'seo']);
export type Category = z.infer<typeof Category>;

export const MAX_SAMPLES = 5;

/** How a page is audited, beyond its URL and version; what a client leaves out has these defaults. */
export const AuditOptions = z.object({
  device: Device.default('mobile'),
  /** Audits of the page, of which the median is shown. */
  samples: z.int().min(1).max(MAX_SAMPLES).default(1),
  /** Left out: all that the audit version has. */
  categories: z.array(Category).min(1).optional(),
});
export type AuditOptions = z.output<typeof AuditOptions>;

/** The categories that an audit measures. */
export const categoriesOf = (version: AuditVersion, { categories }: Pick<AuditOptions, 'categories'>): Category[] =>
  categories ?? Category.options.filter((category) => hasCategory(version, category));

export const hasCategory = (version: AuditVersion, category: Category): boolean =>
  category !== 'pwa' || auditVersion(version).pwa;
