/** The parts of the time from an input to its paint, in their order. */
export const eventParts = ['inputDelay', 'processing', 'presentation'] as const;
export type EventPart = (typeof eventParts)[number];
/** Time of each part, in milliseconds. */
export type EventTimes = Record<EventPart, number>;

/** Returns the time of all parts together, in milliseconds. */
export const msOf = (times: EventTimes): number => eventParts.reduce((sum, part) => sum + times[part], 0);
