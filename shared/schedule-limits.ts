/** Shortest time between two checks of a schedule, in minutes. */
export const MIN_INTERVAL_MINUTES = 5;
export const MAX_SCHEDULE_NAME = 100;
