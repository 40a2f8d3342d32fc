import { z } from 'zod';
import { resolveAuditVersion } from './audit-versions.ts';
import { CheckState } from './check.ts';
import {
  type ListName,
  MAX_DAYS,
  MAX_LIMIT,
  MAX_PAGES,
  type ParameterName,
  type ParameterOf,
  parameterNames,
  parametersOf,
} from './list-parameters.ts';
import { Device, Region } from './name-schemas.ts';
import { pageOrders, type Standing, standings } from './pages/page-list.ts';
import { recordOf } from './record.ts';
import { canonicalUrl } from './text.ts';

/** The facts of an entry of a list by which filters judge it. */
export type Facts = {
  url: string;
  region?: string | undefined;
  device?: string | undefined;
  auditVersion?: string | undefined;
  labels?: Record<string, string> | undefined;
  state?: string | undefined;
  assertionsPassed?: boolean | null | undefined;
  /** How the page is by all its results. */
  changed?: Standing | undefined;
};

/** When a filter judges an entry: before or after its results are read. */
type Use = 'entry' | 'result' | 'key' | 'none';
type Matches<Schema extends z.ZodType> = (entry: Facts, wanted: NonNullable<z.output<Schema>>) => boolean;

/** A parameter that filters entries. `matches` compares an entry with the value of the parameter. */
const filter = <Schema extends z.ZodType>(
  schema: Schema,
  matches: Matches<Schema>,
  use: 'entry' | 'result' = 'entry',
) => ({ schema, use, matches });
/** A parameter that is a bound of the sort key. */
const key = <Schema extends z.ZodType>(schema: Schema) => ({ schema, use: 'key' as const });
/** A parameter that filters nothing. */
const other = <Schema extends z.ZodType>(schema: Schema) => ({ schema, use: 'none' as const });

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

const DEFAULT_LIMIT = 20;
const limitTo = (max: number, usual = DEFAULT_LIMIT) =>
  z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(usual)
    .meta({ override: { type: 'integer', minimum: 1, maximum: max, default: usual, pattern: undefined } });

/** The schema of each parameter, and the entries that it keeps. A label is `name:value`. */
const rules = {
  limit: other(limitTo(MAX_LIMIT)),
  cursor: other(z.string().optional()),
  url: filter(
    z
      .string()
      .refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url))
      .optional(),
    ({ url }, wanted) => canonicalUrl(url) === canonicalUrl(wanted),
  ),
  q: filter(z.string().max(200).optional(), ({ url }, text) => url.toLowerCase().includes(text.toLowerCase())),
  region: filter(Region.optional(), ({ region }, wanted) => region === wanted),
  device: filter(Device.optional(), ({ device = 'mobile' }, wanted) => device === wanted),
  auditVersion: filter(
    z
      .string()
      .refine((name) => resolveAuditVersion(name))
      .optional(),
    ({ auditVersion }, wanted) => auditVersion === resolveAuditVersion(wanted),
  ),
  state: filter(CheckState.optional(), ({ state }, wanted) => state === wanted, 'result'),
  assertionsPassed: filter(
    z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
    ({ assertionsPassed }, wanted) => assertionsPassed === wanted,
    'result',
  ),
  label: filter(z.array(z.string().regex(/^[a-z0-9._-]{1,32}:/)).default([]), ({ labels = {} }, wanted) =>
    wanted.every((label) => {
      const [name = ''] = label.split(':', 1);
      return Object.hasOwn(labels, name) && labels[name] === label.slice(name.length + 1);
    }),
  ),
  createdAfter: key(time.optional()),
  createdBefore: key(time.optional()),
  every: other(z.literal('day').optional()),
  since: other(
    z
      .string()
      .regex(/^(previous|[1-9]\d{0,2}d|[a-z0-9._-]{1,32}:.*)$/)
      .refine((text) => !/^\d+d$/.test(text) || Number.parseInt(text, 10) <= MAX_DAYS)
      .default('7d'),
  ),
  changed: filter(z.enum(standings).optional(), ({ changed }, wanted) => changed === wanted, 'result'),
  sort: other(z.enum(pageOrders).default('score')),
} satisfies Record<ParameterName, { schema: z.ZodType; use: Use }>;

type Rules = typeof rules;
/** Name of a parameter that is a bound of the sort key. */
export type Keyed = { [Name in ParameterName]: Rules[Name]['use'] extends 'key' ? Name : never }[ParameterName];
type ValuesOf<List extends ListName> = { [Name in ParameterOf<List>]: Rules[Name]['schema'] };

const schemaOf = <List extends ListName>(list: List) =>
  z.object(recordOf(parametersOf(list), (name) => rules[name].schema) as unknown as ValuesOf<List>);

export const ListParameters = {
  checks: schemaOf('checks'),
  runs: schemaOf('runs'),
  marks: schemaOf('marks'),
  pages: schemaOf('pages').extend({ limit: limitTo(MAX_PAGES) }),
  /** The newest results of pages as OpenMetrics. */
  metrics: schemaOf('pages').pick({ url: true, q: true, region: true, device: true, label: true }),
  /** The runs of all URLs as NDJSON. */
  export: schemaOf('runs')
    .omit({ every: true })
    .extend({ limit: limitTo(MAX_PAGES, MAX_PAGES) }),
};

type Given = { [Name in ParameterName]?: unknown };

/** Returns how the parameters of a list filter its entries. `filters` has the names of those that do. */
export const matcherOf = (given: Given) => {
  const filters = parameterNames.filter((name) => {
    const value = given[name];
    return 'matches' in rules[name] && (Array.isArray(value) ? value.length > 0 : value !== undefined);
  });
  const matcher = (use: Use) => {
    const used = filters.filter((name) => rules[name].use === use);
    const matches = (entry: Facts): boolean =>
      used.every((name) => (rules[name] as { matches: Matches<z.ZodType> }).matches(entry, given[name] as never));
    return { isUsed: used.length > 0, matches };
  };
  return { filters, byEntry: matcher('entry'), byResult: matcher('result') };
};
