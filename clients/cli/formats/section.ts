import type { CheckView } from '../../../shared/check.ts';
import { fieldSection } from '../../words/field-section.ts';
import { gradeSigns } from '../../words/numbers.ts';
import { sectionsOfRun } from '../../words/result-sections.ts';
import { type Cell, hasContent, rowText, type Section } from '../../words/section.ts';
import { prose, tableOf } from './markdown-syntax.ts';
import { labelled, paint, signed, table, type View, wrap } from './terminal.ts';

/** Signs of the grades in Markdown. They differ in shape as well as in colour. */
export const gradeEmojis = { pass: '🟢', work: '🟨', poor: '🔺', unknown: '⬜', none: '' };

const graded = (cell: Cell, signs: typeof gradeEmojis | typeof gradeSigns): string =>
  typeof cell === 'string' ? cell : `${signs[cell.grade]} ${cell.text}`.trimStart();

/** Returns a section as text for a terminal: a table if there is room, and otherwise a block for each row. */
export const sectionText = (section: Section, view: View): string[] => {
  const { title, about, rows, omitted = 0 } = section;
  if (!hasContent(section)) return [];
  const more = omitted > 0 ? [`  and ${omitted} more`] : [];
  if (section.isList) {
    return [...wrap(title, view.width), ...rows.flatMap((row) => signed('  -', rowText(section, row), view)), ...more];
  }
  const notes = rows.flatMap(({ name, note }) =>
    note == null ? [] : signed(paint('!', 'work', view), `${name}: ${note}`, view),
  );
  return ['', ...wrap(about ?? title, view.width), ...rowLines(section, view), ...notes, ...more];
};

const rowLines = ({ columns, minor = [], rows }: Section, view: View): string[] => {
  if (rows.length === 0) return [];
  const lines = [columns, ...rows.map(({ name, cells }) => [name, ...cells.map((cell) => cellText(cell, view))])];
  const [[, ...heads] = [], ...others] = lines.map((line) => line.filter((_, i) => !minor.includes(columns[i] ?? '')));
  const blocks = () =>
    others.flatMap(([name = '', ...cells]) => [
      ...signed('-', name, view),
      ...cells.flatMap((cell, i) => labelled(heads[i] ?? '', cell, view)),
    ]);
  return table([['', ...heads], ...others], view) ?? blocks();
};

const cellText = (cell: Cell, view: View): string =>
  typeof cell === 'string' ? cell : paint(graded(cell, gradeSigns), cell.grade, view);

/** Returns a section as Markdown. */
export const sectionMarkdown = (section: Section): string[] => {
  const { title, about, columns, rows, omitted = 0 } = section;
  if (!hasContent(section)) return [];
  const more = omitted > 0 ? [`- and ${omitted} more`] : [];
  if (section.isList) {
    return [`**${prose(title)}**`, ...rows.map((row) => `- ${prose(rowText(section, row))}`), ...more, ''];
  }
  const cellsOf = ({ name, cells }: Section['rows'][number]) =>
    [name, ...cells.map((cell) => graded(cell, gradeEmojis))].map(prose);
  const notes = rows.flatMap(({ name, note }) => (note == null ? [] : [`- ⚠️ ${prose(`${name}: ${note}`)}`]));
  return [
    ...(about === undefined ? [`**${prose(title)}**`] : [prose(about)]),
    ...(rows.length > 0 ? tableOf(['', ...columns.slice(1).map(prose)], rows.map(cellsOf)) : []),
    ...[...notes, ...more, ''],
  ];
};

/** Returns the sections of a check and its runs. */
export const sectionsOfCheck = (check: CheckView): Section[] => [
  fieldSection(check),
  ...check.runs.flatMap((run) =>
    sectionsOfRun(run).map((section) =>
      check.runs.length > 1 ? { ...section, title: `${section.title}, ${run.region}` } : section,
    ),
  ),
];
