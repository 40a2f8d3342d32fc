import { type AuditOrder, type AuditSummary, categoriesOfOrder } from '../messages.ts';
import { type AxeAudit, type Flags, patchFailedRules } from './patches.ts';
import { type KnownOfLoad, type RunnerResult, summarize } from './result.ts';
import { type RecordedTrace, type Simulator, simulateLoad } from './simulate.ts';

type Judge = { simulator: Simulator; desktopConfig: object; axeAudit: AxeAudit };
export type LoadContext = {
  /** Flags with which the page was loaded. */
  flags: Flags;
  known: KnownOfLoad;
  isLate: () => boolean;
  recorded: RecordedTrace | undefined;
};

/**
 * Judges a load by another release of the same major version: the one of the order. Everything that ran in the page, such as
 * axe-core, is that of the release that loaded it.
 */
export const judgeLoad = async (
  { simulator, desktopConfig, axeAudit }: Judge,
  { lhr: { configSettings }, artifacts = { settings: {} } }: RunnerResult,
  order: AuditOrder,
  { flags, known, isLate, recorded }: LoadContext,
): Promise<AuditSummary | undefined> => {
  const { uncheckedRules } = patchFailedRules(axeAudit);
  const config = order.options.device === 'desktop' ? desktopConfig : undefined;
  const skipAudits = configSettings.skipAudits ?? []; // with `charset`, if the browser kept no document
  const onlyCategories = categoriesOfOrder(order);
  const resolved = await simulator.resolveConfig(config, { ...flags, onlyCategories, skipAudits });
  const options = { resolvedConfig: resolved, config: resolved, computedCache: new Map() };
  const result = await simulator.runner.audit({ ...artifacts, settings: resolved.settings }, options);
  if (!result) return undefined;
  const summary = await summarize(result.lhr, order, { ...known, uncheckedRules: uncheckedRules() });
  if (!recorded) return summary;
  const { simulations: _, ...shown } = order.options; // the second variant shows no simulations
  const load = { lhr: result.lhr, artifacts };
  const simulated = await simulateLoad(simulator, load, { ...order, options: shown }, { config, isLate, recorded });
  return { ...summary, ...simulated };
};
