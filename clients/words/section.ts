import type { JudgedName } from '../../shared/interactions/metrics.ts';
import type { RunView } from '../../shared/run.ts';
import { type Grade, gradeOf, textOf } from './numbers.ts';

export type Cell = string | { text: string; grade: Grade };

/** A row of a section. Its note says what its values do not tell. */
export type Row = { name: string; cells: readonly Cell[]; note?: string | null };

/**
 * A table about a result. Each client has one renderer for all of them. The first column has the names of the rows. A
 * terminal leaves out the minor columns.
 */
export type Section = {
  id: string;
  title: string;
  /** Sentences that a text shows in place of the title. */
  about?: string | undefined;
  /** How to read the table. Texts have no room for it. */
  help?: string;
  columns: readonly string[];
  minor?: readonly string[];
  rows: readonly Row[];
  /** Rows that the service left out. */
  omitted?: number;
  /** True if texts show each row on one line, without the names of the columns. */
  isList?: boolean;
};

/** Returns false for a section that says nothing. */
export const hasContent = ({ rows, about }: Section): boolean => rows.length > 0 || about !== undefined;

/** Returns a row on one line: its name, and its cells without the names of their columns. */
export const rowText = ({ columns }: Pick<Section, 'columns'>, { name, cells }: Row): string =>
  cells.reduce<string>((line, cell, i) => {
    const text = typeof cell === 'string' ? cell : cell.text;
    if (text === '') return line;
    if (columns[i + 1] === 'After' && columns[i] === 'Before') return `${line} → ${text}`;
    return `${line}${i === 0 ? ': ' : ', '}${text}`;
  }, name);

/** Returns a value of a metric with its grade. */
export const gradedCell = (name: JudgedName, value: number | null, device: RunView['device']): Cell =>
  value === null ? '–' : { text: textOf(name, value), grade: gradeOf(name, value, device) };
