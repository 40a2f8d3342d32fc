/* What the series of a page and its newest result keep of interactions: the INP of each, in whole milliseconds. */

/** The INP of an interaction. Null if it has none, for example because a step failed. */
export type InteractionTime = { name: string; inp: number | null };
/** The same as stored, or as the API shows it. */
type AnyTime = { name: string; inp: number | string | null };

/** Returns the times of the interactions of a run. It is undefined if the run has no interactions. */
export const interactionTimesOf = (
  interactions: readonly AnyTime[] | null | undefined,
): InteractionTime[] | undefined =>
  interactions?.map(({ name, inp }) => ({ name, inp: inp === null ? null : Math.round(Number.parseFloat(`${inp}`)) }));

/** Returns the slowest interaction. One without a time counts only if all have none. */
export const slowestOf = (interactions: readonly AnyTime[] | null | undefined): InteractionTime | undefined =>
  interactionTimesOf(interactions)?.toSorted((a, b) => (b.inp ?? -1) - (a.inp ?? -1))[0];
