import { categoriesOf, options } from '../audit-options.ts';
import type { Region } from '../name-schemas.ts';
import { type MetricName, metricNames, pageMetric } from '../page-metrics.ts';
import { recordOf } from '../record.ts';
import { againstNames } from '../variants.ts';
import { type Change, changeOf, changeOfTurns } from './change.ts';
import { type AuditedAs, type DifferenceCode, differencesOf, isOtherMachine } from './comparable.ts';
import { newlyFailed } from './newly-failed.ts';
import type { CheckComparison, Reason, Verdict } from './schemas.ts';
import { medianOf } from './shift.ts';
import {
  type ComparedCheck,
  type ComparedRun,
  changeView,
  checksOf,
  differentMachine,
  hasSucceeded,
  isSpoiledBy,
  measuredOn,
  noChange,
  ownReasons,
  reason,
  type Side,
  shown,
  sideOf,
  tbtOf,
} from './sides.ts';

type Options = {
  /** Differences that were meant. They are no reason against verdicts. */
  intended?: readonly DifferenceCode[];
  /** Further checks that join the base, if they can be compared with it. */
  pool?: readonly ComparedCheck[];
  /** Further checks that join the check itself, if they can be compared with it. */
  again?: readonly ComparedCheck[];
  /** True if one host audited both sides in turns. Its benchmarks then say nothing about the difference. */
  inTurns?: boolean;
};

/** Compares a finished check with an earlier one. Returns undefined if no region succeeded in both. */
export const compareChecks = (
  base: ComparedCheck,
  check: ComparedCheck,
  { intended = [], pool = [], again = [], inTurns = false }: Options = {},
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
  const differences = differencesOf(auditedAs(base), auditedAs(check));
  const others = differences.map(({ code }) => code).filter((code) => !intended.includes(code));
  const reasons = [
    ...sides
      .filter(({ before, after }) => !hasSucceeded(before) || !hasSucceeded(after))
      .map(({ region, before, after }) => reason(before && after ? 'failed' : 'missing-region', region)),
    ...pairs.flatMap(reasonsOfPair).filter(({ code }) => !inTurns || code !== 'different-machine'),
  ];
  const canTurn = differences.length > 0 && differences.every(({ code }) => againstNames.some((name) => name === code));
  const against = { reasons, differences: others, inTurns, canTurn };
  const joined = (checks: readonly ComparedCheck[], side: 'before' | 'after') =>
    checks.filter(({ runs }) => pairs.some((pair) => runs.some((run) => pair[side].pooled.includes(run))));
  return {
    checkId: check.id,
    baseCheckId: base.id,
    pooledCheckIds: joined(pool, 'before').map(({ id }) => id),
    againCheckIds: joined(again, 'after').map(({ id }) => id),
    regions: pairs.map(({ region }) => region),
    metrics: recordOf(metricNames, (name) => comparePairs(name, pairs, against)),
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
export const haveSameInputs = (base: ComparedCheck, check: ComparedCheck): boolean =>
  differencesOf(auditedAs(base), auditedAs(check)).length === 0;

/** Returns the runs of other checks that are comparable with a run of the base. */
const pooledRuns = (base: ComparedCheck, run: ComparedRun, pool: readonly ComparedCheck[]): ComparedRun[] =>
  pool
    .filter((each) => haveSameInputs(base, each))
    .flatMap(({ runs }) => runs)
    .filter((other) => hasSucceeded(other) && other.region === run.region && !other.environment?.contended)
    .filter((other) => !isOtherMachine(measuredOn(run), measuredOn(other)));

const auditedAs = (check: ComparedCheck): AuditedAs => ({
  ...check,
  categories: categoriesOf(check.auditVersion, check),
});

type Pair = { region: Region; before: Side; after: Side };

const reasonsOfPair = ({ before, after }: Pair): Reason[] => {
  const isOther = isOtherMachine(measuredOn(before.run), measuredOn(after.run));
  const all = [...ownReasons(before), ...ownReasons(after), ...(isOther ? [differentMachine(after.run)] : [])];
  return all.filter(({ code }, i) => all.findIndex((each) => each.code === code) === i);
};

type Against = {
  reasons: readonly Reason[];
  differences: readonly DifferenceCode[]; // that were not intended
  inTurns: boolean;
  canTurn: boolean; // if `against` could have all differences
};

const comparePairs = (name: MetricName, pairs: readonly Pair[], against: Against) => {
  const { reasons, differences, inTurns, canTurn } = against;
  const regions = pairs.map(({ region, before, after }) => {
    const [base, value] = [baseValueOf(name, before), after.run[name]];
    const shownValues = { base: shown(name, base), value: shown(name, value) };
    if (base === null || value === null) return [region, { ...shownValues, ...noChange }] as const;
    const options = { tbt: tbtOf(before, after), canTurn };
    const [earlier, later] = [checksOf(name, before), checksOf(name, after)];
    const change = inTurns
      ? changeOfTurns(pageMetric(name), earlier.flat(), later.flat(), options)
      : changeOf(pageMetric(name), earlier, later, options);
    const isSpoiled = isSpoiledBy(name, [region], reasons) || differences.some((code) => isChangedBy(name, code));
    const verdict = isSpoiled ? ('unknown' as const) : verdictOf(name, change.direction);
    return [region, { ...shownValues, ...changeView(name, change, isSpoiled), verdict }] as const;
  });
  const verdicts = regions.map(([, { verdict }]) => verdict);
  return { regions: Object.fromEntries(regions), verdict: gravestOf(verdicts) };
};

/** Returns the gravest proved verdict. One that is open hides no proved one. */
export const gravestOf = (verdicts: readonly Verdict[]): Verdict =>
  (['regressed', 'improved', 'same'] as const).find((each) => verdicts.includes(each)) ?? 'unknown';

/** Returns true if a difference of the inputs can change a metric. */
const isChangedBy = (name: MetricName, code: DifferenceCode): boolean => {
  const spoils = code === 'url' || code === 'auditVersion' ? 'all' : options[code].spoils;
  return spoils === 'all' || (spoils === 'times' && pageMetric(name).dependsOn === 'device');
};

/** Returns the value of a run, or the median of all samples if the base is pooled. */
const baseValueOf = (name: MetricName, side: Side): number | null => {
  const values = checksOf(name, side).flat();
  return side.pooled.length > 0 && values.length > 0 ? medianOf(values) : side.run[name];
};

const verdictOf = (name: MetricName, direction: Change['direction']): Verdict => {
  if (direction === 'same' || direction === 'unknown') return direction;
  return direction === pageMetric(name).better ? 'improved' : 'regressed';
};
