import type { AssertionResult } from '../assertions/assertions.ts';
import type { AuditVersion } from '../audit-versions.ts';
import type { MeasuredValues } from '../interactions/metric-ids.ts';
import { type MetricKind, type MetricName, type PageMetric, pageMetric } from '../metrics/page-metrics.ts';
import { type Sample, valueView } from '../metrics/page-metrics-schemas.ts';
import type { Region } from '../name-schemas.ts';
import type { Category } from '../options/audit-options.ts';
import { MIN_SAMPLES } from './by-samples.ts';
import type { Change } from './change.ts';
import type { AuditedAs, MeasuredOn } from './comparable.ts';
import { type Checks, type Drifting, locationOf, meanOf } from './noise.ts';
import type { Reason, ReasonCode, Value } from './schemas.ts';
import { spoilsMetric } from './spoils.ts';

/** A finished run, as far as a comparison needs it. */
export type ComparedRun = Omit<Sample, 'contended' | 'cpuBusy'> & {
  region: Region;
  state: string;
  samples: readonly Sample[];
  environment: Partial<MeasuredOn> | null;
  /** Set if the run looked several times whether its changes are clear. */
  turns?: object | null;
  assertions?: readonly AssertionResult[] | null;
  interactions?: readonly ComparedResult[] | null;
};
type ComparedResult = MeasuredValues & { reason: string | null };

/** A finished check with the inputs that decide whether its results can be compared. */
export type ComparedCheck = Omit<AuditedAs, 'categories'> & {
  id: string;
  auditVersion: AuditVersion;
  categories?: Category[] | undefined;
  interactions?: readonly { name: string; steps: readonly unknown[] }[] | undefined;
  runs: readonly ComparedRun[];
};

/** A run that is compared, and the runs that are pooled with it. */
export type Side = { run: ComparedRun; pooled: readonly ComparedRun[] };
export const sideOf = (run: ComparedRun, pooled: readonly ComparedRun[] = []): Side => ({ run, pooled });

/** A side, as far as its samples say. */
type Sampled = { run: Pick<ComparedRun, 'samples'>; pooled: readonly Pick<ComparedRun, 'samples'>[] };

export const samplesOf = ({ run, pooled }: Sampled): Sample[] => [run, ...pooled].flatMap(({ samples }) => samples);

export const hasSucceeded = (run: ComparedRun | undefined): run is ComparedRun => run?.state === 'succeeded';

export const reason = (code: ReasonCode, region: Region): Reason => ({ code, region });

/** Returns the reasons that lie in a single side. */
export const ownReasons = ({ run, pooled }: Side): Reason[] => [
  ...(samplesOf({ run, pooled }).length < MIN_SAMPLES ? [reason('fewer-samples', run.region)] : []),
  ...(run.environment?.contended ? [reason('contended', run.region)] : []),
];

export const checksOf = (name: MetricName, { run, pooled }: Sampled): Checks =>
  [run, ...pooled].map(({ samples }) => valuesOf(name, samples)).filter((values) => values.length > 0);

/** Returns the values of a metric. A contended sample counts only where all samples of a metric that this spoils are. */
export const valuesOf = (name: MetricName, samples: readonly Sample[]): number[] =>
  countedOf(
    pageMetric(name),
    samples.map((sample) => ({ ...sample, value: sample[name] })),
  );

/** A value of a sample, and whether the sample is contended. */
export type SampledValue = Pick<Sample, 'contended'> & { value: number | null };

/** Does the same for the values of the samples. */
export const countedOf = (metric: PageMetric, samples: readonly SampledValue[]): number[] => {
  const free = samples.filter(({ contended }) => !contended);
  const counted = spoilsMetric(metric, 'contended') && free.length > 0 ? free : samples;
  return counted.map(({ value }) => value).filter((value) => value !== null);
};

/** Returns how much a page drifts by the TBT of all its checks, and by the busiest machine. Unknown facts count as 0. */
export const driftingBy = (...sides: readonly Sampled[]): Drifting => {
  const busy = (side: Sampled) => meanOf(samplesOf(side).map(({ cpuBusy }) => cpuBusy ?? 0)) || 0;
  return {
    tbt: meanOf(sides.flatMap((side) => checksOf('tbt', side)).map(locationOf)) || 0,
    cpuBusy: Math.max(...sides.map(busy)),
  };
};

export const noChange = { change: null, noise: null, suspected: false, needs: null, verdict: 'unknown' as const };

export const changeView = (
  { kind }: Pick<PageMetric, 'kind'>,
  { shift, by, isSteady, noise, isSuspected, needs }: Change,
  isSpoiled: boolean,
) => ({
  change: {
    estimate: shownShift(kind, shift.estimate),
    low: shownShift(kind, shift.low),
    high: shownShift(kind, shift.high),
    confidence: Math.round(shift.confidence * 1000) / 1000,
    by,
    ...(isSteady && { steady: true as const }),
  },
  noise: noise && {
    ...noise,
    within: noise.within === null ? null : shownShift(kind, noise.within),
    between: noise.between === null ? null : shownShift(kind, noise.between),
  },
  suspected: isSuspected && !isSpoiled,
  needs: isSpoiled ? null : needs,
});

/** Returns a value as a run shows it. */
export const shown = (kind: MetricKind, value: number | null): Value =>
  value === null ? null : valueView(kind, value);

/** Returns a difference of values, without the digits that only the arithmetic of a computer makes. */
const shownShift = (kind: MetricKind, value: number): Value => shown(kind, Math.round(value * 1e6) / 1e6);
