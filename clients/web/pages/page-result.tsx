import type { PageResult } from '../../../shared/pages/pages.ts';
import { gradeOf } from '../../words/numbers.ts';
import { failureText, pageChangeWords } from '../../words/pages.ts';
import { slowestInteraction } from '../../words/slowest-interaction.ts';
import { isolated } from '../ui/title.ts';
import { Graded } from '../ui/value.tsx';
import { Verdict } from '../ui/verdict.tsx';

/** The score of the newest result, or its failure. */
export const PageScore = ({ result }: { result: PageResult }) => {
  const { state, performance, errorMessage, device } = result;
  if (state === 'failed') {
    return (
      <span class="poor" title={isolated(errorMessage ?? '')}>
        ✗ {failureText(result)}
      </span>
    );
  }
  return <Graded grade={gradeOf('performance', performance, device)} text={performance ?? '–'} />;
};

/** The slowest interaction of the newest result. */
export const PageInteraction = ({ result }: { result: PageResult }) => {
  const slowest = slowestInteraction(result);
  return slowest ? <Graded {...slowest} /> : null;
};

type ChangeProps = {
  result: PageResult;
  /** Device and region, if the page has other results too. */
  place?: string;
};

/** The change of a page, with a link to the checks before and after it, or why nobody can say. */
export const PageChange = ({ result, place = '' }: ChangeProps) => {
  const { change, state } = result;
  const { verdict, text, metrics } = pageChangeWords(result);
  if (state === 'failed') return null;
  if (verdict === null || verdict === 'same' || verdict === 'unknown') return <span class="muted">{text}</span>;
  const { baseCheckId, checkId } = change ?? {};
  const more = metrics.slice(1).join(', ');
  return (
    <>
      <Verdict verdict={verdict}>
        {baseCheckId && checkId ? <a href={`/comparisons/${baseCheckId}...${checkId}`}>{text}</a> : text}
      </Verdict>{' '}
      <span class="muted">{[more, place].filter(Boolean).join(', ')}</span>
    </>
  );
};

const WIDTH = 96;
const HEIGHT = 24;
const PAD = 3;
/** Least range of the scores, so that noise does not look like a change. */
const LEAST_RANGE = 10;

/** A small chart of the scores of a page, in its own range. A result without a score leaves a gap. */
export const Sparkline = ({ history }: Pick<PageResult, 'history'>) => {
  const known = history.filter((score) => score !== null);
  if (known.length < 2) return null;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const range = Math.max(LEAST_RANGE, most - least);
  const top = Math.min(100, (least + most + range) / 2);
  const step = (WIDTH - 2 * PAD) / (history.length - 1);
  const xOf = (i: number) => PAD + i * step;
  const yOf = (score: number) => PAD + ((top - score) / range) * (HEIGHT - 2 * PAD);
  const path = history
    .map((score, i) => {
      if (score === null) return '';
      const isStart = i === 0 || history[i - 1] === null;
      return `${isStart ? 'M' : 'L'}${xOf(i).toFixed(1)} ${yOf(score).toFixed(1)}`;
    })
    .join(' ');
  const last = history.at(-1);
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`Scores from ${least} to ${most}, the last one ${last ?? 'unknown'}`}
    >
      <path d={path} fill="none" stroke="currentColor" stroke-width="1.5" />
      {typeof last === 'number' && <circle cx={xOf(history.length - 1)} cy={yOf(last)} r="2.5" fill="currentColor" />}
    </svg>
  );
};
