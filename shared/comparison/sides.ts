import type { AssertionResult } from '../assertions/assertions.ts';
import type { AuditVersion } from '../audit-versions.ts';
import { type MetricName, noMetrics } from '../metrics/page-metrics.ts';
import { metricsView, type Sample } from '../metrics/page-metrics-schemas.ts';
import type { Region } from '../name-schemas.ts';
import type { Category } from '../options/audit-options.ts';
import { MIN_SAMPLES } from './by-samples.ts';
import type { Change } from './change.ts';
import type { AuditedAs, MeasuredOn } from './comparable.ts';
import { type Checks, type Drifting, locationOf, meanOf } from './noise.ts';
import type { Reason, ReasonCode, Value } from './schemas.ts';
import { isSpoiledBy } from './spoils.ts';

/** A finished run, as far as a comparison needs it. */
export type ComparedRun = Omit<Sample, 'contended' | 'cpuBusy'> & {
  region: Region;
  state: string;
  samples: readonly Sample[];
  environment: Partial<MeasuredOn> | null;
  /** Set if the run looked several times whether its changes are clear. */
  turns?: object | null;
  assertions?: readonly AssertionResult[] | null;
};

/** A finished check with the inputs that decide whether its results can be compared. */
export type ComparedCheck = Omit<AuditedAs, 'categories'> & {
  id: string;
  auditVersion: AuditVersion;
  categories?: Category[] | undefined;
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
export const valuesOf = (name: MetricName, samples: readonly Sample[]): number[] => {
  const free = samples.filter(({ contended }) => !contended);
  const counted = isSpoiledBy(name, 'contended') && free.length > 0 ? free : samples;
  return counted.map((sample) => sample[name]).filter((value) => value !== null);
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

export const changeView = (name: MetricName, { shift, by, noise, isSuspected, needs }: Change, isSpoiled: boolean) => ({
  change: {
    estimate: shownShift(name, shift.estimate),
    low: shownShift(name, shift.low),
    high: shownShift(name, shift.high),
    confidence: Math.round(shift.confidence * 1000) / 1000,
    by,
  },
  noise: noise && {
    ...noise,
    within: noise.within === null ? null : shownShift(name, noise.within),
    between: noise.between === null ? null : shownShift(name, noise.between),
  },
  suspected: isSuspected && !isSpoiled,
  needs: isSpoiled ? null : needs,
});

/** Returns a value as a run shows it. */
export const shown = (name: MetricName, value: number | null): Value =>
  value === null ? null : metricsView({ ...noMetrics, [name]: value })[name];

/** Returns a difference of values, without the digits that only the arithmetic of a computer makes. */
const shownShift = (name: MetricName, value: number): Value => shown(name, Math.round(value * 1e6) / 1e6);
