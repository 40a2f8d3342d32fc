export const MAX_LABELS = 10;

/** Says what labels accept. */
export const acceptedLabels = `The labels must be an object with up to ${MAX_LABELS} names of 1 to 32 characters (a-z, 0-9, '.', '_', '-'; not __proto__), each with a text of up to 128 characters.`;
