import { cutText, printable } from '../text.ts';
import type { Audit, Report } from './report.ts';

/** How another version of Lighthouse treats an audit of a category. */
export type AuditVersionChange = {
  kind: 'gone' | 'new' | 'renamed' | 'weight' | 'score';
  audit: string;
  title: string;
  /** Name of a renamed audit in the base. */
  baseAudit: string | null;
  /** Weight in the category. 0 does not count, also if the audit does not apply. Null without the audit. */
  baseWeight: number | null;
  weight: number | null;
  baseScore: number | null;
  score: number | null;
  /** Points of the category that the audit gained or lost with the version. */
  points: number;
};

/** How another version of Lighthouse treats a category. Those audits come first that gained or lost most. */
export type CategoryVersionChange = {
  category: string;
  title: string;
  /** Scores, 0 to 100. Null without the category. */
  base: number | null;
  value: number | null;
  audits: AuditVersionChange[];
  /** Points of all other audits together. The weight of each is another part of the category. */
  otherPoints: number;
};

/** The audits that Lighthouse renamed or merged, with their names today. */
export const successors: Readonly<Record<string, string>> = {
  'password-inputs-can-be-pasted-into': 'paste-preventing-inputs',
  'preload-lcp-image': 'prioritize-lcp-image',
  'layout-shift-elements': 'layout-shifts',
  'uses-long-cache-ttl': 'cache-insight',
  'layout-shifts': 'cls-culprits-insight',
  'non-composited-animations': 'cls-culprits-insight',
  'unsized-images': 'cls-culprits-insight',
  redirects: 'document-latency-insight',
  'server-response-time': 'document-latency-insight',
  'uses-text-compression': 'document-latency-insight',
  'dom-size': 'dom-size-insight',
  'duplicated-javascript': 'duplicated-javascript-insight',
  'legacy-javascript': 'legacy-javascript-insight',
  'uses-http2': 'modern-http-insight',
  'font-display': 'font-display-insight',
  'modern-image-formats': 'image-delivery-insight',
  'uses-optimized-images': 'image-delivery-insight',
  'efficient-animated-content': 'image-delivery-insight',
  'uses-responsive-images': 'image-delivery-insight',
  'work-during-interaction': 'inp-breakdown-insight',
  'largest-contentful-paint-element': 'lcp-breakdown-insight',
  'prioritize-lcp-image': 'lcp-discovery-insight',
  'lcp-lazy-loaded': 'lcp-discovery-insight',
  'critical-request-chains': 'network-dependency-tree-insight',
  'uses-rel-preconnect': 'network-dependency-tree-insight',
  'render-blocking-resources': 'render-blocking-insight',
  'third-party-summary': 'third-parties-insight',
  viewport: 'viewport-insight',
};

const MAX_TITLE = 120;

/** Returns what the version of a report changes about each category of the same page. */
export const versionChanges = (base: Report, now: Report): CategoryVersionChange[] =>
  [...new Set([...Object.keys(base.categories), ...Object.keys(now.categories)])].map((category) => {
    const [before, after] = [sideOf(base, category), sideOf(now, category)];
    const audits = [
      ...[...before.audits.values()].flatMap((audit) => goneOrRenamed(audit, before, after)),
      ...[...after.audits.values()].flatMap((audit) => changeOf(audit, before, after)),
    ].sort((a, b) => Math.abs(b.points) - Math.abs(a.points) || heaviest(b) - heaviest(a));
    const title = after.title ?? before.title ?? category;
    const known = audits.reduce((sum, { points }) => sum + points, 0);
    const otherPoints = before.score === null || after.score === null ? 0 : after.exact - before.exact - known;
    return { category, title, base: before.score, value: after.score, audits, otherPoints };
  });

const heaviest = ({ baseWeight, weight }: AuditVersionChange): number => Math.max(baseWeight ?? 0, weight ?? 0);

/** An audit of a category. `lost` is the number of points that the category lacks because of it. */
type Counted = { id: string; title: string; weight: number; score: number | null; lost: number; hasNoise: boolean };
type Side = { title: string | undefined; score: number | null; exact: number; audits: ReadonlyMap<string, Counted> };

const sideOf = ({ categories, audits }: Report, category: string): Side => {
  const found = categories[category];
  const refs = found?.auditRefs ?? [];
  const total = refs.reduce((sum, { weight }) => sum + weight, 0);
  const counted = refs.map(({ id, weight, group }): Counted => {
    const audit: Audit = audits[id] ?? {};
    const score = audit.score ?? null;
    return {
      id,
      weight,
      score,
      title: cutText(printable(audit.title ?? id), MAX_TITLE),
      lost: total > 0 && score !== null ? (100 * weight * (1 - score)) / total : 0,
      hasNoise: group === 'metrics' || audit.numericUnit === 'millisecond' || category === 'performance',
    };
  });
  return {
    title: found?.title,
    score: found?.score == null ? null : Math.round(found.score * 100),
    exact: 100 - counted.reduce((sum, { lost }) => sum + lost, 0),
    audits: new Map(counted.map((audit) => [audit.id, audit])),
  };
};

const goneOrRenamed = (audit: Counted, before: Side, after: Side): AuditVersionChange[] => {
  if (after.audits.has(audit.id)) return [];
  const successor = after.audits.get(successors[audit.id] ?? '');
  const points = audit.lost - (successor && !before.audits.has(successor.id) ? successor.lost : 0);
  const base = { baseWeight: audit.weight, baseScore: audit.score, points };
  return successor
    ? [
        {
          ...base,
          kind: 'renamed',
          audit: successor.id,
          title: successor.title,
          baseAudit: audit.id,
          weight: successor.weight,
          score: successor.score,
        },
      ]
    : [{ ...base, kind: 'gone', audit: audit.id, title: audit.title, baseAudit: null, weight: null, score: null }];
};

const changeOf = (audit: Counted, before: Side, after: Side): AuditVersionChange[] => {
  const old = before.audits.get(audit.id);
  const { id, title, weight, score } = audit;
  const change = { audit: id, title, baseAudit: null, weight, score };
  if (old) {
    const kind =
      old.weight !== weight ? 'weight' : old.score !== score && weight > 0 && !audit.hasNoise ? 'score' : null;
    const points = old.lost - audit.lost;
    return kind ? [{ ...change, kind, baseWeight: old.weight, baseScore: old.score, points }] : [];
  }
  const isRenamed = [...before.audits.keys()].some((name) => successors[name] === id && !after.audits.has(name));
  return isRenamed ? [] : [{ ...change, kind: 'new', baseWeight: null, baseScore: null, points: -audit.lost }];
};
