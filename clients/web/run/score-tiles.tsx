import type { RunView } from '../../../shared/run.ts';
import { gradeOf, gradeSigns, gradeWords, metricNames, scores } from '../../words/numbers.ts';

/** The scores of a run. A category that was not measured has none. */
export const ScoreTiles = ({ run }: { run: RunView }) => (
  <ul class="tiles" aria-label="Scores from 0 to 100">
    {scores
      .filter((name) => run[name] !== null)
      .map((name) => {
        const grade = gradeOf(name, run[name], run.device);
        return (
          <li key={name} class={`tile ${grade}`}>
            <Ring score={run[name] ?? 0} />
            <span>
              <strong>{metricNames[name]}</strong>
              <br />
              <span class="muted">
                <span class="sign" aria-hidden="true">
                  {gradeSigns[grade]}
                </span>{' '}
                {gradeWords[grade]}
              </span>
            </span>
          </li>
        );
      })}
  </ul>
);

const RADIUS = 24;
const ROUND = 2 * Math.PI * RADIUS;

/** A score in a ring that is filled as far as the score. */
const Ring = ({ score }: { score: number }) => (
  <span class="ring">
    <svg viewBox="0 0 56 56" aria-hidden="true">
      <circle cx="28" cy="28" r={RADIUS} />
      <circle cx="28" cy="28" r={RADIUS} stroke-dasharray={`${(score / 100) * ROUND} ${ROUND}`} />
    </svg>
    <strong class="number">{score}</strong>
  </span>
);
