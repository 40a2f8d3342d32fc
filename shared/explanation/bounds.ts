/** Largest number of entries of each list of an explanation. */
export const MAX_ENTRIES = 10;
