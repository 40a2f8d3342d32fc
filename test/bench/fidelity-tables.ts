import { auditVersions } from '../../shared/audit-versions.ts';
import { type Both, type Comparison, isClose, type MetricShift, type Target, targets } from './comparison.ts';
import { median, table } from './numbers.ts';
import { pages } from './pages.ts';
import { type Metric, metrics } from './reading.ts';

const allTargets = Object.keys(targets) as Target[];
const categories = { accessibility: 'accessibility', 'best-practices': 'best practices', seo: 'SEO', pwa: 'PWA' };
const unknown = '–';

/**
 * Returns the tables of service and command line: the targets met, by version and by page, then each pair. Beside them
 * stands the comparison of the command line with itself.
 */
export const fidelityTables = (comparisons: readonly Comparison[], itself: readonly Comparison[]): string => {
  const versions = auditVersions.map(({ version }) => version).filter((each) => of('version', each).length > 0);
  const names = Object.keys(pages).filter((each) => of('page', each).length > 0);
  function of(key: 'version' | 'page', value: string): Comparison[] {
    return comparisons.filter((each) => each[key] === value);
  }
  const rounds = Math.max(...comparisons.flatMap(({ audits }) => [audits.ours, audits.theirs]));
  return [
    `Service and command line: ${comparisons.length} pairs of a page and a version, ${rounds} alternating round(s). How many pairs meet each target:`,
    table(
      ['target', 'met', 'farthest', 'command line against itself'],
      allTargets.map((target) => [
        targets[target],
        countMet(comparisons, target),
        farthest[target](comparisons),
        countMet(itself, target),
      ]),
    ),
    `Audits without a result: service ${countFailures(comparisons, 'ours')}, command line ${countFailures(comparisons, 'theirs')}.`,
    table(
      ['', ...allTargets],
      [
        ...versions.map((version) => [
          version,
          ...allTargets.map((target) => countMet(of('version', version), target)),
        ]),
        ...names.map((page) => [page, ...allTargets.map((target) => countMet(of('page', page), target))]),
      ],
    ),
    table(
      ['metric', 'met', 'median shift', 'farthest', 'command line against itself', 'median shift', 'farthest'],
      metrics.map((metric) => [
        metric.toUpperCase(),
        ...[comparisons, itself].flatMap((each) => metricSummary(each, metric)),
      ]),
    ),
    'Scores and failing audits, as service / command line if they differ. For an audit: the number of rounds in which it failed.',
    table(
      ['version, page', ...Object.values(categories), 'failing audits', 'performance', 'shift', 'deviation'],
      comparisons.map((each) => [
        nameOf(each),
        ...Object.keys(categories).map((id) => scoreCell(each.scores[id])),
        [...each.failing.map(({ id, ours, theirs }) => `${id} ${ours} / ${theirs}`), ...failuresOf(each)].join(', ') ||
          'same',
        bothTexts(each.performance, (each) => rounded(each.median)),
        signed(each.performance.ours.median - each.performance.theirs.median, 1),
        bothTexts(each.performance, ({ deviation }) => deviation?.toFixed(1) ?? unknown),
      ]),
    ),
    'Metrics: the shift of the median from the command line to the service. Bold values miss the target.',
    table(
      ['version, page', ...metrics.map((metric) => metric.toUpperCase())],
      comparisons.map((each) => [nameOf(each), ...metrics.map((metric) => shiftText(metric, each.metrics[metric]))]),
    ),
  ].join('\n\n');
};

/** Returns the table of the cost of something: the distance of the medians with and without it, by page. */
export const costTables = (it: string, comparisons: readonly Comparison[]): string => {
  const waits = comparisons.map(({ seconds }) => 100 * (seconds.ours / seconds.theirs - 1));
  const percent = (value: number) => `${signed(value, 1)} %`;
  return [
    `Difference between audits with ${it} and without, ${Math.max(...comparisons.map(({ audits }) => audits.ours))} alternating round(s):`,
    table(
      ['', 'turnaround', ...metrics.map((metric) => metric.toUpperCase())],
      [
        ...comparisons.map((each, i) => [
          each.page,
          percent(waits[i] ?? Number.NaN),
          ...metrics.map((metric) => shiftText(metric, each.metrics[metric])),
        ]),
        [
          'median',
          percent(median(waits)),
          ...metrics.map((metric) => metricSummary(comparisons, metric)[1] ?? unknown),
        ],
      ],
    ),
    `Audits without a result: with ${it} ${countFailures(comparisons, 'ours')}, without ${countFailures(comparisons, 'theirs')}.`,
  ].join('\n\n');
};

const countFailures = (comparisons: readonly Comparison[], arm: keyof Both<unknown>) =>
  comparisons.reduce((sum, each) => sum + each.failures[arm].length, 0);

const nameOf = ({ version, page }: Comparison): string => `${version} ${page}`;

const countMet = (comparisons: readonly Comparison[], target: Target): string => {
  const known = comparisons.map(({ met }) => met[target]).filter((met) => met !== null);
  return known.length === 0 ? unknown : `${known.filter(Boolean).length} of ${known.length}`;
};

/** Returns for one metric: the number of close pairs, the median shift and the largest shift, in percent. */
const metricSummary = (comparisons: readonly Comparison[], metric: Metric): string[] => {
  const shifts = comparisons.map((each) => each.metrics[metric]).filter(({ shift }) => !Number.isNaN(shift));
  const close = shifts.filter((shift) => isClose(metric, shift)).length;
  const percents = shifts.flatMap(({ percent }) => percent ?? []).toSorted((a, b) => Math.abs(b) - Math.abs(a));
  const percent = (value: number | undefined) => (value === undefined ? unknown : `${signed(value, 1)} %`);
  return [
    shifts.length === 0 ? unknown : `${close} of ${shifts.length}`,
    percent(percents.length > 0 ? median(percents) : undefined),
    percent(percents[0]),
  ];
};

/** Describes for each target the pair that misses it most. */
const farthest: Record<Target, (comparisons: readonly Comparison[]) => string> = {
  scores: (all) => pairNames(all.filter(({ met }) => !met.scores)),
  failing: (all) => pairNames(all.filter(({ met }) => !met.failing)),
  performance: (all) => {
    const [most] = all
      .map((each) => ({ each, shift: each.performance.ours.median - each.performance.theirs.median }))
      .filter(({ shift }) => !Number.isNaN(shift))
      .toSorted((a, b) => Math.abs(b.shift) - Math.abs(a.shift));
    return most ? `${signed(most.shift, 1)} (${nameOf(most.each)})` : unknown;
  },
  metrics: (all) => {
    const [most] = all
      .flatMap((each) => metrics.map((metric) => ({ each, metric, shift: each.metrics[metric] })))
      .filter(({ shift }) => shift.percent !== null && !Number.isNaN(shift.percent))
      .toSorted((a, b) => Math.abs(b.shift.percent ?? 0) - Math.abs(a.shift.percent ?? 0));
    return most ? `${most.metric.toUpperCase()} ${shiftText(most.metric, most.shift)} (${nameOf(most.each)})` : unknown;
  },
  deviation: (all) => {
    const pooled = (arm: keyof Both<unknown>) => {
      const known = all.flatMap(({ performance }) => performance[arm].deviation ?? []);
      return known.length === 0
        ? unknown
        : Math.sqrt(known.reduce((sum, each) => sum + each ** 2, 0) / known.length).toFixed(2);
    };
    return `pooled ${pooled('ours')} / ${pooled('theirs')}`;
  },
};

const pairNames = (comparisons: readonly Comparison[]): string => comparisons.map(nameOf).join(', ') || 'none';

/** Returns `same`, or both scores. A score that varies from round to round is a range. */
const scoreCell = (score: Both<number[]> | undefined): string => {
  if (!score) return unknown;
  const values = new Set([...score.ours, ...score.theirs]);
  const range = (each: number[]) => {
    const [least, most] = [Math.min(...each), Math.max(...each)];
    return each.length === 0 ? unknown : least === most ? rounded(least) : `${rounded(least)}…${rounded(most)}`;
  };
  return values.size === 1 && score.ours.length > 0 && score.theirs.length > 0 ? 'same' : bothTexts(score, range);
};

const failuresOf = ({ failures: { ours, theirs } }: Comparison): string[] =>
  ours.length + theirs.length > 0 ? [`no result ${ours.length} / ${theirs.length}`] : [];

const shiftText = (metric: Metric, shift: MetricShift): string => {
  if (Number.isNaN(shift.shift)) return unknown;
  const text =
    shift.percent !== null
      ? `${signed(shift.percent, 1)} %`
      : metric === 'cls'
        ? signed(shift.shift, 3)
        : `${signed(shift.shift, 0)} ms`;
  return isClose(metric, shift) ? text : `**${text}**`;
};

const bothTexts = <T>({ ours, theirs }: Both<T>, text: (each: T) => string): string =>
  `${text(ours)} / ${text(theirs)}`;
const rounded = (value: number): string => (Number.isNaN(value) ? unknown : `${Math.round(value * 10) / 10}`);
const signed = (value: number, digits: number): string => {
  if (Number.isNaN(value)) return unknown;
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : value > 0 ? `+${text}` : text;
};
