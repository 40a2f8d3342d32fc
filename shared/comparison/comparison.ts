import { type MetricName, metricNames, pageMetric } from '../metrics/page-metrics.ts';
import type { Region } from '../name-schemas.ts';
import { categoriesOf } from '../options/audit-options.ts';
import { againstNames } from '../options/variants.ts';
import { recordOf } from '../record.ts';
import { type Change, changeOf } from './change.ts';
import {
  type AuditedAs,
  type Difference,
  differencesOf,
  distinct,
  isOtherMachine,
  type MeasuredOn,
  measuredOn,
  reasonsAgainst,
} from './comparable.ts';
import { changeOfPairs, LOOK_CONFIDENCE } from './looks.ts';
import { newlyFailed } from './newly-failed.ts';
import type { CheckComparison, Reason, Verdict } from './schemas.ts';
import { asInSeries, locationsIn, type SeriesPoint } from './series.ts';
import { medianOf } from './shift.ts';
import {
  type ComparedCheck,
  type ComparedRun,
  changeView,
  checksOf,
  driftingBy,
  hasSucceeded,
  noChange,
  ownReasons,
  reason,
  type Side,
  shown,
  sideOf,
} from './sides.ts';
import { type DifferenceCode, isInput, isSpoiledBy } from './spoils.ts';

type Options = {
  /** Differences that were meant. They are no reason against verdicts. */
  intended?: readonly DifferenceCode[];
  /** Further checks that join the base, if they can be compared with it. */
  pool?: readonly ComparedCheck[];
  /** Further checks that join the check itself, if they can be compared with it. */
  again?: readonly ComparedCheck[];
  /** True if one host audited both sides in turns. */
  inTurns?: boolean;
  /** Earlier checks of the base's page by region, the oldest first. They show how much it moves by itself. */
  history?: History;
};
export type History = Partial<Record<Region, readonly SeriesPoint[]>>;

/** Compares a finished check with an earlier one. Returns undefined if no region succeeded in both. */
export const compareChecks = (
  base: ComparedCheck,
  check: ComparedCheck,
  { intended = [], pool = [], again = [], inTurns = false, history = {} }: Options = {},
): CheckComparison | undefined => {
  const sides = sidesByRegion(base, check);
  const pairs = sides.flatMap(({ region, before, after }) =>
    hasSucceeded(before) && hasSucceeded(after)
      ? [
          {
            region,
            before: sideOf(before, pooledRuns(base, before, pool)),
            after: sideOf(after, pooledRuns(check, after, again)),
          },
        ]
      : [],
  );
  if (pairs.length === 0) return undefined;
  const compared = new Set([base, check, ...pool, ...again].map(({ id }) => id));
  const earlierOf = (region: Region) => (history[region] ?? []).filter(({ checkId }) => !compared.has(checkId));
  const judged = pairs.map((pair) => {
    const differences = differencesOf(auditedAs(base, pair.before.run), auditedAs(check, pair.after.run));
    const audited = asInSeries(base, pair.before.run.environment);
    const locations = (name: MetricName) => locationsIn(earlierOf(pair.region), name, audited);
    return { ...pair, differences, reasons: reasonsOfPair(pair), locations };
  });
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
    checks.filter(({ runs }) => pairs.some((pair) => runs.some((run) => pair[side].pooled.includes(run))));
  return {
    checkId: check.id,
    baseCheckId: base.id,
    pooledCheckIds: joined(pool, 'before').map(({ id }) => id),
    againCheckIds: joined(again, 'after').map(({ id }) => id),
    regions: pairs.map(({ region }) => region),
    metrics: recordOf(metricNames, (name) => comparePairs(name, judged, { intended, inTurns, canTurn })),
    comparable: reasons.length + others.length === 0,
    reasons,
    differences,
    newlyFailed: newlyFailed(pairs),
  };
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

type Pair = { region: Region; before: Side; after: Side };
type JudgedPair = Pair & {
  differences: readonly Difference[];
  reasons: readonly Reason[];
  locations: (name: MetricName) => number[]; // of the page's earlier checks
};

const reasonsOfPair = ({ region, before, after }: Pair): Reason[] => {
  const isOther = isOtherMachine(measuredOn(before.run.environment), measuredOn(after.run.environment));
  const all = [...ownReasons(before), ...ownReasons(after), ...(isOther ? [reason('different-machine', region)] : [])];
  return all.filter(({ code }, i) => all.findIndex((each) => each.code === code) === i);
};

type Against = {
  intended: readonly DifferenceCode[];
  inTurns: boolean;
  canTurn: boolean; // if `against` could have all differences
};

const comparePairs = (name: MetricName, pairs: readonly JudgedPair[], { intended, inTurns, canTurn }: Against) => {
  const regions = pairs.map(({ region, before, after, differences, reasons, locations }) => {
    const [base, value] = [baseValueOf(name, before), after.run[name]];
    const shownValues = { base: shown(name, base), value: shown(name, value) };
    if (base === null || value === null) return [region, { ...shownValues, ...noChange }] as const;
    const page = driftingBy(before, after);
    const change = inTurns
      ? changeOfPairs(
          name,
          { own: after.run.samples, against: before.run.samples },
          { page, ...(after.run.turns && { confidence: LOOK_CONFIDENCE }) },
        )
      : changeOf(pageMetric(name), checksOf(name, before), checksOf(name, after), {
          ...{ page, history: locations(name), canTurn },
        });
    if (!change) return [region, { ...shownValues, ...noChange }] as const;
    const against = [...reasons, ...differences.filter((each) => !intended.includes(each.code))];
    const isSpoiled = against.some(({ code }) => isSpoiledBy(name, code));
    const verdict = isSpoiled ? ('unknown' as const) : verdictOf(name, change.direction);
    return [region, { ...shownValues, ...changeView(name, change, isSpoiled), verdict }] as const;
  });
  const verdicts = regions.map(([, { verdict }]) => verdict);
  return { regions: Object.fromEntries(regions), verdict: gravestOf(verdicts) };
};

/** Returns the gravest proved verdict. One that is open hides no proved one. */
export const gravestOf = (verdicts: readonly Verdict[]): Verdict =>
  (['regressed', 'improved', 'same'] as const).find((each) => verdicts.includes(each)) ?? 'unknown';

/** Returns the value of a run, or the median of all samples if the base is pooled. */
const baseValueOf = (name: MetricName, side: Side): number | null => {
  const values = checksOf(name, side).flat();
  return side.pooled.length > 0 && values.length > 0 ? medianOf(values) : side.run[name];
};

const verdictOf = (name: MetricName, direction: Change['direction']): Verdict => {
  if (direction === 'same' || direction === 'unknown') return direction;
  return direction === pageMetric(name).better ? 'improved' : 'regressed';
};
