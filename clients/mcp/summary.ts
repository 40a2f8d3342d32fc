import { optionNames } from '../../shared/audit-options.ts';
import type { CheckView } from '../../shared/check.ts';
import { type MetricName, namesOfKind, pageMetric, valueNames } from '../../shared/page-metrics.ts';
import { pick } from '../../shared/pick.ts';
import type { RunView } from '../../shared/run.ts';

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
  };
};

const isInEveryVersion = (name: MetricName): boolean => {
  const { since, until } = pageMetric(name);
  return since === undefined && until === undefined;
};
