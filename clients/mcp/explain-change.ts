import type { CheckExplanation, Explanation } from '../../shared/explanation/schema.ts';
import { compact, fitted } from './fit.ts';
import { comparisonPage } from './pages.ts';

/**
 * Returns an explanation. `sentence` and `points` of a region always stay. A list that nothing is in, and a value that is
 * unknown, are left out.
 */
export const explainedChange = ({ regions, ...checks }: CheckExplanation, site: string, limit?: number): object => {
  const all = Object.entries(regions);
  const build = (rows: number, entries: number) => ({
    ...checks,
    page: comparisonPage(site, checks),
    regions: Object.fromEntries(all.slice(0, rows).map(([region, each]) => [region, shortened(each, entries)])),
    ...(rows < all.length && { moreRegions: all.length - rows }),
  });
  return fitted({ build, rows: all.length, limit });
};

const shortened = ({ sentence, performance, points, ...lists }: Explanation, most: number): object => ({
  sentence,
  performance,
  points: points.map(({ base: _, value: __, ...rest }) => rest),
  ...(compact(lists, most) as object | undefined),
});
