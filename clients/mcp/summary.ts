import { optionNames } from '../../shared/audit-options.ts';
import type { CheckView } from '../../shared/check.ts';
import { type MetricName, metricNames, namesOfKind, pageMetric, valueNames } from '../../shared/page-metrics.ts';
import { pick } from '../../shared/pick.ts';
import type { RunView } from '../../shared/run.ts';
import { changeText } from '../words/change.ts';

/** Returns the fields of a check that answer most questions, without the environment and attempts of its runs. */
export const summaryOf = (check: CheckView) => ({
  checkId: check.id,
  url: check.url,
  state: check.state,
  auditVersion: check.auditVersion,
  ...pick(check, optionNames),
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
    contended: run.environment?.contended ?? null,
    warnings: run.warnings,
    ...(run.against && { against: againstOf(run.against), change: changeOf(run) }),
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
