import { computeMedianRun } from 'lighthouse/core/lib/median-run.js';
import type { Metrics } from '../../shared/page-metrics.ts';

/**
 * The sample that stands for all, by Lighthouse's own rule: nearest to the medians of FCP and TTI. Where performance was
 * not measured, the first.
 */
export const medianOf = <Of extends { metrics: Metrics }>(samples: readonly [Of, ...Of[]]): Of => {
  if (samples.some(({ metrics }) => metrics.fcp === null || metrics.tti === null)) return samples[0];
  const runs = samples.map((sample) => ({
    sample,
    audits: {
      'first-contentful-paint': { numericValue: sample.metrics.fcp },
      interactive: { numericValue: sample.metrics.tti },
    },
  }));
  return (computeMedianRun(runs as never) as unknown as (typeof runs)[number]).sample;
};
