import { type FieldMetricName, fieldMetricNames, fieldMetrics } from '../../../shared/field-data.ts';
import type { FieldData } from '../../../shared/field-data-schemas.ts';

/** Names of the metrics in PageSpeed's API. */
const names: Readonly<Record<FieldMetricName, string>> = {
  lcp: 'LARGEST_CONTENTFUL_PAINT_MS',
  inp: 'INTERACTION_TO_NEXT_PAINT',
  cls: 'CUMULATIVE_LAYOUT_SHIFT_SCORE',
  fcp: 'FIRST_CONTENTFUL_PAINT_MS',
  ttfb: 'EXPERIMENTAL_TIME_TO_FIRST_BYTE',
};
/** Metrics whose worst category is that of the page. */
const coreWebVitals: readonly FieldMetricName[] = ['lcp', 'inp', 'cls'];
/** Categories, the worst last. */
const categories = ['FAST', 'AVERAGE', 'SLOW'] as const;

/**
 * Returns the field data of a check in the shape of PageSpeed's API. Without a record it names the page only, as Google's
 * answer does. The record of an origin stands for the page too.
 */
export const loadingExperiences = (fieldData: FieldData | null, pageUrl: string) => {
  const none = { initial_url: pageUrl };
  if (!fieldData?.metrics) return { loadingExperience: none, originLoadingExperience: none };
  const { of, url: id, metrics } = fieldData;
  const known = fieldMetricNames.flatMap((name) => {
    const metric = metrics[name];
    return metric ? [{ name, metric, category: categoryOf(name, metric.p75) }] : [];
  });
  const worst = known.filter(({ name }) => coreWebVitals.includes(name)).map((each) => each.category);
  const overall = categories.findLast((each) => worst.includes(each));
  const experience = {
    id,
    metrics: Object.fromEntries(
      known.map(({ name, metric, category }) => {
        // Google writes layout shifts in hundredths.
        const scale = fieldMetrics[name].kind === 'shift' ? 100 : 1;
        const [good, medium] = fieldMetrics[name].limits.map((limit) => Math.round(limit * scale));
        const distributions = [
          { min: 0, max: good, proportion: metric.good },
          { min: good, max: medium, proportion: metric.needsImprovement },
          { min: medium, proportion: metric.poor },
        ];
        return [names[name], { percentile: Math.round(metric.p75 * scale), distributions, category }];
      }),
    ),
    ...(overall && { overall_category: overall }),
    ...none,
  };
  return of === 'origin'
    ? { loadingExperience: { ...experience, origin_fallback: true }, originLoadingExperience: experience }
    : { loadingExperience: experience, originLoadingExperience: none };
};

const categoryOf = (name: FieldMetricName, p75: number): (typeof categories)[number] => {
  const [good, medium] = fieldMetrics[name].limits;
  return p75 <= good ? 'FAST' : p75 <= medium ? 'AVERAGE' : 'SLOW';
};
