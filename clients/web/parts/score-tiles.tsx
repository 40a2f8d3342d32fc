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
            <span>{metricNames[name]}</span>
            <strong class="number">
              <span class="sign" aria-hidden="true">
                {gradeSigns[grade]}
              </span>
              {run[name]}
            </strong>
            <span class="muted">{gradeWords[grade]}</span>
          </li>
        );
      })}
  </ul>
);
