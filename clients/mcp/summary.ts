import { optionNames } from '../../shared/audit-options.ts';
import type { CheckView } from '../../shared/check.ts';
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
  const { performance, accessibility, bestPractices, seo, pwa, agenticBrowsing, fcp, si, lcp, tti, tbt, cls } = run;
  const base = { runId: run.id, region: run.region, device: run.device, state: run.state };
  if (run.state === 'failed') return { ...base, error: run.error, warnings: run.warnings };
  if (run.state !== 'succeeded') return { ...base, samples: run.samples.length };
  return {
    ...base,
    scores: {
      ...{ performance, accessibility, bestPractices, seo },
      ...(pwa !== null && { pwa }),
      ...(agenticBrowsing !== null && { agenticBrowsing }),
    },
    metrics: { fcp, si, lcp, tti, tbt, cls },
    samples: run.samples.length,
    spread: run.spread,
    contended: run.environment?.contended ?? null,
    warnings: run.warnings,
  };
};
