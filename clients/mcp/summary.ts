import type { CheckView } from '../../shared/check.ts';
import type { MetricChange } from '../../shared/comparison/schemas.ts';
import { interactionMetricNames, type JudgedName } from '../../shared/interactions/metrics.ts';
import { factsIn, factsOf } from '../../shared/measured.ts';
import {
  type MetricName,
  metricNames,
  namesOfKind,
  pageMetric,
  valueNames,
} from '../../shared/metrics/page-metrics.ts';
import { optionNames } from '../../shared/options/audit-options.ts';
import { pick } from '../../shared/pick.ts';
import type { RunView } from '../../shared/run.ts';
import { isFinished } from '../../shared/states.ts';
import { cutText } from '../../shared/text.ts';
import type { CreatedCheck } from '../api/client.ts';
import { nextStep } from '../words/advice.ts';
import { failedFirst, isNotJudged } from '../words/assertions.ts';
import { fullChangeText } from '../words/change.ts';
import { fieldSentence } from '../words/field-data.ts';
import { fitted } from './fit.ts';
import { checkPage } from './pages.ts';

/** The agent has sent the assertions itself, and they may have many kilobytes. Their results say enough. */
const shownOptions = optionNames.filter((name) => name !== 'assertions');

/** Longest wait of `get_check`, in seconds. */
export const MAX_WAIT_SECONDS = 18;

/** Returns what is known of a check that was created. The service did not answer after that. */
export const createdSummary = (check: CreatedCheck, site: string): object => ({
  checkId: check.id,
  url: cutText(check.url, 500),
  state: 'created',
  page: checkPage(site, check.id),
  auditVersion: check.auditVersion,
  runs: check.runs.map(({ id, region, state }) => ({ runId: id, region, state })),
  next: readingStep(check.id),
});

/** Returns the fields of a check that answer most questions, without the environment and attempts of its runs. */
export const summaryOf = (check: CheckView, site: string, limit?: number): object =>
  fitted({ build: (rows, entries) => summary(check, site, rows, entries), rows: check.runs.length, limit });

const summary = (check: CheckView, site: string, rows: number, entries: number) => ({
  checkId: check.id,
  url: check.url,
  state: check.state,
  page: checkPage(site, check.id),
  auditVersion: check.auditVersion,
  ...(entries > 0 && pick(check, shownOptions)),
  ...(check.assertions && { assertionsPassed: check.assertionsPassed }),
  createdAt: check.createdAt,
  visitors: fieldSentence(check),
  runs: check.runs.slice(0, rows).map((run) => runSummaryOf(run, entries)),
  ...(rows < check.runs.length && { moreRuns: check.runs.length - rows }),
  ...(!isFinished(check.state) && { next: readingStep(check.id) }),
});

/** Returns the call that waits for the end of an unfinished check. */
export const readingStep = (checkId: string) => ({
  tool: 'get_check',
  arguments: { checkId, waitSeconds: MAX_WAIT_SECONDS },
  reason: 'The check is not finished.',
});

const runSummaryOf = (run: RunView, entries: number) => {
  const base = { runId: run.id, region: run.region, device: run.device, state: run.state };
  const warnings = run.warnings.length > 0 && { warnings: run.warnings.slice(0, entries) };
  if (run.state === 'failed') {
    return { ...base, error: run.error, ...(run.error && { nextStep: nextStep(run.error) }), ...warnings };
  }
  if (run.state !== 'succeeded') return { ...base, samples: run.samples.length };
  const scores = namesOfKind('score').filter((name) => run[name] !== null || isInEveryVersion(name));
  return {
    ...base,
    scores: pick(run, scores),
    metrics: pick(run, valueNames),
    samples: run.samples.length,
    ...(entries >= 10 && { spread: run.spread }),
    ...(run.simulations && { simulations: run.simulations.slice(0, entries) }),
    ...(run.interactions && { interactions: run.interactions.slice(0, entries).map(interactionOf) }),
    ...(run.assertions && { assertions: assertionsOf(run.assertions, entries) }),
    ...pick(factsOf(run), factsIn('agents')),
    ...warnings,
    ...(run.turns && { turns: run.turns }),
    ...(run.against && {
      against: againstOf(run.against, entries),
      change: changesOf(run.change, metricNames, entries),
    }),
  };
};

/** Returns how many assertions passed, failed and were not judged, and the first of those that did not pass, in words. */
const assertionsOf = (results: NonNullable<RunView['assertions']>, entries: number) => {
  const others = failedFirst(results);
  const [failed, notJudged] = [others.filter(({ passed }) => passed === false), others.filter(isNotJudged)];
  const shown = (some: typeof others) => some.slice(0, entries).map(({ level, message }) => ({ level, message }));
  return {
    passed: results.length - others.length,
    failed: failed.length,
    firstFailed: shown(failed),
    ...(notJudged.length > 0 && { notJudged: notJudged.length, firstNotJudged: shown(notJudged) }),
  };
};

/** Returns the second variant of a run as far as its summary needs it. */
const againstOf = (against: NonNullable<RunView['against']>, entries: number) => {
  const measured = metricNames.filter((name) => against[name] !== null);
  return {
    ...pick(against, ['url', 'device', 'auditVersion']),
    metrics: pick(against, measured),
    ...(entries >= 10 && { spread: against.spread }),
    ...(against.warnings.length > 0 && { warnings: against.warnings.slice(0, entries) }),
  };
};

const verdicts = ['regressed', 'improved', 'unknown', 'same'];

type Changes<Name extends JudgedName> = Readonly<Record<Name, MetricChange>>;

/** Returns the changes from the second variant to the run in words, those with a verdict first. */
const changesOf = <Name extends JudgedName>(
  change: Changes<Name> | null,
  names: readonly Name[],
  most = names.length,
) => {
  if (!change) return change;
  const measured = names
    .filter((name) => change[name].change)
    .toSorted((a, b) => verdicts.indexOf(change[a].verdict) - verdicts.indexOf(change[b].verdict));
  const texts = measured.map((name) => [
    name,
    { verdict: change[name].verdict, text: fullChangeText(name, change[name]) },
  ]);
  return Object.fromEntries(texts.slice(0, Math.max(most, 1)));
};

type Interaction = NonNullable<RunView['interactions']>[number];

const interactionOf = ({ change, ...result }: Interaction) => ({
  ...result,
  ...(change && { change: changesOf(change, interactionMetricNames) }),
});

const isInEveryVersion = (name: MetricName): boolean => {
  const { since, until } = pageMetric(name);
  return since === undefined && until === undefined;
};
