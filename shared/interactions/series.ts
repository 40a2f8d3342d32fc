import { z } from 'zod';
import { MillisecondsText, timeView } from '../metrics/page-metrics-schemas.ts';

/* What the series of a page and its newest result keep of interactions: the INP of each, in whole milliseconds. */

const withTime = <Time extends z.ZodType>(time: Time) => z.object({ name: z.string(), inp: time.nullable() });

/** The INP of an interaction, as stored. Null if the interaction failed. */
export const InteractionTime = withTime(z.int().min(0));
export type InteractionTime = z.infer<typeof InteractionTime>;

/** The same, as the API shows it. */
export const InteractionTimeView = withTime(MillisecondsText).meta({
  id: 'InteractionTime',
  description: 'INP of an interaction of a run. Null if the interaction failed.',
});
export type InteractionTimeView = z.infer<typeof InteractionTimeView>;

/** Returns the times of interactions as the API shows them, or null if there are none. */
export const interactionTimesView = (times: readonly InteractionTime[] | undefined): InteractionTimeView[] | null =>
  times?.map(({ name, inp }) => ({ name, inp: inp === null ? null : timeView(inp) })) ?? null;

/** Returns the times of the interactions of a run, whose times are numbers or texts. It is undefined if the run has none. */
export const interactionTimesOf = (
  interactions: readonly { name: string; inp: number | string | null }[] | null | undefined,
): InteractionTime[] | undefined =>
  interactions?.map(({ name, inp }) => ({ name, inp: inp === null ? null : Math.round(Number.parseFloat(`${inp}`)) }));

/** Returns the interaction that people look at first: one that failed, or the slowest. */
export const worstOf = <Each extends { inp: number | string | null }>(all: readonly Each[]): Each | undefined => {
  const rank = ({ inp }: Each) => (inp === null ? Number.POSITIVE_INFINITY : Number.parseFloat(`${inp}`));
  return all.toSorted((a, b) => rank(b) - rank(a))[0];
};
