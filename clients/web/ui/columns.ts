/** Returns the names of columns as a style. Narrow windows stack the cells of a row, and show the name before each (stacked.css). */
export const columnStyle = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, i) => [`--column-${i + 1}`, JSON.stringify(name)]));
