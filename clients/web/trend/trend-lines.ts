import { judgedMetric } from '../../../shared/interactions/metrics.ts';
import type { Mark } from '../../../shared/marks.ts';
import type { PageResult } from '../../../shared/pages/pages.ts';
import type { RunView } from '../../../shared/run.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { plain, textOf } from '../../words/numbers.ts';
import { verdictSigns } from '../../words/section.ts';
import type { TrendMetric } from './trend-metric.ts';

/** A line of the chart with a text: upright at a time in seconds, or level at a value. */
export type TrendLine = ({ at: number } | { value: number }) & {
  text: string;
  kind: 'series' | 'mark' | 'limit' | 'regressed' | 'improved';
};

const secondsOf = (time: string): number => Date.parse(time) / 1000;

type ShownMark = Pick<Mark, 'at' | 'text'>;

/** Returns the runs, newest first, that are the first after a mark, with the texts of their marks. */
export const marksByRun = (runs: readonly RunSummary[], marks: readonly ShownMark[]): Map<RunSummary, string> => {
  const texts = new Map<RunSummary, string>();
  for (const { at, text } of marks) {
    const first = runs.findLast(({ createdAt }) => createdAt >= at);
    if (first) texts.set(first, texts.has(first) ? `${texts.get(first)}, ${text}` : text);
  }
  return texts;
};

/** Returns the lines of marks. The chart shows the beginning of their texts. */
export const markLines = (marks: readonly ShownMark[]): TrendLine[] =>
  marks.map(({ at, text }) => ({ at: secondsOf(at), text: text.slice(0, 24), kind: 'mark' }));

/** Returns the lasting changes of a metric within the time of the runs, newest first. */
export const changeLines = (
  results: readonly PageResult[],
  { id, name }: TrendMetric,
  runs: readonly RunSummary[],
): TrendLine[] => {
  const first = runs.at(-1)?.createdAt ?? '~';
  return results.flatMap(({ steps }) =>
    steps
      .filter(({ metric, at }) => metric === id && at >= first)
      .map(({ at, base, value, verdict }) => ({
        at: secondsOf(at),
        kind: verdict,
        text: `${verdictSigns[verdict]} ${[base, value].map((each) => textOf(name, plain(each) ?? 0)).join(' → ')}`,
      })),
  );
};

/** Returns the limits that the assertions of a check set for a metric. */
export const limitLines = (runs: readonly Pick<RunView, 'assertions'>[], { id, name }: TrendMetric): TrendLine[] => {
  const { audit = id, category, kind } = judgedMetric(name);
  const isSame = (key: string, other: string) => key.replaceAll('.', ':') === other.replaceAll('.', ':');
  const values = runs.flatMap(({ assertions }) =>
    (assertions ?? []).flatMap(({ key, name: limit, expected }) => {
      if (limit === 'maxNumericValue' && isSame(key, audit)) return [expected];
      const isCategory = kind === 'score' && isSame(key, `categories:${category}`);
      return limit === 'minScore' && isCategory ? [expected * 100] : [];
    }),
  );
  return [...new Set(values)].map((value) => ({ value, text: `limit ${textOf(name, value)}`, kind: 'limit' }));
};
