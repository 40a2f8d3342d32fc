import type { PageResult } from '../../../shared/pages.ts';
import { changeText } from '../../words/change.ts';
import { gradeOf, labels } from '../../words/numbers.ts';
import { pageChangeWords } from '../../words/pages.ts';
import { Graded } from './value.tsx';
import { Verdict } from './verdict.tsx';

type Props = { page: PageResult };

/** The score of the newest result, or its failure. */
export const PageScore = ({ page: { state, performance, errorCode, device } }: Props) => {
  if (state === 'failed') return <span class="poor">✗ failed: {errorCode}</span>;
  return <Graded grade={gradeOf('performance', performance, device)} text={performance ?? '–'} />;
};

const MOST_METRICS = 2;

/** The change from the result before: the metrics that regressed or improved, or why nobody can say. */
export const PageChange = ({ page }: Props) => {
  const { verdict, text, changed } = pageChangeWords(page);
  if (page.state === 'failed') return null;
  if (verdict === null) return <span class="muted">{text}</span>;
  return (
    <>
      <Verdict verdict={verdict}>{text}</Verdict>
      {changed.slice(0, MOST_METRICS).map(({ name, of }) => (
        <div key={name}>{`${labels[name]} ${changeText(name, of)}`}</div>
      ))}
      {changed.length > MOST_METRICS && <div class="muted">and {changed.length - MOST_METRICS} more</div>}
    </>
  );
};

const WIDTH = 96;
const HEIGHT = 24;
const PAD = 3;

/** A small chart of the newest scores, from 0 to 100. A failed result leaves a gap. */
export const Sparkline = ({ page: { history } }: Props) => {
  const scores = history.map(({ performance }) => performance);
  if (scores.length < 2) return null;
  const step = (WIDTH - 2 * PAD) / Math.max(1, scores.length - 1);
  const points = scores.map((score, i) => ({
    x: PAD + i * step,
    y: PAD + ((100 - (score ?? 0)) / 100) * (HEIGHT - 2 * PAD),
  }));
  const parts = scores.map((score, i) => {
    const { x, y } = points[i] as { x: number; y: number };
    const isStart = i === 0 || scores[i - 1] === null;
    return score === null ? '' : `${isStart ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  const last = points.at(-1);
  const texts = scores.map((score) => score ?? 'none');
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={`Scores: ${texts.join(', ')}`}
    >
      <path d={parts.join(' ')} fill="none" stroke="currentColor" stroke-width="1.5" />
      {last && scores.at(-1) !== null && <circle cx={last.x} cy={last.y} r="2.5" fill="currentColor" />}
    </svg>
  );
};
