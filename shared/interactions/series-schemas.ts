import { z } from 'zod';
import { MillisecondsText, timeView } from '../metrics/page-metrics-schemas.ts';
import type { InteractionTime } from './series.ts';

const withTime = <Time extends z.ZodType>(time: Time) => z.object({ name: z.string(), inp: time.nullable() });

/** The INP of each interaction of a run in a series, as stored. */
export const StoredTimes = z.array(withTime(z.int().min(0))).optional();

/** The same, as the API shows it. */
export const InteractionTimes = z
  .array(
    withTime(MillisecondsText).meta({
      id: 'InteractionTime',
      description: 'INP of an interaction of a run. Null if it has none, for example because a step failed.',
    }),
  )
  .nullable()
  .describe('INP of each interaction of the run. Null if its check asked for none, or the run has not succeeded.');

/** Returns the times of interactions as the API shows them, or null if there are none. */
export const interactionTimesView = (times: readonly InteractionTime[] | undefined): z.infer<typeof InteractionTimes> =>
  times?.map(({ name, inp }) => ({ name, inp: inp === null ? null : timeView(inp) })) ?? null;
