import { computeMedianRun } from 'lighthouse/core/lib/median-run.js';
import { metricNames, pageMetric, spreadOf } from '../../../shared/metrics/page-metrics.ts';
import type { Sample, Spread } from '../../../shared/metrics/page-metrics-schemas.ts';
import { isSteady } from '../../../shared/options/audit-options.ts';
import { pick } from '../../../shared/pick.ts';
import { type InteractionResult, interactionResults } from '../interactions/results.ts';
import type { AuditResult } from './judge.ts';

export type Succeeded = Extract<AuditResult, { state: 'succeeded' }>;

/** Result of a variant: its median sample with the values of all samples. */
export type MeasuredResult = Omit<Succeeded, 'interactions'> & {
  interactions?: InteractionResult[];
  samples: Sample[];
  spread: Spread | null;
  /** Report of the first sample, which has the parts that the report of the median sample lacks. */
  firstReport?: Succeeded['report'];
};

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
  const [first] = samples as [Succeeded, ...Succeeded[]];
  const { interactions: _, ...median } = withSteadyParts(medianSample([first, ...samples.slice(1)]), first);
  const interactions = interactionResults(samples);
  const missing = wanted - samples.length;
  const ofRun = [
    ...(missing > 0 ? [`${missing} of ${wanted} samples could not be measured.`] : []),
    ...(median.environment?.contended ? [CONTENDED] : []),
  ];
  const place = median.blockedRequestCount > 0 ? 1 : 0; // the warning about blocked requests stays first
  return {
    ...median,
    warnings: median.warnings.toSpliced(place, 0, ...ofRun),
    samples: samples.map(sampleOf),
    spread: spreadOf(samples.map(({ metrics }) => metrics)),
    ...(interactions && { interactions }),
  };
};

/** Returns the median sample with the parts that only the first sample has: the scores without noise, and what warns about them. */
const withSteadyParts = (median: Succeeded, first: Succeeded): Succeeded & Pick<MeasuredResult, 'firstReport'> => {
  if (median === first) return median;
  const { steadyWarnings = [], report, finalUrl } = first;
  const elsewhere = `Accessibility, best practices, SEO and the screenshot are those of the first sample, whose page was ${finalUrl}.`;
  const warnings = [...median.warnings, ...steadyWarnings, ...(finalUrl === median.finalUrl ? [] : [elsewhere])];
  const metrics = { ...median.metrics, ...pick(first.metrics, steadyMetrics) };
  return { ...median, metrics, warnings: [...new Set(warnings)], ...(report && { firstReport: report }) };
};

/** The scores without noise. */
const steadyMetrics = metricNames.filter((name) => {
  const { category } = pageMetric(name);
  return category && isSteady(category);
});

export const sampleOf = ({ metrics, environment, steady }: Succeeded): Sample => ({
  ...metrics,
  cpuBusy: environment?.cpuBusy ?? null,
  contended: environment?.contended ?? null,
  ...(steady && { steady }),
});

const CONTENDED = 'The machine was busy, and the times could not be corrected. The performance score may be too low.';

export const leastContended = (candidates: readonly Succeeded[]): Succeeded =>
  candidates.find(({ environment }) => !environment?.contended) ??
  (candidates.toSorted((a, b) => loadOf(a) - loadOf(b))[0] as Succeeded);

/** Returns a measure of the load beside a sample. All samples of a machine have the same one. */
const loadOf = ({ environment }: Succeeded): number => environment?.cpuWaitMs ?? environment?.cpuBusy ?? 0;
