import { type Category, categoriesOf } from '../../shared/audit-options.ts';
import type { Metrics } from '../../shared/page-metrics.ts';
import { type RunError, runError } from '../../shared/problems.ts';
import type { Environment, Run } from '../../shared/run.ts';
import { faultOf } from './faults.ts';
import type { AuditSummary } from './messages.ts';
import { cutOff, hasPerformance, isBlank, isErrorPage, isErrorStatus, type Observation } from './observation.ts';

export type AuditResult = Pick<Run, 'blockedRequests' | 'blockedRequestCount'> & {
  environment: Environment | null;
  finalUrl: string | null;
  warnings: string[];
  report?: { gzip: Buffer; bytes: number };
} & ({ state: 'succeeded'; metrics: Metrics } | { state: 'failed'; error: RunError });

/** What is known of an audit that told nothing. */
export const nothingSeen = {
  environment: null,
  finalUrl: null,
  warnings: [],
  blockedRequests: [],
  blockedRequestCount: 0,
} satisfies Partial<AuditResult>;

/**
 * What an audit says about its page: succeeded only without a runtime error, with a score for every category, a number
 * for every metric, and a web address at its end. Anything else is a failure with a name.
 */
export const judge = (seen: Observation): AuditResult => {
  const { end, auditVersion: version, chromium, device, cpu } = seen;
  const summary = end.how === 'audited' ? end.summary : undefined;
  const shown = summary?.finalUrl && !isErrorPage(summary) ? summary.finalUrl : seen.mainFrame.url;
  const finalUrl = shown?.slice(0, 500) ?? null;
  const whole = summary && isWhole(summary, seen);
  const common = {
    finalUrl,
    ...seen.blocked,
    warnings: [...blockedWarning(seen), ...(summary ? [...summary.warnings, ...warningsOf(summary, seen)] : [])].slice(
      0,
      50,
    ),
    environment: chromium
      ? {
          auditVersion: version,
          chromium,
          sandbox: seen.sandbox,
          device,
          throttling: summary?.throttling ?? null,
          benchmarkIndex: summary?.benchmarkIndex ?? null,
          ...seen.machine,
          cpuBusy: cpu && Math.round(cpu.others * 1000) / 1000,
          contended: cpu && (whole ? hasPerformance(seen) && cpu.isFalsified : cpu.wasSlowed),
        }
      : null,
    ...(summary && { report: { gzip: summary.report, bytes: summary.reportBytes } }),
  };
  if (whole) return { ...common, state: 'succeeded', metrics: summary.metrics };

  const { code, auditCode = null, detail } = faultOf(seen);
  const error = runError(code, { auditCode, ...(detail && { detail }), ...(finalUrl && { finalUrl }) });
  return { ...common, state: 'failed', error };
};

const isWhole = ({ metrics, runtimeError, finalUrl }: AuditSummary, seen: Observation): boolean =>
  !runtimeError &&
  !(seen.end.how === 'audited' && (seen.end.document === 'unparsable' || isErrorStatus(seen.end.status))) &&
  !isBlank(seen) &&
  !cutOff(seen) &&
  /^https?:/.test(finalUrl ?? '') &&
  categoriesOf(seen.auditVersion, seen).every((asked) => measuredBy[asked].every((name) => metrics[name] !== null));

/** What each category gives. */
const measuredBy: Record<Category, (keyof Metrics)[]> = {
  performance: ['performance', 'fcp', 'si', 'lcp', 'tti', 'tbt', 'cls'],
  accessibility: ['accessibility'],
  'best-practices': ['bestPractices'],
  pwa: ['pwa'],
  seo: ['seo'],
};

const blockedWarning = ({ blocked, overCap }: Observation): string[] => {
  const { blockedRequestCount: count, blockedRequests } = blocked;
  return [
    ...(count > 0
      ? [`${count} request(s) to addresses that are not audited were refused: ${someHosts(blockedRequests)}.`]
      : []),
    ...(overCap.length > 0 ? [`The page asked for more than the service loads, of ${someHosts(overCap)}.`] : []),
  ];
};
const someHosts = (of: { host: string }[]) => [...new Set(of.map(({ host }) => host))].slice(0, 3).join(', ');

/** What a reader of the numbers should know beyond Lighthouse's own warnings. */
const warningsOf = (
  { erroredAudits, uncheckedRules, screenshotMissing, withoutCharset, withoutMeaningfulPaint }: AuditSummary,
  { lean }: Observation,
): string[] => [
  ...(erroredAudits.length > 0
    ? [`These audits ended in an error: ${erroredAudits.map(({ id }) => id).join(', ')}.`]
    : []),
  ...(uncheckedRules.length > 0
    ? [`This audit version can not check the page for ${uncheckedRules.join(', ')}, which does not count.`]
    : []),
  ...(withoutCharset
    ? ['The document did not end, or is larger than 10 MB: its charset was not audited and does not count.']
    : []),
  ...(withoutMeaningfulPaint
    ? [
        'The browser told of no first meaningful paint: TTI and TBT were taken from the largest contentful paint, as in Lighthouse 12.',
      ]
    : []),
  ...(screenshotMissing ? ['The full-page screenshot could not be taken.'] : []),
  ...(lean
    ? ['The page hung an earlier attempt: this one left out the bf-cache audit and the full-page screenshot.']
    : []),
];
