/** Returns true if all regions of a service are one place, such as this machine. Their names then say nothing. */
export const isOnePlace = (places: readonly (string | undefined)[]): boolean =>
  places.length > 1 && new Set(places).size === 1 && places[0] !== undefined;
