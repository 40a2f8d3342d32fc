import type { JudgedName } from '../../shared/interactions/metrics.ts';
import type { MetricName } from '../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../shared/run.ts';
import { type Grade, gradeOf, type Measured, numberOf, type Range, spreadText, textOf } from './numbers.ts';

export const verdictSigns = { regressed: '✘', improved: '✓', same: '=', unknown: '?' } as const;
export type Verdict = keyof typeof verdictSigns;

/** A value with its grade, and with the range of its samples if there is one. */
type GradedValue = { text: string; grade: Grade; spread?: string };

/** A text, a value, or a change with its verdict. */
export type Cell = string | GradedValue | { text: string; verdict: Verdict };

/** A row of a section. Its note says what its values do not show. The page shows `title`, a longer name, on request. */
export type Row = { name: string; title?: string; cells: readonly Cell[]; note?: string | null };

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
  /**
   * `list`: texts show each row on one line, without the names of the columns. `change`: the columns are two values and the
   * change between them, and texts have the title in the head of the table.
   */
  kind?: 'list' | 'change';
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

/** Returns a value of a metric with its grade. Returns a dash if there is none. */
export const gradedCell = (
  name: JudgedName,
  value: number | null,
  device: RunView['device'],
  range?: Range,
): GradedValue | '–' =>
  value === null
    ? '–'
    : { text: textOf(name, value), grade: gradeOf(name, value, device), spread: spreadText(name, value, range) };

/** Returns a metric of a run with the range of its samples. */
export const metricCell = (run: Measured & Pick<RunView, 'device' | 'spread'>, name: MetricName): GradedValue | '–' =>
  gradedCell(name, numberOf(run, name), run.device, run.spread?.[name]);
