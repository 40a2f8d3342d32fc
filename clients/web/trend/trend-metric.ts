import {
  type InteractionMetricId,
  interactionMetricId,
  interactionMetricTitle,
  partsOfInteractionMetric,
} from '../../../shared/interactions/metric-ids.ts';
import type { JudgedName } from '../../../shared/interactions/metrics.ts';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { labels, metricNames, metrics, numberOf, plain } from '../../words/numbers.ts';

/** A metric that a trend can show: one of the page, or the INP of an interaction. */
export type TrendMetric = {
  id: MetricName | InteractionMetricId;
  label: string;
  title: string;
  /** Name of its row. */
  name: JudgedName;
  numberOf: (run: RunSummary) => number | null;
  /** Returns the smallest and largest value of a day. Only metrics of the page have them. */
  rangeOf: (run: RunSummary) => { min: number; max: number } | null | undefined;
  /** Returns false for a run that did not try to measure the metric. */
  isTried: (run: RunSummary) => boolean;
};

const ofPage = (name: MetricName): TrendMetric => ({
  id: name,
  label: labels[name],
  title: metricNames[name],
  name,
  numberOf: (run) => numberOf(run, name),
  rangeOf: ({ day }) => day?.range[name],
  isTried: () => true,
});

const ofInteraction = (name: string): TrendMetric => {
  const parts = { interaction: name, metric: 'inp' } as const;
  const timeOf = ({ interactions }: RunSummary) => interactions?.find((each) => each.name === name);
  const title = interactionMetricTitle(parts);
  return {
    id: interactionMetricId(parts),
    label: title,
    title,
    name: 'inp',
    numberOf: (run) => plain(timeOf(run)?.inp),
    rangeOf: () => undefined,
    isTried: (run) => run.state === 'failed' || timeOf(run) !== undefined,
  };
};

/** Returns the metric of an address. A text that names none stands for the performance score. */
export const trendMetric = (id: string | null): TrendMetric => {
  const parts = partsOfInteractionMetric(id ?? '');
  if (parts?.metric === 'inp') return ofInteraction(parts.interaction);
  return ofPage(metrics.find((name) => name === id) ?? 'performance');
};

/** Returns the metrics that a run has, and the INP of each interaction that a run tried. */
export const trendMetricsOf = (runs: readonly RunSummary[]): TrendMetric[] => {
  const names = new Set(runs.flatMap(({ interactions }) => (interactions ?? []).map(({ name }) => name)));
  const measured = metrics.map(ofPage).filter(({ numberOf }) => runs.some((run) => numberOf(run) !== null));
  return [...measured, ...[...names].sort().map(ofInteraction)];
};
