/** Returns the quantile (0 to 1) of a list. Interpolates between neighbours. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Returns the sample standard deviation. It is NaN for fewer than two values. */
export const deviation = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
};

export type Spread = { min: number; median: number; max: number };
export const spread = (values: readonly number[]): Spread => ({
  min: Math.min(...values),
  median: median(values),
  max: Math.max(...values),
});

/** Returns minimum, median and maximum as three cells. */
export const spreadCells = ({ min, median, max }: Spread, digits: number): string[] =>
  [min, median, max].map((value) => value.toFixed(digits));

/** Returns a Markdown table with aligned columns: the first one to the left, the others to the right. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, i) => Math.max(4, ...[head, ...rows].map((row) => (row[i] ?? '').length)));
  const pad = (text: string, i: number) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0));
  const line = (row: readonly string[]) => `| ${head.map((_, i) => pad(row[i] ?? '', i)).join(' | ')} |`;
  const rule = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
};
