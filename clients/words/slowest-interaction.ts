import { interactionMetricTitle } from '../../shared/interactions/metric-ids.ts';
import { slowestOf } from '../../shared/interactions/series.ts';
import type { PageResult } from '../../shared/pages/pages.ts';
import { gradeOf, textOf } from './numbers.ts';

/** Returns the slowest interaction of a newest result in words, with its grade. It is undefined if the result has none. */
export const slowestInteraction = ({ interactions, device }: Pick<PageResult, 'interactions' | 'device'>) => {
  const slowest = slowestOf(interactions);
  if (!slowest) return undefined;
  const title = interactionMetricTitle({ interaction: slowest.name, metric: 'inp' });
  const grade = gradeOf('inp', slowest.inp, device);
  return { grade, text: slowest.inp === null ? `no ${title}` : `${title} ${textOf('inp', slowest.inp)}` };
};
