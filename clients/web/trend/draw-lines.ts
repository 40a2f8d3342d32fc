import type UPlot from 'uplot';
import type { FieldHistory } from '../../../shared/field-data-schemas.ts';
import { textOf } from '../../words/numbers.ts';
import type { TrendLine } from './trend-lines.ts';
import type { TrendMetric } from './trend-metric.ts';

const FONT_SIZE = 12;
/** Most marks with a line and a text each. More of them are ticks at the lower edge. */
const MAX_MARKS = 12;
/** Dashes by kind, in pixels. */
const dashes = { series: [4, 4], mark: [1, 3], limit: [8, 4], regressed: [], improved: [] };

type Theme = { text: string; back: string; regressed: string; improved: string };

/** Draws lines with their texts. Texts at near times stand below each other. */
export const drawLines = ({ ctx, bbox, data, valToPos }: UPlot, lines: readonly TrendLine[], theme: Theme): void => {
  const isTick = lines.filter(({ kind }) => kind === 'mark').length > MAX_MARKS;
  const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height];
  const [start = 0, end = 0] = [data[0].at(0), data[0].at(-1)];
  ctx.save();
  ctx.font = `${FONT_SIZE * devicePixelRatio}px system-ui`;
  ctx.textBaseline = 'top';
  let nth = 0;
  for (const line of lines) {
    const isUpright = 'at' in line;
    if (isUpright && (line.at < start || line.at > end)) continue;
    const isShort = isTick && line.kind === 'mark';
    const x = isUpright ? valToPos(line.at, 'x', true) : bbox.left;
    const y = isUpright ? bbox.top : valToPos(line.value, 'y', true);
    ctx.strokeStyle = ctx.fillStyle =
      line.kind === 'regressed' || line.kind === 'improved' ? theme[line.kind] : theme.text;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash(dashes[line.kind].map((each) => each * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(x, isShort ? bottom - 8 * devicePixelRatio : y);
    ctx.lineTo(isUpright ? x : right, isUpright ? bottom : y);
    ctx.stroke();
    if (isShort) continue;
    const isLeft = isUpright && x <= bbox.left + bbox.width / 2;
    ctx.textAlign = isLeft ? 'left' : 'right';
    const left = isUpright ? x + (isLeft ? 4 : -4) * devicePixelRatio : right - 4 * devicePixelRatio;
    const row = isUpright ? (nth++ % 4) * 1.3 * FONT_SIZE : 2;
    ctx.strokeStyle = theme.back;
    ctx.lineWidth = 4 * devicePixelRatio;
    ctx.setLineDash([]);
    ctx.strokeText(line.text, left, y + row * devicePixelRatio); // keeps lines behind the text from crossing it
    ctx.fillText(line.text, left, y + row * devicePixelRatio);
  }
  ctx.restore();
};

/** Returns the newest value of the visitors as a level line, for a metric that audits measure as browsers do. */
export const visitorLines = (history: FieldHistory | undefined, { name }: TrendMetric): TrendLine[] => {
  if (name !== 'lcp' && name !== 'cls' && name !== 'fcp') return [];
  const value = history?.weeks.at(-1)?.[name] ?? null;
  return value === null ? [] : [{ value, text: `visitors ${textOf(name, value)}`, kind: 'limit' }];
};
