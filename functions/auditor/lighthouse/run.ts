import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { type AuditVersion, auditVersion } from '../../../shared/audit-versions.ts';
import type { AuditOptions } from '../../../shared/options/audit-options-schemas.ts';
import { slowdownOf } from '../../../shared/options/throttling.ts';
import { cutText } from '../../../shared/text.ts';
import type { Waits } from '../cpu-waits.ts';
import {
  type AuditOrder,
  type AuditSummary,
  type Benchmark,
  categoriesOfOrder,
  isTimed,
  optionalAudits,
} from '../messages.ts';
import { artifactsOf } from './artifacts.ts';
import { type GatheringRunner, patchGathering } from './gathering.ts';
import { judgeLoad, type LoadContext } from './judge-load.ts';
import {
  exportOf,
  type ImportCore,
  lighthouseModules,
  type Run,
  type Speedline,
  type StartTimespan,
} from './modules.ts';
import {
  type AccessibilityGatherer,
  type AuditArtifacts,
  type AxeAudit,
  auditAgainWithoutCharset,
  blockInAllTargets,
  type DefaultConfig,
  gatherAccessibilityFirst,
  type NetworkMonitor,
  type PageFunctions,
  type Protocol,
  type ProtocolHooks,
  patchAccessibilityTimeout,
  patchBenchmark,
  patchFailedRules,
  patchMessageFormat,
  patchNavigation,
  patchProtocol,
  patchTrace,
  type TraceGatherer,
} from './patches.ts';
import { type LoadSettings, type RunnerResult, summarize } from './result.ts';
import {
  type GatherContext,
  type ScreenshotGatherer,
  type ScreenshotWatch,
  shortenScreenshotWait,
} from './screenshot-wait.ts';
import { type Simulated, type Simulator, simulateLoad } from './simulate.ts';

export type Lighthouse = {
  run: Run;
  startTimespan: StartTimespan | undefined; // since version 10
  importCore: ImportCore;
  simulator: Simulator & { runner: GatheringRunner };
  auditArtifacts: AuditArtifacts | undefined; // since version 10
  desktopConfig: object;
  defaultConfig: DefaultConfig;
  trace: TraceGatherer;
  accessibility: AccessibilityGatherer;
  screenshot: ScreenshotGatherer;
  speedline: Speedline;
  axeAudit: AxeAudit;
  networkMonitor: NetworkMonitor;
  protocol: Protocol;
  pageFunctions: PageFunctions;
};

/**
 * Imports a Lighthouse release. Building a config imports all audits and gatherers. This takes nearly a second, so an
 * auditor does it before it has an order. `folder` may have linked releases.
 */
export const importLighthouse = async (version: AuditVersion, folder?: string): Promise<Lighthouse> => {
  const { acceptsPage } = auditVersion(version);
  const { importCore, messageFormat } = lighthouseModules(version, folder);
  patchMessageFormat(await messageFormat());
  const { default: run, auditFlowArtifacts: auditArtifacts, startTimespan } = await importCore('index.js');
  const resolveConfig = await configResolver(run, importCore);
  await resolveConfig(undefined, {});
  const networkMonitor = await importCore('gather/driver/network-monitor.js');
  const pageFunctions = await importCore('lib/page-functions.js');
  return {
    run,
    startTimespan,
    importCore,
    simulator: { runner: exportOf(await importCore('runner.js'), 'Runner'), resolveConfig },
    auditArtifacts,
    desktopConfig: (await importCore('config/desktop-config.js')).default,
    defaultConfig: (await importCore('config/default-config.js')).default,
    trace: (await importCore('gather/gatherers/trace.js')).default,
    accessibility: (await importCore('gather/gatherers/accessibility.js')).default,
    screenshot: (await importCore('gather/gatherers/full-page-screenshot.js')).default,
    speedline: exportOf(await importCore('computed/speedline.js'), 'Speedline'),
    axeAudit: (await importCore('audits/accessibility/axe-audit.js')).default,
    networkMonitor: exportOf(networkMonitor, 'NetworkMonitor'),
    protocol: acceptsPage
      ? exportOf(await importCore('gather/session.js'), 'ProtocolSession')
      : exportOf(await importCore('gather/driver.js'), 'Driver'),
    pageFunctions: exportOf(pageFunctions, 'pageFunctions'),
  };
};

const configResolver = async (run: Run, importCore: ImportCore): Promise<Simulator['resolveConfig']> => {
  const { generateConfig } = run;
  if (generateConfig) return async (config, flags) => generateConfig(config, flags);
  const { initializeConfig } = await importCore('config/config.js');
  return async (config, flags) => (await initializeConfig('navigation', config, flags)).resolvedConfig;
};

/** `maxWaitForFcp` must exceed `maxWaitForLoad`. Otherwise Lighthouse never detects a hung page. */
const loadTimeouts = { maxWaitForLoad: 35_000, maxWaitForFcp: 36_000 };
type Browser = { page: Page; profile: string; benchmark: Benchmark };
type Hooks = ProtocolHooks & {
  /** Called when Lighthouse has waited for a page to load. Lighthouse waits for it. */
  onLoaded: () => Promise<void>;
  /** Called when the trace ends, which ends the timed part in all versions. Returns the waits of a timed part. */
  onMeasured: () => Promise<Waits | undefined>;
  /** Called when the audit needs the browser no more. */
  onGathered?: () => void;
  /** Watches the page during the full-page screenshot. Without it, Lighthouse waits for a quiet network as long as it does. */
  onScreenshot?: () => ScreenshotWatch;
};

/** Results that a load gives besides its own: of other networks and devices, and by the other release of the order. */
export type MoreResults = { simulated?: Simulated | undefined } & Also;
/** Result by the other release, or a warning that says why there is none. The service then audits the page by that release too. */
type Also = { also?: AuditSummary; warning?: string };

export type Audited = {
  summary: AuditSummary;
  /** Settings of the load, as Lighthouse resolved them. Missing if the page did not load. */
  settings?: LoadSettings;
  /** Judges the load of the audit in further ways. Needs no browser. After `isLate`, nothing more starts. */
  judgeMore?: (isLate: () => boolean) => Promise<MoreResults>;
};

/** Audits one URL in a browser. Throws the errors of Lighthouse. */
export const runLighthouse = async (
  lighthouse: Lighthouse,
  order: AuditOrder,
  { page, profile, benchmark, onLoaded, onMeasured, onScreenshot, onGathered, ...hooks }: Browser & Hooks,
): Promise<Audited> => {
  const { url, options } = order;
  const { run, auditArtifacts, desktopConfig, defaultConfig, trace, accessibility, axeAudit } = lighthouse;
  patchBenchmark(lighthouse.pageFunctions, benchmark.index);
  patchNavigation(lighthouse.networkMonitor, onLoaded);
  patchProtocol(lighthouse.protocol, hooks);
  const patchedTrace = patchTrace(trace, order.auditVersion, slowdownOf(options), onMeasured);
  if (options.blockedUrlPatterns) blockInAllTargets(lighthouse.protocol, options.blockedUrlPatterns);
  patchAccessibilityTimeout(accessibility, hooks.traffic);
  if (onGathered) patchGathering(lighthouse.simulator.runner, onGathered);
  const computeAhead = (context: GatherContext): void => {
    const measured = isTimed(order) ? patchedTrace()?.trace : undefined;
    if (measured) lighthouse.speedline.request(measured, context).catch(() => {}); // the audits get the same error
  };
  if (onScreenshot) shortenScreenshotWait(lighthouse.screenshot, onScreenshot, computeAhead);
  const { uncheckedRules } = patchFailedRules(axeAudit);
  if (order.skipOptionalParts) gatherAccessibilityFirst(defaultConfig);
  const flags = {
    logLevel: 'silent',
    output: 'json',
    onlyCategories: categoriesOfOrder(order),
    ...((order.skipOptionalParts || order.timedOnly) && {
      skipAudits: [...optionalAudits],
      disableFullPageScreenshot: true,
    }),
    ...loadTimeouts,
    ...throttlingFlags(options),
    ...(options.blockedUrlPatterns && { blockedUrlPatterns: options.blockedUrlPatterns }),
  };
  const config = options.device === 'desktop' ? desktopConfig : undefined;
  const result = auditVersion(order.auditVersion).acceptsPage
    ? await run(url, flags, config, page)
    : await run(url, { ...flags, port: await debuggingPort(profile) }, config);
  if (!result) throw new Error('Lighthouse returned no result.');
  const isLoaded = (result.lhr.runtimeError?.code ?? 'NO_ERROR') === 'NO_ERROR';
  const { lhr } =
    auditArtifacts && isLoaded ? await auditAgainWithoutCharset(auditArtifacts, result, url, flags, config) : result;
  const patched = patchedTrace();
  const known = {
    ...(await artifactsOf(options.artifacts, result.artifacts, lhr.runWarnings, hooks.failedTargets)),
    benchmarkedAt: benchmark.measuredAt,
    withoutMeaningfulPaint: patched?.addedMeaningfulPaint ?? false,
    ...(patched?.mainThread && { mainThread: patched.mainThread }),
    uncheckedRules: uncheckedRules(),
  };
  const summary = await summarize(lhr, order, known);
  const { alsoBy } = order;
  const recorded = patched && isTimed(order) ? patched : undefined;
  const isSimulated = Boolean(options.simulations || recorded);
  const loaded = { summary, ...(isLoaded && { settings: lhr.configSettings }) };
  if (!isLoaded || !(isSimulated || alsoBy)) return loaded;
  return {
    ...loaded,
    judgeMore: async (isLate) => ({
      simulated: isSimulated
        ? await simulateLoad(lighthouse.simulator, result, order, { config, isLate, recorded })
        : undefined,
      ...(alsoBy && (await judgeBy(alsoBy, { ...result, lhr }, order, { flags, known, isLate, recorded }))),
    }),
  };
};

const judgeBy = async (
  version: AuditVersion,
  load: RunnerResult,
  order: AuditOrder,
  context: LoadContext,
): Promise<Also> => {
  const separate = (reason: string) => ({
    warning: `Lighthouse ${version} loads the page itself, because it could not judge this load: ${reason}`,
  });
  if (context.isLate()) return separate('the time was over.');
  try {
    const also = await judgeLoad(await importLighthouse(version), load, { ...order, auditVersion: version }, context);
    return also ? { also } : separate('it returned no result.');
  } catch (error) {
    return separate(cutText((error as Error).message, 200));
  }
};

/** Measures Lighthouse's benchmark of the host in a blank page, which takes a second. */
export const measureBenchmark = async ({ pageFunctions }: Lighthouse, page: Page): Promise<Benchmark> => ({
  index: await page.evaluate(pageFunctions.computeBenchmarkIndex),
  measuredAt: new Date().toISOString(),
});

/** Returns the flags that differ from the preset of the device. Lighthouse merges them with the preset. */
export const throttlingFlags = ({ throttling }: AuditOptions): object => {
  if (throttling === undefined) return {};
  return throttling === 'none' ? { throttlingMethod: 'provided' } : { throttling };
};

/** Reads the debugging port, which Chromium writes to its profile soon after its start. */
const debuggingPort = async (profile: string): Promise<number> => {
  for (let tries = 0; ; tries++) {
    try {
      return Number((await readFile(join(profile, 'DevToolsActivePort'), 'utf8')).split('\n')[0]);
    } catch (error) {
      if (tries >= 3000) throw error;
      await sleep(10);
    }
  }
};
