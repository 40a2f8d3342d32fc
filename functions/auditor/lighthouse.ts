import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Page } from 'puppeteer-core';
import { categoriesOf } from '../../shared/audit-options.ts';
import { type AuditVersion, auditVersion } from '../../shared/audit-versions.ts';
import { type Metrics, noMetrics } from '../../shared/page-metrics.ts';
import { missingMeaningfulPaints, type TraceEvent } from './lighthouse-patches.ts';
import { standInOf } from './lighthouse-stand-ins.ts';
import type { AuditPlan, AuditSummary, RuntimeError } from './messages.ts';

/** The parts of a Lighthouse result that the service reads; the same in all supported versions. */
type Result = {
  lighthouseVersion: string;
  finalDisplayedUrl?: string; // from 10 on
  finalUrl?: string;
  runWarnings: string[];
  runtimeError?: RuntimeError;
  environment: { benchmarkIndex: number };
  configSettings: { throttlingMethod: string };
  fullPageScreenshot?: unknown; // from 10 on
  categories: Record<string, { score: number | null } | undefined>;
  audits: Record<string, { scoreDisplayMode: string; numericValue?: number; errorMessage?: string } | undefined>;
};

type Answer = { lhr: Result; artifacts?: { settings: object } };

type Lighthouse = {
  run(url: string, flags: Record<string, unknown>, config?: object, page?: Page): Promise<Answer | undefined>;
  auditAgain?: (flow: { gatherSteps: object[]; name: string }, config?: object) => Promise<{ steps: Answer[] }>; // from 10 on
  desktopConfig: object;
  defaultConfig: { passes?: { gatherers: string[] }[] }; // passes: version 9 alone
  trace: { endTraceAndCollectEvents(session: unknown): Promise<{ traceEvents: TraceEvent[] }> };
  accessibility: { prototype: { getArtifact(context: GatherContext): Promise<unknown> } };
  axeAudit: { audit(this: { meta: { id: string } }, artifacts: unknown): AuditProduct };
};
type AuditProduct = { score: number | null; errorMessage?: string; notApplicable?: boolean; warnings?: string[] };
type GatherContext = { driver: { defaultSession: { setNextProtocolTimeout(ms: number): void } } };

/**
 * Imports a Lighthouse release, and by building its config all audits and gatherers: near a second that an auditor spends
 * before it has a job.
 */
export const importLighthouse = async (version: AuditVersion): Promise<Lighthouse> => {
  const { package: name, core: folder, acceptsPage } = auditVersion(version);
  // Where the service is deployed they are in place already.
  registerHooks({
    load: (url, context, next) => {
      const standIn = standInOf(url);
      return standIn ? { ...standIn, shortCircuit: true } : next(url, context);
    },
  });
  const core = `${name}/${folder}`;
  const [{ default: run, auditFlowArtifacts: auditAgain }, ...more] = await Promise.all([
    import(name),
    import(`${core}/config/desktop-config.js`),
    import(`${core}/config/default-config.js`),
    import(`${core}/gather/gatherers/trace.js`),
    import(`${core}/gather/gatherers/accessibility.js`),
    import(`${core}/audits/accessibility/axe-audit.js`),
  ]);
  const [desktopConfig, defaultConfig, trace, accessibility, axeAudit] = more.map((module) => module.default);
  if (acceptsPage) {
    const { initializeConfig } = await import(`${core}/config/config.js`);
    await initializeConfig('navigation', undefined, {});
  } else {
    run.generateConfig(undefined, {});
  }
  return { run, auditAgain, desktopConfig, defaultConfig, trace, accessibility, axeAudit };
};

/**
 * `maxWaitForFcp` above `maxWaitForLoad`: below it, Lighthouse's check for a hung page never comes, and an endless script
 * is never ended.
 */
const waits = { maxWaitForLoad: 35_000, maxWaitForFcp: 36_000 };
/** For axe, which takes long on a long document. Lighthouse gives it a minute; here an audit has a limit as a whole. */
const ACCESSIBILITY_MS = 85_000;

/** Where more checks fail than these, what is left is no score for accessibility. */
const MAX_UNCHECKED = 3;

/**
 * Audits one URL in a browser. Throws what Lighthouse throws. `onMeasured` is called as the part ends whose timing counts:
 * when the trace does, in all versions.
 */
export const runLighthouse = async (
  { run, auditAgain, desktopConfig, defaultConfig, trace, accessibility, axeAudit }: Lighthouse,
  plan: AuditPlan,
  { page, profile, onMeasured }: { page: Page; profile: string; onMeasured: () => void },
): Promise<AuditSummary> => {
  const { acceptsPage, needsMeaningfulPaint } = auditVersion(plan.version);
  let withoutMeaningfulPaint = false;
  const endTrace = trace.endTraceAndCollectEvents;
  trace.endTraceAndCollectEvents = async (session) => {
    onMeasured();
    const told = await endTrace.call(trace, session);
    if (needsMeaningfulPaint) {
      const missing = missingMeaningfulPaints(told.traceEvents);
      told.traceEvents.push(...missing);
      withoutMeaningfulPaint = missing.length > 0;
    }
    return told;
  };
  const { getArtifact } = accessibility.prototype;
  accessibility.prototype.getArtifact = function (context) {
    context.driver.defaultSession.setNextProtocolTimeout(ACCESSIBILITY_MS);
    return getArtifact.call(this, context);
  };
  // As later versions do, before all else: of a page that grows it would take longer by the time.
  const rank = (gatherer: string) => (gatherer === 'accessibility' ? 0 : 1);
  if (plan.lean) defaultConfig.passes?.[0]?.gatherers.sort((a, b) => rank(a) - rank(b));
  const uncheckedRules = new Set<string>();
  const { audit } = axeAudit;
  axeAudit.audit = function (artifacts) {
    const product = audit.call(this, artifacts);
    if (product.errorMessage) uncheckedRules.add(this.meta.id);
    if (!product.errorMessage || uncheckedRules.size > MAX_UNCHECKED) return product;
    return { score: null, notApplicable: true, warnings: [product.errorMessage] }; // it alone would cost the score
  };
  const summarized = (lhr: Result) =>
    summarize(lhr, plan, { withoutMeaningfulPaint, uncheckedRules: [...uncheckedRules] });
  const flags = {
    logLevel: 'silent',
    output: 'json',
    onlyCategories: categoriesOf(plan.version, plan),
    ...(plan.lean && { skipAudits: ['bf-cache', 'full-page-screenshot'], disableFullPageScreenshot: true }),
    ...waits,
  };
  const config = plan.device === 'desktop' ? desktopConfig : undefined;
  const answer = acceptsPage
    ? await run(plan.url, flags, config, page)
    : await run(plan.url, { ...flags, port: await debuggingPort(profile) }, config);
  if (!answer) throw new Error('Lighthouse gave no result');
  if (!auditAgain || answer.lhr.audits.charset?.scoreDisplayMode !== 'error') return summarized(answer.lhr);

  // The browser keeps no document of over 10 MB, and none that has not ended: this audit alone would cost a score.
  const skipAudits = [...(flags.skipAudits ?? []), 'charset'];
  const artifacts = { ...answer.artifacts, settings: { ...answer.artifacts?.settings, skipAudits } };
  const step = { artifacts, name: plan.url, flags: { ...flags, skipAudits } };
  const { steps } = await auditAgain({ gatherSteps: [step], name: plan.url }, config);
  return summarized((steps[0] as Answer).lhr);
};

/** Chromium writes its port to its profile, soon after it has started. */
const debuggingPort = async (profile: string): Promise<number> => {
  for (let tries = 0; ; tries++) {
    try {
      return Number((await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n')[0]);
    } catch (error) {
      if (tries >= 200) throw error;
      await sleep(10);
    }
  }
};

const summarize = async (
  lhr: Result,
  { version, categories, lean }: AuditPlan,
  { withoutMeaningfulPaint, uncheckedRules }: Pick<AuditSummary, 'withoutMeaningfulPaint' | 'uncheckedRules'>,
): Promise<AuditSummary> => {
  if (lhr.lighthouseVersion !== version) throw new Error(`Lighthouse ${lhr.lighthouseVersion} ran for ${version}`);
  const json = Buffer.from(JSON.stringify({ ...lhr, auditVersion: version }));
  return {
    metrics: metricsOf(lhr, version),
    runtimeError: lhr.runtimeError && lhr.runtimeError.code !== 'NO_ERROR' ? lhr.runtimeError : null,
    finalUrl: lhr.finalDisplayedUrl ?? lhr.finalUrl ?? null,
    warnings: lhr.runWarnings.slice(0, 50).map((warning) => String(warning).slice(0, 1000)),
    benchmarkIndex: lhr.environment?.benchmarkIndex ?? null,
    throttling: lhr.configSettings.throttlingMethod,
    withoutCharset: 'best-practices' in lhr.categories && !lhr.audits.charset,
    uncheckedRules,
    withoutMeaningfulPaint: withoutMeaningfulPaint && 'performance' in lhr.categories,
    screenshotMissing: auditVersion(version).acceptsPage && !lean && !categories && !lhr.fullPageScreenshot,
    erroredAudits: Object.entries(lhr.audits)
      .filter(([, audit]) => audit?.scoreDisplayMode === 'error')
      .slice(0, 50)
      .map(([id, audit]) => ({ id, message: (audit?.errorMessage ?? '').slice(0, 1000) })),
    report: await promisify(gzip)(json, { level: 6 }),
    reportBytes: json.length,
  };
};

const metricsOf = (lhr: Result, version: AuditVersion): Metrics => {
  const score = (id: string) => {
    const value = lhr.categories[id]?.score;
    return typeof value === 'number' ? Math.round(value * 100) : null;
  };
  const value = (id: string) => {
    const number = lhr.audits[id]?.numericValue;
    return typeof number === 'number' && Number.isFinite(number) ? number : null;
  };
  return {
    ...noMetrics,
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    pwa: auditVersion(version).pwa ? score('pwa') : null,
    seo: score('seo'),
    fcp: value('first-contentful-paint'),
    si: value('speed-index'),
    lcp: value('largest-contentful-paint'),
    tti: value('interactive'),
    tbt: value('total-blocking-time'),
    cls: value('cumulative-layout-shift'),
  };
};
