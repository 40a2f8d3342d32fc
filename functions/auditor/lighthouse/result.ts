import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { auditVersion } from '../../../shared/audit-versions.ts';
import { metricsOf } from '../../../shared/metrics/report-metrics.ts';
import { steadyCategories } from '../../../shared/options/audit-options.ts';
import { type ThrottlingValues, throttlingNames } from '../../../shared/options/throttling.ts';
import { pick } from '../../../shared/pick.ts';
import { cutText } from '../../../shared/text.ts';
import { type AuditOrder, type AuditSummary, optionalAudits, type RuntimeError } from '../messages.ts';
import { scrubberOf, scrubReport } from '../scrub.ts';
import type { GatheredLoad } from './artifacts.ts';

/** The parts of a Lighthouse result that the service reads in all supported versions. */
export type LighthouseResult = {
  lighthouseVersion: string;
  finalDisplayedUrl?: string; // since version 10
  finalUrl?: string; // in version 9
  runWarnings: string[];
  runtimeError?: RuntimeError;
  environment: { benchmarkIndex: number };
  configSettings: LoadSettings;
  fullPageScreenshot?: unknown; // since version 10
  categories: Record<string, { score: number | null; auditRefs?: { id: string }[] } | undefined>;
  audits: Record<string, LighthouseAudit | undefined>;
};

export type LoadSettings = {
  throttlingMethod: string;
  throttling: ThrottlingValues;
  skipAudits?: string[] | null;
  screenEmulation?: object;
  emulatedUserAgent?: string | boolean;
};

type LighthouseAudit = {
  id?: string;
  title?: string;
  scoreDisplayMode: string;
  numericValue?: number;
  errorMessage?: string;
  details?: { items?: readonly { url?: string; statusCode?: number; rtt?: number }[] };
};

export type RunnerResult = { lhr: LighthouseResult; artifacts?: { settings: object } & GatheredLoad };

/** Facts about a load that no result of Lighthouse has. */
export type KnownOfLoad = Pick<
  AuditSummary,
  'withoutMeaningfulPaint' | 'uncheckedRules' | 'benchmarkedAt' | 'mainThread' | 'artifacts'
>;

/** Length of a warning: Lighthouse's warning about a redirect has two addresses of up to 2,048 characters. */
const MAX_WARNING = 5000;

/** Returns the parts of a result that the service uses, and the whole result as its report. */
export const summarize = async (
  lhr: LighthouseResult,
  order: AuditOrder,
  { withoutMeaningfulPaint, ...known }: KnownOfLoad,
): Promise<AuditSummary> => {
  const { auditVersion: version, options, skipOptionalParts, timedOnly } = order;
  if (lhr.lighthouseVersion !== version)
    throw new Error(`Lighthouse ${lhr.lighthouseVersion} ran instead of ${version}.`);
  const { throttlingMethod, throttling } = lhr.configSettings;
  if (known.mainThread?.matters && known.mainThread.isCorrected)
    lhr.runWarnings.push(corrected(known.mainThread.waitedMs ?? 0));
  const report = await reportOf(lhr, order);
  return {
    metrics: metricsOf(lhr, version),
    runtimeError: lhr.runtimeError && lhr.runtimeError.code !== 'NO_ERROR' ? lhr.runtimeError : null,
    finalUrl: lhr.finalDisplayedUrl ?? lhr.finalUrl ?? null,
    warnings: lhr.runWarnings.slice(0, 50).map((warning) => cutText(String(warning), MAX_WARNING)),
    benchmarkIndex: lhr.environment?.benchmarkIndex ?? null,
    throttling: throttlingMethod,
    throttlingValues: throttlingMethod === 'simulate' ? pick(throttling, throttlingNames) : null,
    withoutCharset: 'best-practices' in lhr.categories && !lhr.audits.charset,
    ...known,
    withoutMeaningfulPaint: withoutMeaningfulPaint && 'performance' in lhr.categories,
    screenshotMissing:
      auditVersion(version).acceptsPage &&
      !(skipOptionalParts || timedOnly || options.categories || lhr.fullPageScreenshot),
    erroredAudits: Object.entries(lhr.audits)
      .filter(([, audit]) => audit?.scoreDisplayMode === 'error')
      .slice(0, 50)
      .map(([id, audit]) => ({
        id,
        message: cutText(audit?.errorMessage ?? '', 1000),
        ...(isSteadyIn(lhr, id) && { isSteady: true }),
      })),
    report: report.gzip,
    reportBytes: report.bytes,
  };
};

/** Returns a result without the secrets of its order, as a report. */
export const reportOf = async (
  lhr: LighthouseResult,
  { auditVersion: version, secrets, url }: AuditOrder,
): Promise<{ gzip: Buffer; bytes: number }> => {
  const shown = secrets ? scrubReport(lhr, scrubberOf(secrets, url)) : lhr;
  const json = Buffer.from(JSON.stringify({ ...shown, auditVersion: version }));
  return { gzip: await promisify(gzip)(json, { level: 6 }), bytes: json.length };
};

/** Returns true if an audit is among the parts that only the first sample of a run has. */
const isSteadyIn = ({ categories }: LighthouseResult, id: string): boolean =>
  optionalAudits.includes(id) ||
  steadyCategories.some((name) => categories[name]?.auditRefs?.some((ref) => ref.id === id));

const corrected = (waitedMs: number): string =>
  `Other programs used the CPU. The times are without their part: the page waited ${Math.round(waitedMs)} ms for a CPU.`;
