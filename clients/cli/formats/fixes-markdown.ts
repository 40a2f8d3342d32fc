import type { RunFixes } from '../../../shared/fixes/worst-run.ts';
import { categoryText, doubtText, itemText, pointsText, savingsText } from '../../words/fixes.ts';
import { code, prose, tableOf } from './markdown-syntax.ts';

/** Returns the first fixes of a run as a table of Markdown. `max` is the number of fixes. */
export const fixesTable = ({ run, fixes }: RunFixes, max: number): string[] => {
  if (fixes.length === 0) return [];
  const rows = fixes.slice(0, max).map((fix) => {
    const [item] = fix.items;
    const others = item && fix.itemCount > 1 ? ` and ${fix.itemCount - 1} more` : '';
    return [
      prose(pointsText(fix)),
      prose(categoryText(fix)),
      prose([fix.title, doubtText(fix)].filter(Boolean).join('. ')),
      savingsText(fix),
      item ? `${code(itemText(item))}${others}` : '',
    ];
  });
  const header = ['points', 'of', 'fix', 'saves', 'where'];
  return [
    `**What to fix first** in ${prose(run.region)}, with the points that it gains at most:`,
    ...tableOf(header, rows),
  ];
};

/** Returns what to fix first as Markdown. */
export const fixesMarkdownOf = (found: RunFixes): string => {
  const { run, fixes } = found;
  const lines = fixes.length > 0 ? fixesTable(found, fixes.length) : ['Lighthouse found nothing to fix.'];
  return `${[`### ${code(run.url)}`, '', ...lines].join('\n').trimEnd()}\n`;
};
