import { z } from 'zod';
import { NumericValues } from '../metrics/page-metrics-schemas.ts';
import { AuditRegion, AuditVersion, Category } from '../name-schemas.ts';
import { recordOf } from '../record.ts';
import { guardNames } from './guards.ts';
import { limitNames, planNames } from './plans.ts';

/** Answer of GET /v1/regions: the regions of this deployment. */
export const RegionList = z.object({
  regions: z.array(
    z.object({
      id: AuditRegion,
      awsRegion: z.string(),
      place: z.string().describe('Where audits of the region run, for people.'),
      available: z.boolean().describe('False while it is paused, or while audits of it do not succeed.'),
      pausedAt: z.iso.datetime().nullable().describe('A paused region takes no checks.'),
      lastSuccessAt: z.iso.datetime().nullable().describe('When a run last succeeded, to about a minute.'),
    }),
  ),
});
export type RegionList = z.infer<typeof RegionList>;

/** Answer of GET /v1/audit/versions. `aliases` are other names that a create takes. */
export const VersionList = z.object({
  versions: z.array(
    z.object({
      version: AuditVersion,
      aliases: z.array(z.string()),
      categories: z.array(Category),
      metrics: z.array(NumericValues.keyof()),
    }),
  ),
});
export type VersionList = z.infer<typeof VersionList>;

const Plan = z.object(recordOf(limitNames, () => z.int())).meta({ id: 'Plan' });

export const Browser = z.object({
  version: z.string(),
  source: z.enum(['package', 'installed']).describe('The packaged Chromium, or the one of the setting `CHROMIUM`.'),
  releasedOn: z.iso.date().nullable().describe('Day on which its major version was released. Null if it is unknown.'),
  ageDays: z.int().nullable().describe('Days since then.'),
});
export type Browser = z.infer<typeof Browser>;

/** Answer of GET /ready. */
export const Readiness = z.object({
  status: z.literal('ready'),
  ...RegionList.shape,
  chromium: Browser.nullable().describe('The browser of audits. Null until the service has prepared it.'),
  unguarded: z
    .array(z.enum(guardNames))
    .nullable()
    .describe('Guards of audits that this machine lacks. Null if other machines audit, as on AWS.'),
  outdated: z.string().nullable().describe('Why the browser is outdated: more than 60 days, or two major versions.'),
});
export type Readiness = z.infer<typeof Readiness>;

/** Answer of GET /v1/limits: the limits of every check, and of the plans of API keys. */
export const LimitList = z.object({
  maxBodyBytes: z.int(),
  maxUrlLength: z.int(),
  maxSamples: z.int(),
  ports: z.array(z.int()).describe('Ports that a page may use.'),
  allowedTargets: z
    .array(z.string())
    .describe('Hosts that this deployment audits although they are not public, such as `*.test` or `10.1.0.0/16`.'),
  chromium: Browser.nullable().describe('The browser of audits. Null until the service has prepared it.'),
  retentionDays: z.int().describe('Days until a check and its reports are deleted.'),
  trendDays: z.int().describe('Days until a run leaves `GET /v1/runs`.'),
  plans: z.object(recordOf(planNames, () => Plan)),
});
export type LimitList = z.infer<typeof LimitList>;

/** Answer of GET …/filmstrip. */
export const Filmstrip = z.object({
  frames: z.array(
    z.object({
      timing: z.number().describe('Milliseconds since the start of the navigation.'),
      image: z.string().describe('A data URL of a JPEG image.'),
    }),
  ),
});
export type Filmstrip = z.infer<typeof Filmstrip>;
