import { cpuAudits } from '../metrics/cpu-audits.ts';
import { cutText } from '../text.ts';
import type { Fix, Savings } from './fix.ts';
import { itemsOf } from './items.ts';
import { pointsBySavings, pointsByWeight, type Weighed, weighed } from './points.ts';
import type { AuditRef, FixableReport, ReportAudit } from './report.ts';

export const MAX_ITEMS = 5;
const MAX_TITLE = 200;
/** Lighthouse marks an audit as failed or in need of work below this score. */
const GOOD_SCORE = 0.9;

/** Audits that see the same fault. The first is shown of those with the most points. */
const sameFault = [
  ['bootup-time', 'long-tasks', 'mainthread-work-breakdown'],
  ['unsized-images', 'non-composited-animations', 'cls-culprits-insight', 'layout-shifts', 'layout-shift-elements'],
];

/** Audits that show a metric in words. They name no fault. */
const symptoms = ['largest-contentful-paint-element', 'lcp-breakdown-insight'];

/** Audits of a repeated visit. The load of an audit has cold caches, so it gains nothing from them. */
const ofRepeatedVisits = ['cache-insight', 'uses-long-cache-ttl', 'bf-cache'];

/** Hidden audits that have the estimate of an audit that is shown. */
const estimates: Readonly<Record<string, string>> = { 'cls-culprits-insight': 'layout-shifts' };

/**
 * Returns what to fix on a page, each fault once: what its category would gain most from comes first. What helps a repeated
 * visit only comes last, and after it fixes that come from CPU time, if the machine was busy.
 */
export const fixesOf = (report: FixableReport, { contended = false } = {}): Fix[] => {
  const found = Object.entries(report.categories)
    .flatMap(([name, category]) => {
      const weights = weighed(category);
      const refs = new Map(category.auditRefs.map((ref) => [ref.id, ref])); // an audit counts once
      return [...refs.values()].flatMap((ref) => fixOf(report, name, weights, ref));
    })
    .map((fix) => ({ ...fix, contended: contended && isOfCpu(fix) }));
  const seen = new Set<string>();
  return found.sort(mostUsefulFirst).filter(({ audit }) => {
    const fault = (sameFault.find((audits) => audits.includes(audit)) ?? [audit]).join();
    if (seen.has(fault)) return false;
    seen.add(fault);
    return true;
  });
};

const isOfCpu = ({ audit, savings }: UnmarkedFix): boolean => cpuAudits.includes(audit) || savings.tbt !== null;

type UnmarkedFix = Omit<Fix, 'contended'>;

const fixOf = (report: FixableReport, name: string, weights: Weighed, ref: AuditRef): UnmarkedFix[] => {
  const audit = report.audits[ref.id];
  const isMetric = ref.group === 'metrics' || audit?.scoringOptions !== undefined;
  if (!audit || isMetric || ref.group === 'hidden' || symptoms.includes(ref.id)) return [];
  if (name === 'performance') return performanceFix(report, weights, ref, audit);
  const points = rounded(pointsByWeight(weights, ref, audit));
  return points > 0 ? [describe(name, ref, audit, { points, savings: noSavings })] : [];
};

const performanceFix = (report: FixableReport, weights: Weighed, ref: AuditRef, audit: ReportAudit): UnmarkedFix[] => {
  const metricSavings = report.audits[estimates[ref.id] ?? ref.id]?.metricSavings;
  const savings = savingsOf({ ...audit, metricSavings });
  const saves = Object.values(savings).some((saving) => saving !== null);
  if (!saves && !isFailing(audit)) return [];
  // An insight without an estimate says 0.
  const isEstimated = metricSavings && (saves || audit.scoreDisplayMode === 'metricSavings');
  const points = isEstimated ? rounded(pointsBySavings(report, weights, metricSavings)) : null;
  const given = ofRepeatedVisits.includes(ref.id)
    ? { points: null, savings: { ...noSavings, bytes: savings.bytes } }
    : { points, savings };
  return [describe('performance', ref, audit, given)];
};

const describe = (
  category: string,
  { id }: AuditRef,
  { title, description = '', details }: ReportAudit,
  { points, savings }: Pick<Fix, 'points' | 'savings'>,
): UnmarkedFix => {
  const items = itemsOf(details);
  return {
    audit: id,
    title: cutText(title, MAX_TITLE),
    category,
    points,
    savings,
    items: items.slice(0, MAX_ITEMS),
    itemCount: items.length,
    documentation: [...description.matchAll(/\]\((https:\/\/[^\s()]+)\)/g)].at(-1)?.[1] ?? null,
  };
};

export const noSavings: Savings = { fcp: null, lcp: null, tbt: null, cls: null, ms: null, bytes: null };

const isFailing = ({ score }: ReportAudit): boolean => score !== null && score < GOOD_SCORE;

const savingsOf = (audit: ReportAudit): Savings => {
  const { metricSavings = {}, details } = audit;
  // Versions 9 and 10 estimate nothing for scripts, but name their time.
  const ownTime = !audit.metricSavings && isFailing(audit) ? details?.summary?.wastedMs : undefined;
  const saved = (value: number | undefined) => (value !== undefined && value > 0 ? value : null);
  const whole = (value: number | undefined) => saved(Math.round(value ?? 0));
  return {
    fcp: whole(metricSavings.FCP),
    lcp: whole(metricSavings.LCP),
    tbt: whole(metricSavings.TBT),
    cls: saved(metricSavings.CLS),
    ms: whole(details?.overallSavingsMs ?? ownTime),
    bytes: whole(details?.overallSavingsBytes ?? details?.debugData?.wastedBytes),
  };
};

/** Returns the longest time that a fix saves, in milliseconds. */
export const longestSaving = ({ fcp, lcp, tbt, ms }: Savings): number =>
  Math.max(fcp ?? 0, lcp ?? 0, tbt ?? 0, ms ?? 0);

/** Orders by points. Versions 9 and 10 estimate times but no points: the longest times are first. */
const mostUsefulFirst = (a: Fix, b: Fix): number =>
  Number(a.contended) - Number(b.contended) ||
  Number(ofRepeatedVisits.includes(a.audit)) - Number(ofRepeatedVisits.includes(b.audit)) ||
  gainOf(b) - gainOf(a) ||
  longestSaving(b.savings) - longestSaving(a.savings) ||
  (b.savings.bytes ?? 0) - (a.savings.bytes ?? 0) ||
  preference(a) - preference(b);

/** The most points that any fix can have, for a fix that has a time instead. Below 0 for a fix without an estimate. */
const gainOf = ({ points, savings }: UnmarkedFix): number => points ?? (longestSaving(savings) > 0 ? 100 : -1);

const preference = ({ audit }: Fix): number => sameFault.flat().indexOf(audit);

const rounded = (points: number): number => Math.round(points * 10) / 10;
