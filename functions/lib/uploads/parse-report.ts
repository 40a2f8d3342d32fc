import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AuditVersion } from '../../../shared/audit-versions.ts';
import { UPLOADED_HOST } from '../../../shared/comparison/comparable.ts';
import type { Environment } from '../../../shared/environment.ts';
import { factsOf } from '../../../shared/explanation/facts.ts';
import { fixesOf } from '../../../shared/fixes/fixes.ts';
import { metricNames, pageMetric } from '../../../shared/metrics/page-metrics.ts';
import type { Metrics } from '../../../shared/metrics/page-metrics-schemas.ts';
import { metricsOf } from '../../../shared/metrics/report-metrics.ts';
import { type Category, categoriesIn, type Device, devices } from '../../../shared/options/audit-options.ts';
import { noOptions } from '../../../shared/options/audit-options-schemas.ts';
import { throttlingNames } from '../../../shared/options/throttling.ts';
import { pick } from '../../../shared/pick.ts';
import { ApiProblemError } from '../../../shared/problems.ts';
import { recordOf } from '../../../shared/record.ts';
import { cutText } from '../../../shared/text.ts';
import { UPLOAD_MAJORS } from '../../../shared/uploads.ts';
import { invalidInput } from '../http/input.ts';
import { redactText } from '../redact.ts';
import { MAX_URL_LENGTH } from '../targets/public-addresses.ts';
import { faultOfShape, MAX_AUDITS } from './report-shape.ts';

const text = z.string();
const score = z.number().min(0).max(1).nullable();
/** Highest value of a metric: some 11 days in milliseconds, or 1 GB. */
const MAX_VALUE = 1e9;
/** The database stores no number between 0 and 1e-130. */
const nearZero = (value: number): number => (Math.abs(value) < 1e-9 ? 0 : value);
const number = z.number().transform(nearZero).nullish(); // null in JSON if it is infinite
const setting = z.number().nonnegative().max(MAX_VALUE).transform(nearZero);
const Url = text.max(MAX_URL_LENGTH).refine((url) => /^https?:\/\//i.test(url) && URL.canParse(url), {
  error: 'must be a URL that starts with http:// or https://',
});

/** Most categories of a result. Lighthouse writes at most 5. */
const MAX_CATEGORIES = 20;
const atMost = (most: number) =>
  [(of: object) => Object.keys(of).length <= most, `must have at most ${most} entries`] as const;

/** The parts of an uploaded Lighthouse result that the service reads. It stores all of the result. */
const UploadedResult = z.looseObject({
  lighthouseVersion: text.regex(/^\d{1,2}\.\d{1,3}\.\d{1,3}(-[\w.]{1,30})?$/),
  gatherMode: z.literal('navigation', 'must be navigation').optional(),
  finalUrl: Url.optional(),
  finalDisplayedUrl: Url.optional(), // since version 10
  runWarnings: z.array(text).default([]),
  runtimeError: z.object({ code: text, message: text.optional() }).optional(),
  environment: z.object({
    hostUserAgent: text.max(1000).regex(/Chrome\/\d/, 'must name the version of Chrome'),
    benchmarkIndex: setting,
  }),
  configSettings: z.looseObject({
    formFactor: z.enum(devices),
    throttlingMethod: z.enum(['simulate', 'devtools', 'provided']).nullish(), // PageSpeed's API leaves it out
    throttling: z.object(recordOf(throttlingNames, () => setting.nullish())).optional(),
    blockedUrlPatterns: z.array(text.max(MAX_URL_LENGTH)).nullish(),
    onlyAudits: z.array(text).nullish(),
    skipAudits: z.array(text).nullish(),
  }),
  categories: z
    .record(
      text,
      z.looseObject({
        title: text.optional(),
        score,
        auditRefs: z.array(z.looseObject({ id: text, weight: z.number() })).max(MAX_AUDITS),
      }),
    )
    .refine(...atMost(MAX_CATEGORIES)),
  audits: z
    .record(
      text,
      z.looseObject({
        title: text,
        description: text.optional(),
        score,
        scoreDisplayMode: text,
        numericValue: number,
        details: z.looseObject({ type: text.optional() }).nullish(),
      }),
    )
    .refine(...atMost(MAX_AUDITS)),
});
type UploadedResult = z.infer<typeof UploadedResult>;

/** Results of an uploaded report, as the runs of the service have them. */
export type UploadedSample = {
  auditVersion: AuditVersion;
  device: Device;
  categories: Category[];
  metrics: Metrics;
  finalUrl: string;
  warnings: string[];
  environment: Environment;
};

/** Returns the results of an uploaded Lighthouse result. Throws a problem that says what is wrong with it. */
export const parseReport = (value: unknown): UploadedSample => {
  const shape = faultOfShape(value);
  if (shape) throw refused(`${shape} Lighthouse writes no such result.`);
  const parsed = UploadedResult.safeParse(value);
  if (!parsed.success)
    throw invalidInput(
      parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message: `${message}. ${accepted}` })),
      `The report is no Lighthouse result of a navigation. ${accepted}`,
    );
  const report = parsed.data;
  const version = report.lighthouseVersion as AuditVersion;
  if (!UPLOAD_MAJORS.includes(Number.parseInt(version, 10))) throw unsupported(version);
  const finalUrl = report.finalDisplayedUrl ?? report.finalUrl;
  if (finalUrl === undefined) throw refused('It has no `finalUrl` and no `finalDisplayedUrl`.');
  const { code = 'NO_ERROR' } = report.runtimeError ?? {};
  if (code !== 'NO_ERROR') throw refused(`Its audit failed with ${cutText(code, 100)}.`);
  const categories = categoriesIn(version).filter((name) => report.categories[name]);
  const metrics = metricsOf(report as Parameters<typeof metricsOf>[0], version);
  const missing = metricNames.filter((name) => metrics[name] === null && isNeeded(name, categories));
  if (categories.length === 0) throw refused('It has none of the categories of Lighthouse.');
  const { onlyAudits, skipAudits } = report.configSettings;
  const isChosen = (onlyAudits ?? skipAudits ?? []).length > 0; // its user left audits out
  if (missing.length > 0 && !isChosen) throw refused(`It has no value of: ${missing.join(', ')}.`);
  const odd = metricNames.filter((name) => !(Math.abs(metrics[name] ?? 0) <= MAX_VALUE) || (metrics[name] ?? 0) < 0);
  if (odd.length > 0) throw refused(`These values are below 0 or impossibly high: ${odd.join(', ')}.`);
  requireReadable(value);
  return {
    auditVersion: version,
    device: report.configSettings.formFactor,
    categories,
    metrics,
    finalUrl: redactText(finalUrl),
    warnings: [...(missing.length > 0 ? [leftOut(missing)] : []), ...report.runWarnings]
      .slice(0, MAX_WARNINGS)
      .map((each) => cutText(redactText(each), MAX_WARNING)),
    environment: environmentOf(report, version),
  };
};

const leftOut = (names: readonly string[]) => `The configuration of this report left out: ${names.join(', ')}.`;

const MAX_WARNINGS = 20;
const MAX_WARNING = 1000;

const accepted = `Send the JSON that Lighthouse ${UPLOAD_MAJORS[0]} to ${UPLOAD_MAJORS.at(-1)} writes with --output=json.`;
const refused = (why: string) =>
  new ApiProblemError('invalid-request', `The report can not be used. ${why} ${accepted}`);
const unsupported = (version: string) =>
  new ApiProblemError('unsupported-audit-version', `The report is by Lighthouse ${version}. ${accepted}`);

/** Returns true if a report with these categories needs a value of the metric. */
const isNeeded = (name: (typeof metricNames)[number], categories: readonly Category[]): boolean => {
  const { category } = pageMetric(name);
  return category !== undefined && categories.includes(category);
};

/** Throws if the service could not show what to fix on the page, or why it changed. */
const requireReadable = (value: unknown): void => {
  try {
    fixesOf(value as Parameters<typeof fixesOf>[0], { contended: false });
    factsOf(value as Parameters<typeof factsOf>[0]);
  } catch {
    throw refused('The tables of its audits have another form than those of Lighthouse.');
  }
};

/** Returns the environment of an uploaded report. The service measured nothing itself. */
const environmentOf = (
  { configSettings, environment: { hostUserAgent, benchmarkIndex } }: UploadedResult,
  auditVersion: AuditVersion,
): Environment => {
  const { formFactor: device, throttlingMethod, throttling: values, blockedUrlPatterns } = configSettings;
  const throttling = throttlingMethod ?? null;
  const system = /\(([^)]*)\)/.exec(hostUserAgent)?.[1] ?? null;
  const simulated = throttling === 'simulate' && throttlingNames.every((name) => typeof values?.[name] === 'number');
  return {
    auditVersion,
    chromium: /(?:Headless)?Chrome\/[\d.]+/.exec(hostUserAgent)?.[0] ?? hostUserAgent,
    sandbox: null,
    fonts: null,
    revision: null,
    device,
    throttling,
    throttlingValues: simulated ? (pick(values as never, throttlingNames) as Environment['throttlingValues']) : null,
    ...noOptions,
    ...(blockedUrlPatterns && { blockedUrlPatterns: blockedUrlPatterns.slice(0, 50) }),
    benchmarkIndex,
    benchmarkedAt: null,
    cpuCount: null,
    memoryMiB: null,
    kernel: system,
    host: hostOf(system, throttling),
    cpuBusy: null,
    cpuStolen: null,
    cpuWaitMs: null,
    corrected: null,
    contended: null,
  };
};

/** Returns a fingerprint of the kind of machine. Applied throttling makes a machine of its own, since it is no input of a check. */
const hostOf = (system: string | null, throttling: string | null): string => {
  const kind = `${system} ${throttling === 'devtools' ? throttling : ''}`;
  return `${UPLOADED_HOST}${createHash('sha256').update(kind).digest('hex').slice(0, 12)}`;
};
