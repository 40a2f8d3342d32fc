import type { Fix } from '../../../shared/fixes/fix.ts';
import type { RunFixes } from '../../../shared/fixes/worst-run.ts';
import { categoryText, doubtText, itemText, pointsText, savingsText } from '../../words/fixes.ts';
import { labels } from '../../words/numbers.ts';
import { paint, signed, type View, wrap } from './terminal.ts';
import { shortUrl } from './titles.ts';

const MAX_FIXES = 10;
const MAX_ITEMS = 2;
const POINTS_WIDTH = 4;
const meaning = 'The number is the points that the category gains at most.';

/** Returns what to fix first as text for a terminal: the points, the title, what it saves, and its first files or elements. */
export const fixesTextOf = ({ run, fixes }: RunFixes, view: View, isOnePlace = false): string => {
  const { performance, region, auditVersion, device } = run;
  const score = performance === null ? [] : [`${labels.performance} ${performance}`];
  const facts = [...(isOnePlace ? [] : [region]), `Lighthouse ${auditVersion}`, device, ...score].join(', ');
  const more = fixes.length - MAX_FIXES;
  const lines = [
    ...wrap(`${paint(shortUrl(run.url), 'heading', view)}   ${facts}`, view.width),
    ...(fixes.length === 0 ? ['Lighthouse found nothing to fix.'] : []),
    ...fixes.slice(0, MAX_FIXES).flatMap((fix) => fixLines(fix, view)),
    ...(more > 0 ? wrap(`${more} more. The format json has all.`, view.width) : []),
    ...(fixes.length > 0 ? wrap(meaning, view.width).map((line) => paint(line, 'unknown', view)) : []),
  ];
  return `${lines.join('\n')}\n`;
};

const fixLines = (fix: Fix, view: View): string[] => {
  const saved = savingsText(fix);
  const facts = `${categoryText(fix)}${saved && `, saves ${saved}`}`;
  const points = pointsText(fix).padStart(POINTS_WIDTH);
  const items = fix.items.slice(0, MAX_ITEMS).map(itemText);
  const others = fix.itemCount - items.length;
  const doubt = doubtText(fix);
  const below = [...(doubt ? [doubt] : []), ...items, ...(others > 0 ? [`and ${others} more`] : [])];
  return [
    ...signed(points, `${fix.title} (${facts})`, view),
    ...below.flatMap((text) => signed(' '.repeat(POINTS_WIDTH + 2), text, view)),
  ];
};
