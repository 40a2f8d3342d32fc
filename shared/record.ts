/** Returns an object that has the value of each name. */
export const recordOf = <Name extends string, Value>(
  names: readonly Name[],
  makeValue: (name: Name) => Value,
): Record<Name, Value> => Object.fromEntries(names.map((name) => [name, makeValue(name)])) as Record<Name, Value>;
