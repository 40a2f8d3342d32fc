import { afterAll, vi } from 'vitest';
import * as logging from '../../functions/lib/log.ts';
import type { RunItem } from '../../functions/lib/store/items.ts';
import { closeLostRun } from '../../functions/lib/sweep/dead-letters.ts';
import { sweep } from '../../functions/sweep.ts';
import { startWorld, type World } from './world.ts';

const MONTH_MS = 30 * 24 * 3600 * 1000;

/** Starts a world for the tests of a file about due items. */
export const startSweeping = async () => {
  const world = await startWorld();
  afterAll(() => world.stop());
  const emit = vi.spyOn(logging, 'emit');
  let time = Date.parse('2030-01-01T00:00:00.000Z');
  return {
    world,
    emit,
    /** Returns a time for a test, in which no items of other tests are due, and forgets the emitted metrics. */
    newTime: () => {
      emit.mockClear();
      time -= MONTH_MS;
      return new Date(time);
    },
    sweepAt: (now: Date, { due = {} }: { due?: Partial<World['due']> } = {}) =>
      sweep({ ...world, due: { ...world.due, ...due }, now: () => now })({}),
    deadLetter: ({ id: runId, options, ...run }: RunItem, now: Date) =>
      closeLostRun({ ...world, now: () => now })({ ...run, ...options, runId }),
    /** Returns the values of the metric behind the alarm on abandoned runs. */
    abandoned: () => emit.mock.calls.filter(([name]) => name === 'RunsAbandoned'),
  };
};
