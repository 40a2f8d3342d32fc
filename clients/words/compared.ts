import type { CheckComparison, ComparedMetric, InteractionReason } from '../../shared/comparison/schemas.ts';
import { interactionMetricId, interactionMetricTitle } from '../../shared/interactions/metric-ids.ts';
import { interactionMetricNames, type JudgedName } from '../../shared/interactions/metrics.ts';
import { labels, metricNames, metrics } from './numbers.ts';

/** A metric of a comparison: one of the load, or one of an interaction. */
export type ComparedEntry = ComparedMetric & {
  /** Name of the metric, or id of the metric of an interaction. */
  id: string;
  name: JudgedName;
  label: string;
  title: string;
};

/** Returns the metrics of the load and of the interactions, in the order of a table. */
export const comparedEntries = ({ metrics: load, interactions }: CheckComparison): ComparedEntry[] => [
  ...metrics.map((name) => ({ ...load[name], id: name, name, label: labels[name], title: metricNames[name] })),
  ...(interactions ?? []).flatMap(({ name: interaction, metrics: all }) =>
    interactionMetricNames.map((metric) => {
      const title = interactionMetricTitle({ interaction, metric });
      return { ...all[metric], id: interactionMetricId({ interaction, metric }), name: metric, label: title, title };
    }),
  ),
];

const reasonTexts: Record<InteractionReason['code'], string> = {
  missing: 'has no such interaction',
  failed: 'did not measure it',
  'failed-samples': 'measured it in some samples only',
  noted: 'has a note',
  'other-steps': 'has other steps',
};

/** Returns the paints that came after a script in some loads and before it in others, in words. */
export const orderNotes = ({ orders = [], regions }: CheckComparison): string[] =>
  orders.map(({ region, script, paint, base, value }) => {
    const where = regions.length > 1 ? `${region}: ` : '';
    const before = `${base.after} of ${base.loads} ${base.loads === 1 ? 'load' : 'loads'}`;
    return `${where}${labels[paint]} came after ${script} in ${before} of the base, and in ${value.after} of ${value.loads} of the check.`;
  });

/** Returns the scripts whose work changed, in words. */
export const workNotes = ({ work = [], regions }: CheckComparison): string[] =>
  work.map(({ region, script, share, base, value }) => {
    const where = regions.length > 1 ? `${region}: ` : '';
    const percent = Math.round(Math.abs(share) * 100);
    const how = share > 0 ? 'longer' : 'shorter';
    return `${where}${script} works ${percent} % ${how}: ${base} ms of CPU time in the base, ${value} ms in the check.`;
  });

/** Returns why interactions have no verdict, or fewer samples, in words. */
export const interactionNotes = ({ interactions, regions }: CheckComparison): string[] =>
  (interactions ?? []).flatMap(({ name, reasons }) =>
    reasons.map(({ code, region, side, detail }) => {
      const where = regions.length > 1 ? `${region}: ` : '';
      const who = side === 'base' ? 'The base' : 'The check';
      return `${where}${name}: ${who} ${reasonTexts[code]}${detail === null ? '.' : `: ${detail}`}`;
    }),
  );
