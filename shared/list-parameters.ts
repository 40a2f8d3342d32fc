import { z } from 'zod';
import { auditVersions, resolveAuditVersion } from './audit-versions.ts';
import { CheckState } from './check.ts';
import { Device, Region } from './name-schemas.ts';
import { devices } from './options/audit-options.ts';
import { pageOrders, standings } from './pages/page-list.ts';
import { allRegions } from './regions.ts';

const MAX_LIMIT = 100;
const MAX_PAGES = 1000;
const DEFAULT_LIMIT = 20;
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

const limitTo = (max: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(DEFAULT_LIMIT)
    .meta({ override: { type: 'integer', minimum: 1, maximum: max, default: DEFAULT_LIMIT, pattern: undefined } });

/** Query parameters of all lists. A label is `name:value`. */
export const ListParameters = z.object({
  limit: limitTo(MAX_LIMIT),
  cursor: z.string().optional(),
  url: z
    .string()
    .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
    .optional(),
  region: Region.optional(),
  device: Device.optional(),
  auditVersion: z
    .string()
    .refine((name) => resolveAuditVersion(name))
    .optional(),
  state: CheckState.optional(),
  assertionsPassed: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  label: z.array(z.string().regex(/^[a-z0-9._-]{1,32}:/)).default([]),
  createdAfter: time.optional(),
  createdBefore: time.optional(),
  every: z.literal('day').optional(),
});
export type ListParameter = keyof z.output<typeof ListParameters>;

/** Longest time that a list of pages looks back, in days. */
const MAX_DAYS = 365;

/** Query parameters of the list of pages. */
export const PageParameters = ListParameters.pick({
  cursor: true,
  url: true,
  region: true,
  device: true,
  label: true,
}).extend({
  limit: limitTo(MAX_PAGES),
  since: z
    .string()
    .regex(/^(previous|[1-9]\d{0,2}d|[a-z0-9._-]{1,32}:.*)$/)
    .refine((text) => !/^\d+d$/.test(text) || Number.parseInt(text, 10) <= MAX_DAYS)
    .default('7d'),
  q: z.string().max(200).optional(),
  changed: z.enum(standings).optional(),
  sort: z.enum(pageOrders).default('score'),
});
export type PageParameter = keyof z.output<typeof PageParameters>;
export type ParameterName = ListParameter | PageParameter;

/** Says what each parameter accepts. */
export const acceptedParameters: Record<ParameterName, string> = {
  limit: `The limit must be a whole number from 1 to ${MAX_LIMIT}, and of pages to ${MAX_PAGES}.`,
  cursor: 'The cursor must be the `nextCursor` of an earlier answer. To begin with the first entry, leave it out.',
  url: 'The URL must start with http:// or https://, such as https://example.com/.',
  region: `The region must be one of: ${allRegions.join(', ')}.`,
  device: `The device must be one of: ${devices.join(', ')}.`,
  auditVersion: `The audit version must be one of: ${auditVersions.map(({ version }) => version).join(', ')}, a major such as 12, or latest.`,
  state: `The state must be one of: ${CheckState.options.join(', ')}.`,
  assertionsPassed: 'Whether the assertions passed must be true or false.',
  label: 'A label must be a name, a colon and a value, such as branch:main.',
  createdAfter: 'The time must be in ISO 8601 with a time zone, such as 2031-01-01T00:00:00Z.',
  createdBefore: 'The time must be in ISO 8601 with a time zone, such as 2031-01-01T00:00:00Z.',
  every: 'The step must be day, for medians by day.',
  since: `The time must be previous, a number of days from 1d to ${MAX_DAYS}d, or the label of a check, such as branch:main.`,
  q: 'The search must be a part of the URL, of at most 200 characters.',
  changed: `The change must be one of: ${standings.join(', ')}.`,
  sort: `The order must be one of: ${pageOrders.join(', ')}.`,
};
