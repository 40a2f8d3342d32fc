import type { CheckComparison, RegionComparison } from '../../shared/comparison/schemas.ts';
import type { MetricName } from '../../shared/page-metrics.ts';
import { changeText, regionsText } from '../words/change.ts';

/** Returns a comparison whose changes also stand there in words. A metric that nothing measured is left out. */
export const worded = (comparison: CheckComparison | RegionComparison) => ({
  ...comparison,
  metrics:
    comparison.baseCheckId === null
      ? withWords(
          comparison.metrics,
          ({ change }, name, metric) => change && { ...metric, text: regionsText(name, metric) },
        )
      : withWords(comparison.metrics, (_, name, { regions, verdict }) => {
          const measured = Object.entries(regions).filter(([, { base, value }]) => base !== null || value !== null);
          if (measured.length === 0) return null;
          const texts = measured.map(([region, each]) => [region, { ...each, text: changeText(name, each) }]);
          return { regions: Object.fromEntries(texts), verdict };
        }),
});

const withWords = <Metric>(
  metrics: Record<MetricName, Metric>,
  worded: (metric: Metric, name: MetricName, same: Metric) => object | null,
) =>
  Object.fromEntries(
    Object.entries(metrics).flatMap(([name, metric]) => {
      const text = worded(metric, name as MetricName, metric);
      return text ? [[name, text]] : [];
    }),
  );
