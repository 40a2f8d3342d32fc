import type { CheckView } from '../../shared/check.ts';
import { fieldMetricNames, fieldMetrics } from '../../shared/field-data.ts';
import { fieldCell, fieldSentence } from './field-data.ts';
import type { Section } from './section.ts';

/** Returns how Chrome's users saw the page. Shares are those of good, medium and poor page views. */
export const fieldSection = (check: CheckView): Section => {
  const { fieldData } = check;
  const period = fieldData?.period ? ` Chrome UX Report, ${fieldData.period.first} to ${fieldData.period.last}.` : '';
  const sentence = fieldSentence(check);
  return {
    id: 'field-data',
    title: 'Visitors',
    about: sentence && `${sentence}${period}`,
    columns: ['Metric', '75 % of visits', 'Good', 'Needs improvement', 'Poor'],
    rows: fieldMetricNames.flatMap((name) => {
      const metric = fieldData?.metrics?.[name];
      if (!metric) return [];
      const shares = [metric.good, metric.needsImprovement, metric.poor].map((share) => `${Math.round(100 * share)} %`);
      return [{ name: fieldMetrics[name].name, cells: [fieldCell(name, metric.p75), ...shares] }];
    }),
  };
};
