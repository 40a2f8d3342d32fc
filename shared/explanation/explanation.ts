import { withKeysOf } from './alike.ts';
import { auditChange, elementChange, findingChanges, flippedAudits } from './audit-changes.ts';
import { MAX_ENTRIES } from './bounds.ts';
import { isSameElement, pageElement } from './elements.ts';
import type { ReportFacts } from './facts.ts';
import { metricRows } from './metrics.ts';
import { isChange, pointsOf, type Verdicts } from './points.ts';
import {
  either,
  largestFirst,
  pairsOf,
  requestChange,
  requestPairs,
  scriptChange,
  scriptPairs,
} from './request-changes.ts';
import type { Explanation, RequestList } from './schema.ts';
import { sentenceOf } from './sentence.ts';

/**
 * Explains how one report differs from another, with the verdicts of their comparison. Metrics without a verdict have no
 * story: if no metric of speed changed, times of requests and scripts are noise.
 */
export const explain = (
  before: ReportFacts,
  now: ReportFacts,
  verdicts: Verdicts,
  interactions: Explanation['interactions'] = [],
): Explanation => {
  const base = withKeysOf(now, before);
  const withTimes = hasChangeOfSpeed(verdicts);
  const requests = requestPairs(base, now, withTimes).sort(largestFirst);
  const scripts = withTimes ? scriptPairs(base, now) : [];
  const audits = flippedAudits(base, now, withTimes);
  const findings = findingChanges(base, now);
  const { performance, points } = pointsOf(base, now, verdicts);
  const caching = cachingOf(base, now);
  const omitted: Record<string, number> = {};
  const first = <T>(name: string, entries: readonly T[]): T[] => {
    if (entries.length > MAX_ENTRIES) omitted[name] = entries.length - MAX_ENTRIES;
    return entries.slice(0, MAX_ENTRIES);
  };
  const requestsOf = (list: RequestList) =>
    first(
      `requests.${list}`,
      requests.filter((pair) => pair.list === list),
    ).map(requestChange);
  return {
    sentence: sentenceOf({
      changes: { base, now, requests, scripts },
      verdicts,
      points,
      caching,
      audits,
      findings,
      interactions,
    }),
    performance,
    points,
    requests: {
      added: requestsOf('added'),
      gone: requestsOf('gone'),
      larger: requestsOf('larger'),
      smaller: requestsOf('smaller'),
      slower: requestsOf('slower'),
      faster: requestsOf('faster'),
    },
    mainThread: first('mainThread', scripts).map(scriptChange),
    lcpElement: lcpElementOf(base, now),
    layoutShifts: isChange(verdicts.cls) ? first('layoutShifts', shiftsOf(base, now)) : [],
    audits: first('audits', audits).map(auditChange),
    elements: first('elements', findings).map(elementChange),
    document: {
      redirects: { base: base.redirects, value: now.redirects },
      serverResponseMs: { base: rounded(base.serverResponseMs), value: rounded(now.serverResponseMs) },
    },
    caching: first('caching', caching),
    interactions,
    omitted,
  };
};

const hasChangeOfSpeed = (verdicts: Verdicts): boolean =>
  metricRows.filter(({ group }) => group === 'load' || group === 'cpu').some(({ name }) => isChange(verdicts[name])) ||
  isChange(verdicts.performance) ||
  isChange(verdicts.mainThreadCpu);

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value));

const lcpElementOf = ({ lcpElement: base }: ReportFacts, { lcpElement: value }: ReportFacts) =>
  base && value && { changed: !isSameElement(base, value), base: pageElement(base), value: pageElement(value) };

const shiftsOf = (base: ReportFacts, now: ReportFacts): Explanation['layoutShifts'] =>
  pairsOf(base.shifts, now.shifts)
    .map((pair) => ({
      ...pageElement(either(pair).element),
      base: pair.base?.score ?? null,
      value: pair.now?.score ?? null,
    }))
    .filter((shift) => shift.base !== shift.value)
    .sort((a, b) => Math.abs((b.value ?? 0) - (b.base ?? 0)) - Math.abs((a.value ?? 0) - (a.base ?? 0)));

/** Returns the files that both pages load and whose cache lifetime differs. Lighthouse names only lifetimes that are short. */
const cachingOf = (base: ReportFacts, now: ReportFacts): Explanation['caching'] =>
  [...now.requests.values()].flatMap(({ key, url }) => {
    if (!base.requests.has(key)) return [];
    const [baseSeconds, seconds] = [base.shortCaching.get(key) ?? null, now.shortCaching.get(key) ?? null];
    return baseSeconds === seconds ? [] : [{ url, baseSeconds, seconds }];
  });
