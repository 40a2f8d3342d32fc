import { expect } from 'vitest';
import type { Run } from '../../shared/run.ts';

type Measured = Pick<Run, 'performance' | 'environment'>;

/**
 * A page that is fast was measured as fast, or is told to have been disturbed. Measured again where neither is so, twice at
 * most: a hypervisor that stops one task in its midst may spoil a number and be too short to be told.
 */
export const expectFast = async (first: Measured, again: () => Promise<Measured>, least: number): Promise<void> => {
  const all = [first];
  const isRight = ({ performance, environment }: Measured) =>
    environment?.contended || (performance !== null && performance >= least);
  while (!all.some(isRight) && all.length < 3) all.push(await again());
  expect(all.some(isRight), JSON.stringify(all)).toBe(true);
};
