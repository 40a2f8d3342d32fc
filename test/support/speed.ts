import { expect, TestRunner } from 'vitest';
import type { RunView } from '../../shared/run.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The measurements of a test that passed only because the machine was contended in every try. */
    excused?: string;
  }
}

type Measured = Pick<RunView, 'performance' | 'fcp' | 'si' | 'lcp' | 'tti' | 'tbt' | 'environment'>;

/**
 * Expects that one of at most three audits of a page measures it correctly. A hypervisor may pause one audit so briefly
 * that the run isn't marked as contended. If all three are marked as contended, the test is excused: it passes, and
 * `closing-notes.ts` limits how many tests of a run may do so.
 */
export const expectMeasured = async <Page extends Partial<Measured>>(
  first: Page,
  auditAgain: () => Promise<Page>,
  isCorrect: (page: Page) => boolean,
): Promise<void> => {
  const tries = [first];
  while (!tries.some(isCorrect) && tries.length < 3) tries.push(await auditAgain());
  if (tries.some(isCorrect)) return;
  const numbers = tries
    .map(({ performance, fcp, si, lcp, tti, tbt, environment }) =>
      JSON.stringify({ performance, fcp, si, lcp, tti, tbt, environment }),
    )
    .join('\n');
  expect(
    tries.map(({ environment }) => environment?.contended),
    numbers,
  ).toEqual([true, true, true]);
  const test = TestRunner.getCurrentTest();
  if (test) test.meta.excused = numbers;
};

/** Expects that a fast page gets at least this performance score, by the rules of `expectMeasured`. */
export const expectFast = <Page extends Pick<Measured, 'performance' | 'environment'>>(
  first: Page,
  auditAgain: () => Promise<Page>,
  leastScore: number,
): Promise<void> =>
  expectMeasured(first, auditAgain, ({ performance }) => performance !== null && performance >= leastScore);
