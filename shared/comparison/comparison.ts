import { type MetricName, mainNames, metricNames, pageMetric } from '../metrics/page-metrics.ts';
import type { Sample } from '../metrics/page-metrics-schemas.ts';
import type { Region } from '../name-schemas.ts';
import { categoriesOf } from '../options/audit-options.ts';
import { againstNames } from '../options/variants.ts';
import { recordOf } from '../record.ts';
import { answerOf } from './answer.ts';
import { type BySeries, withSeries } from './by-series.ts';
import { KNOWN_CHECKS } from './change.ts';
import {
  type AuditedAs,
  differencesOf,
  distinct,
  isOtherMachine,
  type MeasuredOn,
  measuredOn,
  reasonsAgainst,
} from './comparable.ts';
import { compareInteractions, type InteractionPair, stepsOf } from './interactions.ts';
import { type Against, judgePairs, type Measured, type MeasuredSide, type Pair } from './judge-pairs.ts';
import { newlyFailed } from './newly-failed.ts';
import { type CheckComparison, MAX_ORDERS, type Reason } from './schemas.ts';
import { asInSeries, inpsIn, locationsIn, type SeriesPoint } from './series.ts';
import {
  type ComparedCheck,
  type ComparedRun,
  driftingBy,
  hasSucceeded,
  ownReasons,
  reason,
  type SampledValue,
  type Side,
  samplesOf,
  sideOf,
} from './sides.ts';
import { type DifferenceCode, isInput } from './spoils.ts';
import { ordersOf, steadySides } from './steady.ts';
import { hasOtherSpeed, workChangesOf } from './work.ts';

type Options = {
  /** Differences that were meant. They are no reason against verdicts. */
  intended?: readonly DifferenceCode[];
  /** Further checks that join the base, if they can be compared with it. */
  pool?: readonly ComparedCheck[];
  /** Further checks that join the check itself, if they can be compared with it. */
  again?: readonly ComparedCheck[];
  /** True if one host audited both sides in turns. */
  inTurns?: boolean;
  /** Regions that share the chance of a false verdict. Without it, those that are compared. */
  regions?: number;
  /** Earlier checks of the base's page by region, the oldest first. They show how much it moves by itself. */
  history?: History;
  /** Verdicts of the series of the page about the two checks, by region. */
  bySeries?: BySeries;
};
export type History = Partial<Record<Region, readonly SeriesPoint[]>>;

/** Compares a finished check with an earlier one. Returns undefined if no region succeeded in both. */
export const compareChecks = (
  base: ComparedCheck,
  check: ComparedCheck,
  { intended = [], pool = [], again = [], inTurns = false, regions, history = {}, bySeries = {} }: Options = {},
): CheckComparison | undefined => {
  const sides = sidesByRegion(base, check);
  const compared = new Set([base, check, ...pool, ...again].map(({ id }) => id));
  const earlierOf = (region: Region) => (history[region] ?? []).filter(({ checkId }) => !compared.has(checkId));
  const pairsWith = (pool: readonly ComparedCheck[], again: readonly ComparedCheck[]): LoadPair[] =>
    sides.flatMap(({ region, before: base_, after: run }) => {
      if (!hasSucceeded(base_) || !hasSucceeded(run)) return [];
      const pair = {
        region,
        before: sideOf(base_, pooledRuns(base, base_, pool)),
        after: sideOf(run, pooledRuns(check, run, again)),
      };
      const audited = asInSeries(base, base_.environment);
      const locations = (name: MetricName) => locationsIn(earlierOf(region), name, audited);
      const isKnown = mainNames.some((name) => locations(name).length >= KNOWN_CHECKS);
      return {
        ...pair,
        differences: differencesOf(auditedAs(base, base_), auditedAs(check, run)),
        reasons: reasonsOfPair(pair, { isKnown, inTurns }),
        locations,
        steady: steadySides({ before: samplesByCheck(pair.before), after: samplesByCheck(pair.after) }),
        inps: (interaction: string) => inpsIn(earlierOf(region), interaction, audited),
      };
    });
  const judged = pairsWith(pool, again);
  if (judged.length === 0) return undefined;
  const differences = distinct(judged.flatMap((pair) => pair.differences));
  const reasons = [
    ...sides
      .filter(({ before, after }) => !hasSucceeded(before) || !hasSucceeded(after))
      .map(({ region, before, after }) => reason(before && after ? 'failed' : 'missing-region', region)),
    ...judged.flatMap((pair) => pair.reasons),
  ];
  const others = differences.filter(({ code }) => !intended.includes(code));
  const chosen = differences.filter(({ code }) => isInput(code));
  const canTurn = chosen.length > 0 && chosen.every(({ code }) => againstNames.some((name) => name === code));
  const joined = (checks: readonly ComparedCheck[], side: 'before' | 'after') =>
    checks.filter(({ runs }) => judged.some((pair) => runs.some((run) => pair[side].pooled.includes(run))));
  const against: Against = { intended, inTurns, canTurn, regions: regions ?? judged.length };
  const interactionPairs = (name: string) => {
    const withSteps = (checks: readonly ComparedCheck[], of: ComparedCheck) =>
      checks.filter((each) => stepsOf(each, name) === stepsOf(of, name));
    const [before, after] = [stepsOf(base, name), stepsOf(check, name)];
    return {
      pairs: pairsWith(withSteps(pool, base), withSteps(again, check)),
      hasOtherSteps: before !== undefined && after !== undefined && before !== after,
    };
  };
  const ofChecks = recordOf(metricNames, (name) => judgePairs(pageMetric(name), judged, measuredLoad(name), against));
  const metrics = others.length === 0 ? withSeries(ofChecks, bySeries) : ofChecks;
  const runs = [check, base].flatMap((each) => each.runs);
  const interactions = compareInteractions(runs, interactionPairs, against);
  return {
    checkId: check.id,
    baseCheckId: base.id,
    pooledCheckIds: joined(pool, 'before').map(({ id }) => id),
    againCheckIds: joined(again, 'after').map(({ id }) => id),
    regions: judged.map(({ region }) => region),
    ...answerOf({ metrics, interactions }),
    metrics,
    ...shownByLoads(judged),
    interactions,
    comparable: reasons.length + others.length === 0,
    reasons,
    differences,
    newlyFailed: newlyFailed(judged),
  };
};

/** Returns what the loads of each region show beside their metrics: other orders of paints, and other work. */
const shownByLoads = (pairs: readonly Pair[]): Pick<CheckComparison, 'orders' | 'work'> => {
  const inRegions = <Found extends object>(find: (pair: Pair) => readonly Found[]) =>
    pairs.flatMap((pair) => find(pair).map((found) => ({ region: pair.region, ...found }))).slice(0, MAX_ORDERS);
  const orders = inRegions(({ before, after }) =>
    ordersOf({ before: samplesByCheck(before), after: samplesByCheck(after) }),
  );
  const work = inRegions((pair) => workChangesOf(loadsOf(pair)));
  return { ...(orders.length > 0 && { orders }), ...(work.length > 0 && { work }) };
};

const sidesByRegion = (base: ComparedCheck, check: ComparedCheck) => {
  const runOf = (runs: readonly ComparedRun[], region: Region) => runs.find((run) => run.region === region);
  const all = [...new Set([...check.runs, ...base.runs].map(({ region }) => region))];
  return all.map((region) => ({ region, before: runOf(base.runs, region), after: runOf(check.runs, region) }));
};

/** Returns true if a run of the check can join the runs of the base. */
export const canPool = (base: ComparedCheck, check: ComparedCheck): boolean =>
  base.runs.some((run) => pooledRuns(base, run, [check]).length > 0);

/** Returns true if nobody has changed an input between two checks. */
export const haveSameInputs = (check: ComparedCheck, other: ComparedCheck): boolean =>
  differencesOf(auditedAs(check), auditedAs(other)).length === 0;

/** Returns the runs of other checks that are comparable with a run of the base. */
const pooledRuns = (base: ComparedCheck, run: ComparedRun, pool: readonly ComparedCheck[]): ComparedRun[] =>
  pool.flatMap((each) =>
    each.runs.filter(
      (other) =>
        hasSucceeded(other) &&
        other.region === run.region &&
        reasonsAgainst(auditedAs(base, run), auditedAs(each, other)).length === 0,
    ),
  );

/** Returns how a check was audited, and how one of its runs was measured. */
const auditedAs = (check: ComparedCheck, run?: ComparedRun): AuditedAs & MeasuredOn => ({
  ...check,
  categories: categoriesOf(check.auditVersion, check),
  ...measuredOn(run?.environment ?? null),
});

/** Returns what is against verdicts. Checks of a page that is known show its noise, and turns have one machine at one time. */
const reasonsOfPair = (pair: Pair, { isKnown, inTurns }: { isKnown: boolean; inTurns: boolean }): Reason[] => {
  const { region, before, after } = pair;
  const isOther = isOtherMachine(measuredOn(before.run.environment), measuredOn(after.run.environment));
  const all = [
    ...[...ownReasons(before), ...ownReasons(after)].filter(({ code }) => !(isKnown && code === 'fewer-samples')),
    ...(isOther ? [reason('different-machine', region)] : []),
    ...(!inTurns && !isKnown && hasOtherSpeed(loadsOf(pair)) ? [reason('other-speed', region)] : []),
  ];
  return all.filter(({ code }, i) => all.findIndex((each) => each.code === code) === i);
};

/** The sides of a region, and what the page's earlier checks show. */
type LoadPair = InteractionPair & {
  reasons: readonly Reason[];
  locations: (name: MetricName) => number[];
  steady: ReturnType<typeof steadySides>;
};

/** Returns the values of a metric of the load. */
const measuredLoad =
  (name: MetricName) =>
  ({ before, after, locations, steady }: LoadPair): Measured => ({
    before: measuredSide(name, before),
    after: measuredSide(name, after),
    ...(steady &&
      pageMetric(name).steady && {
        steady: {
          ...recordOf(['before', 'after'], (side) => steady[side].map((samples) => sampledValues(name, samples))),
          mayDiffer: steady.mayDiffer,
        },
      }),
    page: driftingBy(before, after),
    history: locations(name),
  });

const measuredSide = (name: MetricName, { run, pooled }: Side): MeasuredSide => ({
  value: run[name],
  samples: samplesByCheck({ run, pooled }).map((samples) => sampledValues(name, samples)),
});

const loadsOf = ({ before, after }: Pick<Pair, 'before' | 'after'>) => ({
  before: samplesOf(before),
  after: samplesOf(after),
});
const samplesByCheck = ({ run, pooled }: Side) => [run, ...pooled].map(({ samples }) => samples);
const sampledValues = (name: MetricName, samples: readonly Sample[]): SampledValue[] =>
  samples.map((sample) => ({ value: sample[name], contended: sample.contended }));
