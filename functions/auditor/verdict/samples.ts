import { computeMedianRun } from 'lighthouse/core/lib/median-run.js';
import { spreadOf } from '../../../shared/metrics/page-metrics.ts';
import type { Sample, Spread } from '../../../shared/metrics/page-metrics-schemas.ts';
import type { AuditResult } from './judge.ts';

export type Succeeded = Extract<AuditResult, { state: 'succeeded' }>;

/** Result of a variant: its median sample with the values of all samples. */
export type MeasuredResult = Succeeded & { samples: Sample[]; spread: Spread | null };

/**
 * Returns the sample that Lighthouse would choose: the sample nearest to the median FCP and the median TTI. Returns the first
 * sample if performance was not measured.
 */
export const medianSample = <Measured extends Pick<Succeeded, 'metrics'>>(
  samples: readonly [Measured, ...Measured[]],
): Measured => {
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

export const measuredResult = (samples: readonly Succeeded[], wanted: number): MeasuredResult => {
  const median = medianSample(samples as [Succeeded, ...Succeeded[]]);
  const missing = wanted - samples.length;
  const ofRun = [
    ...(missing > 0 ? [`${missing} of ${wanted} samples could not be measured.`] : []),
    ...(median.environment?.contended ? [CONTENDED] : []),
  ];
  const first = median.blockedRequestCount > 0 ? 1 : 0; // the warning about blocked requests stays first
  return {
    ...median,
    warnings: median.warnings.toSpliced(first, 0, ...ofRun),
    samples: samples.map(sampleOf),
    spread: spreadOf(samples.map(({ metrics }) => metrics)),
  };
};

export const sampleOf = ({ metrics, environment }: Succeeded): Sample => ({
  ...metrics,
  cpuBusy: environment?.cpuBusy ?? null,
  contended: environment?.contended ?? null,
});

const CONTENDED =
  'Other programs used the CPU, and the times could not be corrected. The performance score may be too low.';

export const leastContended = (candidates: readonly Succeeded[]): Succeeded =>
  candidates.find(({ environment }) => !environment?.contended) ??
  (candidates.toSorted((a, b) => loadOf(a) - loadOf(b))[0] as Succeeded);

/** Returns a measure of the load beside a sample. All samples of a machine have the same one. */
const loadOf = ({ environment }: Succeeded): number => environment?.cpuWaitMs ?? environment?.cpuBusy ?? 0;
