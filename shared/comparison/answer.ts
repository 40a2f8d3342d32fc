import { interactionMetricId } from '../interactions/metric-ids.ts';
import { interactionMetricNames, interactionMetrics } from '../interactions/metrics.ts';
import { metricNames, type PageMetric, pageMetric } from '../metrics/page-metrics.ts';
import { MIN_CONFIDENCE } from './by-samples.ts';
import { limitOf } from './change.ts';
import type { CheckComparison, ComparedMetric, Verdict } from './schemas.ts';

/** Answer of a whole comparison: its verdict, and the ids of the main metrics that keep it from being one. */
export type Answer = Pick<CheckComparison, 'verdict' | 'unjudged'>;

type Entry = { id: string; metric: PageMetric; compared: ComparedMetric };
type Compared = NonNullable<ComparedMetric['regions'][CheckComparison['regions'][number]]>;

/**
 * Judges a comparison as a whole. It is better or the same only if each main metric is. A metric that is open and may have
 * changed by more than its smallest difference leaves it unjudged.
 */
export const answerOf = (comparison: Pick<CheckComparison, 'metrics' | 'interactions'>): Answer => {
  const entries = entriesOf(comparison);
  const verdicts = entries.map(({ compared }) => compared.verdict);
  const main = entries.filter(({ metric, compared }) => metric.isMain && measuredIn(compared).length > 0);
  const unjudged = main.filter(isUnjudged).map(({ id }) => id);
  if (verdicts.includes('regressed')) return { verdict: 'regressed', unjudged };
  const areClear = main.length > 0 && main.every(({ compared }) => measuredIn(compared).every(isClear));
  if (!areClear) return { verdict: 'unknown', unjudged };
  return { verdict: verdicts.includes('improved') ? 'improved' : 'same', unjudged };
};

const entriesOf = ({ metrics, interactions }: Pick<CheckComparison, 'metrics' | 'interactions'>): Entry[] => [
  ...metricNames.map((name) => ({ id: name, metric: pageMetric(name), compared: metrics[name] })),
  ...interactions.flatMap(({ name: interaction, metrics: all }) =>
    interactionMetricNames.map((metric) => ({
      id: interactionMetricId({ interaction, metric }),
      metric: { ...interactionMetrics[metric], isMain: metric === 'inp' },
      compared: all[metric],
    })),
  ),
];

const measuredIn = ({ regions }: ComparedMetric): Compared[] =>
  Object.values(regions).filter(({ base, value }) => base !== null || value !== null);

const isClear = ({ verdict }: { verdict: Verdict }): boolean => verdict !== 'unknown';

const isUnjudged = ({ metric, compared }: Entry): boolean =>
  measuredIn(compared).some((each) => !isClear(each) && (excludesNothing(each) || mayCount(metric, each)));

/** Returns true if a metric can't be compared, or if too few samples were compared. */
const excludesNothing = ({ change, needs }: Compared): boolean =>
  change === null || needs === null || change.confidence < MIN_CONFIDENCE;

const mayCount = (metric: PageMetric, { base, value, change }: Compared): boolean => {
  const [before, after, estimate] = [base, value, change?.estimate].map((each) => Number.parseFloat(`${each}`));
  return Math.abs(estimate as number) > limitOf(metric, [before as number], [after as number]);
};
