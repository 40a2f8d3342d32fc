import { fieldRows, fieldSentence, periodText, shareHeads } from '../../words/field-data.ts';
import { gradeSigns } from '../../words/numbers.ts';
import type { CheckResult } from '../run/result.ts';
import { prose, tableOf } from './markdown-syntax.ts';
import { paint, type View, wrap } from './terminal.ts';

/** Returns how Chrome's users saw the page, as text for a terminal. */
export const fieldDataText = ({ check }: CheckResult, view: View): string[] => {
  const sentence = fieldSentence(check);
  if (sentence === undefined) return [];
  const values = fieldRows(check.fieldData).map(({ label, text, grade }) =>
    paint(`${label} ${gradeSigns[grade]} ${text}`, grade, view),
  );
  const period = check.fieldData ? periodText(check.fieldData) : '';
  return [
    '',
    ...wrap(sentence, view.width),
    ...(values.length > 0 ? wrap(`In the field: ${values.join('  ')}  (${period})`, view.width) : []),
  ];
};

/** Returns how Chrome's users saw the page, as Markdown. */
export const fieldDataLines = ({ check }: CheckResult, signOf: Readonly<Record<string, string>>): string[] => {
  const sentence = fieldSentence(check);
  if (sentence === undefined) return [];
  const rows = fieldRows(check.fieldData).map(({ label, text, grade, shares }) => [
    label,
    `${signOf[grade]} ${text}`,
    ...shares,
  ]);
  const head = ['', '75 % of visits', ...shareHeads.map((each) => each.toLowerCase())];
  return [`${prose(sentence)}`, ...(rows.length > 0 ? tableOf(head, rows) : []), ''];
};
