import { z } from 'zod';
import { type AssertedInteraction, type InteractionAudit, interactionAudit } from './interactions.ts';

const Audit = z.object({
  title: z.string().optional(),
  score: z.number().nullable(),
  scoreDisplayMode: z.string(),
  numericValue: z.number().nullish(), // null in JSON if it is infinite
  numericUnit: z.string().optional(),
  errorMessage: z.string().optional(),
  details: z.object({ type: z.string().optional(), items: z.unknown().optional() }).nullish(),
});
/** An audit, or the metric of an interaction in its form. */
export type AssertedAudit = z.infer<typeof Audit> & Partial<Pick<InteractionAudit, 'samples' | 'evidence'>>;

/** The part of a Lighthouse report that assertions read. */
export const AssertedReport = z.object({
  lighthouseVersion: z.string(),
  finalUrl: z.string(),
  audits: z.record(z.string(), Audit),
  categories: z.record(
    z.string(),
    z.object({
      score: z.number().nullable(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })).optional(),
    }),
  ),
});
/** The same with the interactions of the run, which no report has. */
export type AssertedReport = z.infer<typeof AssertedReport> & { interactions?: readonly AssertedInteraction[] | null };

/** A row of the audits `resource-summary` and `user-timings`. */
type Row = {
  resourceType?: string;
  requestCount?: number;
  size?: number;
  transferSize?: number;
  name?: string;
  startTime?: number;
  duration?: number;
};

/** Audits that read a budget from Lighthouse's settings. The service sets none, so they never check anything. */
export const budgetAudits: readonly string[] = ['performance-budget', 'timing-budget'];

/** Splits the key of an assertion into the id of an audit and the names of its part. */
export const partsOfKey = (key: string): [id: string, ...part: string[]] => {
  const [id = '', ...part] = key.split(/[.:]/).filter(Boolean);
  return [id, ...part];
};

/** Returns the audit that a key names. Returns a part of an audit and a category in the form of an audit. */
export const findAsserted = (key: string, report: AssertedReport): AssertedAudit | undefined => {
  const [id, ...part] = partsOfKey(key);
  if (budgetAudits.includes(id)) return undefined;
  if (id === 'categories' && part[0]) return categoryOf(part[0], report);
  if (id === 'interactions') return interactionAudit(key, report);
  const audit = Object.hasOwn(report.audits, id) ? report.audits[id] : undefined;
  if (!audit || part.length === 0) return audit;
  const value = id === 'resource-summary' ? resourcesOf(audit, part) : timingOf(audit, part.join('-'));
  return value && { ...audit, ...value };
};

/** Returns the rows that an audit lists. The items of some audits are no list. */
export const rowsOf = ({ details }: AssertedAudit): readonly Row[] =>
  Array.isArray(details?.items) ? details.items : [];

const categoryOf = (id: string, { categories }: AssertedReport): AssertedAudit | undefined => {
  const category = Object.hasOwn(categories, id) ? categories[id] : undefined;
  return category && { score: category.score, scoreDisplayMode: 'category' };
};

const resourcesOf = (audit: AssertedAudit, [type, measure]: string[]) => {
  const row = rowsOf(audit).find(({ resourceType }) => resourceType === type);
  const numericValue = measure === 'size' ? (row?.size ?? row?.transferSize) : row?.requestCount;
  return numericValue === undefined
    ? undefined
    : { numericValue, numericUnit: measure === 'size' ? 'byte' : 'request' };
};

const timingOf = (audit: AssertedAudit, name: string) => {
  const row = rowsOf(audit).find((each) => timingName(each.name ?? '') === timingName(name));
  const numericValue = row?.duration ?? row?.startTime;
  return numericValue === undefined ? undefined : { numericValue, numericUnit: 'millisecond' };
};

/** Returns the name of a user timing in the form of a key: `Hero image` is `hero-image`. */
const timingName = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/[^a-z0-9]+/gi, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
