import { optionNames } from '../../shared/audit-options.ts';
import type { CheckView } from '../../shared/check.ts';
import { type MetricName, metricNames, namesOfKind, pageMetric, valueNames } from '../../shared/page-metrics.ts';
import { pick } from '../../shared/pick.ts';
import type { RunView } from '../../shared/run.ts';
import { failedFirst } from '../words/assertions.ts';
import { changeText } from '../words/change.ts';

/** The agent has sent the assertions itself, and they may have many kilobytes. Their results say enough. */
const shownOptions = optionNames.filter((name) => name !== 'assertions');

/** Most failed assertions of a run that the summary shows. */
const MAX_FAILED = 10;

/** Returns the fields of a check that answer most questions, without the environment and attempts of its runs. */
export const summaryOf = (check: CheckView) => ({
  checkId: check.id,
  url: check.url,
  state: check.state,
  auditVersion: check.auditVersion,
  ...pick(check, shownOptions),
  ...(check.assertions && { assertionsPassed: check.assertionsPassed }),
  createdAt: check.createdAt,
  runs: check.runs.map(runSummaryOf),
});

const runSummaryOf = (run: RunView) => {
  const base = { runId: run.id, region: run.region, device: run.device, state: run.state };
  if (run.state === 'failed') return { ...base, error: run.error, warnings: run.warnings };
  if (run.state !== 'succeeded') return { ...base, samples: run.samples.length };
  return {
    ...base,
    scores: pick(
      run,
      namesOfKind('score').filter((name) => run[name] !== null || isInEveryVersion(name)),
    ),
    metrics: pick(run, valueNames),
    samples: run.samples.length,
    spread: run.spread,
    ...(run.simulations && { simulations: run.simulations }),
    ...(run.assertions && { assertions: assertionsOf(run.assertions) }),
    contended: run.environment?.contended ?? null,
    warnings: run.warnings,
    ...(run.against && { against: againstOf(run.against), change: changeOf(run) }),
  };
};

/** Returns how many assertions passed and failed, and the first of those that failed, in words. */
const assertionsOf = (results: NonNullable<RunView['assertions']>) => {
  const failed = failedFirst(results);
  return {
    passed: results.length - failed.length,
    failed: failed.length,
    firstFailed: failed.slice(0, MAX_FAILED).map(({ level, message }) => ({ level, message })),
  };
};

/** Returns the second variant of a run as far as its summary needs it. */
const againstOf = (against: NonNullable<RunView['against']>) => ({
  ...pick(against, ['url', 'device', 'auditVersion']),
  metrics: pick(
    against,
    metricNames.filter((name) => against[name] !== null),
  ),
  spread: against.spread,
  warnings: against.warnings,
});

/** Returns the changes from the second variant to the run, also in words. A metric that nothing measured is left out. */
const changeOf = ({ change }: RunView) =>
  change &&
  Object.fromEntries(
    metricNames.flatMap((name) =>
      change[name].change ? [[name, { ...change[name], text: changeText(name, change[name]) }]] : [],
    ),
  );

const isInEveryVersion = (name: MetricName): boolean => {
  const { since, until } = pageMetric(name);
  return since === undefined && until === undefined;
};
