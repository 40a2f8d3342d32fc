import type { CheckComparison } from '../comparison/schemas.ts';
import type { Region } from '../regions.ts';
import type { Verdicts } from './points.ts';

/** Returns the verdicts of one region of a comparison, with the changes that it estimates. */
export const verdictsIn = ({ metrics }: CheckComparison, region: Region): Verdicts =>
  Object.fromEntries(
    Object.entries(metrics).flatMap(([name, { regions }]) => {
      const found = regions[region];
      return found ? [[name, { verdict: found.verdict, change: plain(found.change?.estimate ?? null) }]] : [];
    }),
  );

/** Returns the milliseconds of a time such as `"633ms"`, and other values as they are. */
export const plain = (value: number | string | null): number | null =>
  typeof value === 'string' ? Number.parseFloat(value) : value;
