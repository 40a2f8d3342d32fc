import { styleText } from 'node:util';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { cutText } from '../../../shared/text.ts';

/** The size of a terminal, whether it shows colours, and whether the user asked for all details. */
export type View = { width: number; color: boolean; verbose?: boolean | undefined };

const styles = {
  pass: 'green',
  work: 'yellow',
  poor: 'red',
  unknown: 'dim',
  none: undefined,
  heading: 'bold',
} as const;
export type Style = keyof typeof styles;

/** Returns a text in its style. The view decides, because Node.js 20 asks no stream. */
export const paint = (text: string, style: Style, { color }: View): string => {
  const format = color ? styles[style] : undefined;
  return format ? styleText(format, text, { validateStream: false }) : text;
};

/** Returns the lines of a text that starts with a sign. Further lines are indented to the text. */
export const signed = (sign: string, text: string, view: View): string[] => {
  const indent = ' '.repeat(stringWidth(sign) + 1);
  return wrap(text, view.width - indent.length).map((line, i) => (i === 0 ? `${sign} ${line}` : `${indent}${line}`));
};

/** Returns the lines of a text. A word that is wider than a line is divided. */
export const wrap = (text: string, width: number): string[] =>
  wrapAnsi(text, Math.max(1, width), { hard: true }).split('\n');

/** Returns the lines of a table, or undefined if a line is wider than the terminal. */
export const table = (rows: readonly (readonly string[])[], { width }: View): string[] | undefined => {
  const count = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, i) => Math.max(...rows.map((row) => stringWidth(row[i] ?? ''))));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => padded(cell, widths[i] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return lines.some((line) => stringWidth(line) > width) ? undefined : lines;
};
const GAP = '   ';

/**
 * Returns a table whose last column, the names of pages, is cut to the width of the terminal. Returns undefined if less than
 * `minWidth` of a name would be left.
 */
export const fittingTable = (
  rows: readonly (readonly string[])[],
  view: View,
  minWidth: number,
): string[] | undefined => {
  const longest = Math.max(...rows.map((row) => row.at(-1)?.length ?? 0));
  for (let width = longest; width >= Math.min(longest, minWidth); width -= 1) {
    const lines = table(
      rows.map((row) => [...row.slice(0, -1), cutText(row.at(-1) ?? '', width)]),
      view,
    );
    if (lines) return lines;
  }
  return undefined;
};

/** Returns a label and its value. Further lines are indented to the value, unless the terminal is too narrow for that. */
export const labelled = (label: string, value: string, { width }: View): string[] => {
  const indent = LABEL_WIDTH + 1;
  const line = padded(`${label} `, indent) + value;
  if (stringWidth(line) <= width) return [line];
  if (width - indent < MIN_VALUE_WIDTH) return wrap(`${label} ${value}`, width);
  const [first = '', ...others] = wrap(value, width - indent);
  return [padded(label, indent) + first, ...others.map((line) => ' '.repeat(indent) + line)];
};
/** Shortest line of a value beside its label. */
const MIN_VALUE_WIDTH = 24;
/** Width of the longest label. */
export const LABEL_WIDTH = 14;

/** Returns a text of at least this many columns. */
const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)));
