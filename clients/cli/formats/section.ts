import type { CheckView } from '../../../shared/check.ts';
import { fieldSection } from '../../words/field-section.ts';
import { gradeSigns } from '../../words/numbers.ts';
import { sectionsOfRun } from '../../words/result-sections.ts';
import { type Cell, hasContent, rowText, type Section, type Verdict, verdictSigns } from '../../words/section.ts';
import { prose, tableOf } from './markdown-syntax.ts';
import { labelled, paint, type Style, signed, table, type View, wrap } from './terminal.ts';

/** Signs of the grades in Markdown. They differ in shape as well as in colour. */
const gradeEmojis = { pass: '🟢', work: '🟨', poor: '🔺', unknown: '⬜', none: '' };
const verdictEmojis = { regressed: '❌', improved: '✅', same: '', unknown: '' };

export const verdictStyles: Record<Verdict, Style> = {
  regressed: 'poor',
  improved: 'pass',
  same: 'unknown',
  unknown: 'unknown',
};

export const cellText = (cell: Cell, view: View): string => {
  if (typeof cell === 'string') return cell;
  if ('verdict' in cell) return paint(`${verdictSigns[cell.verdict]} ${cell.text}`, verdictStyles[cell.verdict], view);
  const value = paint(`${gradeSigns[cell.grade]} ${cell.text}`.trimStart(), cell.grade, view);
  return cell.spread ? `${value} ${cell.spread}` : value;
};

export const cellMarkdown = (cell: Cell): string => {
  if (typeof cell === 'string') return prose(cell);
  if ('verdict' in cell) return prose(`${verdictEmojis[cell.verdict]} ${cell.text}`.trimStart());
  return prose(`${gradeEmojis[cell.grade]} ${cell.text} ${cell.spread ?? ''}`.trim());
};

/** Returns a section as text for a terminal: a table if there is room, and otherwise a block for each row. */
export const sectionText = (section: Section, view: View): string[] => {
  const { title, about, rows, omitted = 0, kind } = section;
  if (!hasContent(section)) return [];
  if (kind === 'change') return changeLines(section, view);
  const more = omitted > 0 ? [`  and ${omitted} more`] : [];
  if (kind === 'list') {
    return [...wrap(title, view.width), ...rows.flatMap((row) => signed('  -', rowText(section, row), view)), ...more];
  }
  const notes = rows.flatMap(({ name, note }) =>
    note == null ? [] : signed(paint('!', 'work', view), `${name}: ${note}`, view),
  );
  return ['', ...wrap(about ?? title, view.width), ...rowLines(section, view), ...notes, ...more];
};

const linesOf = ({ rows }: Section, view: View): string[][] =>
  rows.map(({ name, cells }) => [name, ...cells.map((cell) => cellText(cell, view))]);

const rowLines = (section: Section, view: View): string[] => {
  const { columns, minor = [], rows } = section;
  if (rows.length === 0) return [];
  const lines = [columns, ...linesOf(section, view)];
  const [[, ...heads] = [], ...others] = lines.map((line) => line.filter((_, i) => !minor.includes(columns[i] ?? '')));
  const blocks = () =>
    others.flatMap(([name = '', ...cells]) => [
      ...signed('-', name, view),
      ...cells.flatMap((cell, i) => labelled(heads[i] ?? '', cell, view)),
    ]);
  return table([['', ...heads], ...others], view) ?? blocks();
};

/** Returns a table of changes. If the terminal is too narrow for it, each row has a line of its own. */
const changeLines = (section: Section, view: View): string[] => {
  const heading = section.title && paint(section.title, 'heading', view);
  const lines = linesOf(section, view);
  const blocks = () => [
    ...(heading ? [heading] : []),
    ...lines.flatMap(([name = '', before, after, change]) => labelled(name, `${before} → ${after}  ${change}`, view)),
  ];
  return table([[heading, ...headsOfChange(section)], ...lines], view) ?? blocks();
};

const headsOfChange = ({ columns }: Section): string[] => columns.slice(1).map((name) => name.toLowerCase());

export const sectionMarkdown = (section: Section): string[] => {
  const { title, about, columns, rows, omitted = 0, kind } = section;
  if (!hasContent(section)) return [];
  const cells = rows.map((row) => [prose(row.name), ...row.cells.map(cellMarkdown)]);
  if (kind === 'change') return tableOf([prose(title), ...headsOfChange(section)], cells);
  const more = omitted > 0 ? [`- and ${omitted} more`] : [];
  if (kind === 'list') {
    return [`**${prose(title)}**`, ...rows.map((row) => `- ${prose(rowText(section, row))}`), ...more, ''];
  }
  const notes = rows.flatMap(({ name, note }) => (note == null ? [] : [`- ⚠️ ${prose(`${name}: ${note}`)}`]));
  return [
    ...(about === undefined ? [`**${prose(title)}**`] : [prose(about)]),
    ...(rows.length > 0 ? tableOf(['', ...columns.slice(1).map(prose)], cells) : []),
    ...[...notes, ...more, ''],
  ];
};

export const sectionsOfCheck = (check: CheckView): Section[] => [
  fieldSection(check),
  ...check.runs.flatMap((run) =>
    sectionsOfRun(run).map((section) =>
      check.runs.length > 1 ? { ...section, title: `${section.title}, ${run.region}` } : section,
    ),
  ),
];
