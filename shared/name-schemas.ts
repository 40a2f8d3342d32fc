import { z } from 'zod';
import { auditVersions, type AuditVersion as Version } from './audit-versions.ts';
import { categories, devices } from './options/audit-options.ts';
import { variants } from './options/variants.ts';
import { allRegions, runRegions } from './regions.ts';

/* Schemas of the names that stand in tables. The tables have no zod, so that clients can import them alone. */

export const AuditRegion = z.enum(allRegions).meta({
  id: 'Region',
  description: 'Region in which the service audits.',
});

export const Region = z.enum(runRegions).meta({
  id: 'RunRegion',
  description:
    'Region in which a run was audited. A report that was made elsewhere and uploaded has the region `elsewhere`.',
});
export type Region = z.infer<typeof Region>;

export const AuditVersion = z
  .string()
  .regex(/^\d+\.\d+\.\d+/)
  .meta({
    id: 'AuditVersion',
    description:
      'Exact version of Lighthouse. An uploaded report may be by a version in which the service does not audit.',
    examples: auditVersions.map(({ version }) => version),
  }) as unknown as z.ZodType<Version>;
export type AuditVersion = z.infer<typeof AuditVersion>;

export const Device = z.enum(devices).meta({
  id: 'Device',
  description: 'Preset of Lighthouse: a mid-range phone on slow 4G, or a desktop on a fast network.',
});
export type Device = z.infer<typeof Device>;

export const Category = z.enum(categories).meta({
  id: 'Category',
  description:
    'Category of Lighthouse. `pwa` exists in audit versions up to 11, `agentic-browsing` from version 13 on.',
});
export type Category = z.infer<typeof Category>;

export const VariantName = z.enum(variants).meta({
  id: 'Variant',
  description: 'Variant of a check: its `own` inputs, or those that `against` changes.',
});

/** Accepts any text, for names that another release may have written. */
export const anyName = <Name extends string>() =>
  z.custom<Name>((value) => typeof value === 'string', 'expected a text');
