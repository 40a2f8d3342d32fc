import type { MetricName } from '../../../shared/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { gradeSigns, gradeWords, shownValue } from '../../words/numbers.ts';

/** A value with its grade, unit and spread. `max` gives it a bar: the largest value of its row. */
export const Value = ({ name, run, max }: { name: MetricName; run: RunView; max?: number | undefined }) => {
  const shown = shownValue(run, name);
  return shown ? <ShownValue shown={shown} max={max} /> : <NotMeasured />;
};

type Shown = NonNullable<ReturnType<typeof shownValue>>;

export const ShownValue = ({ shown, max }: { shown: Shown; max?: number | undefined }) => {
  const { value, grade, sign, text, spread } = shown;
  return (
    <span class={`value ${grade}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="number">{text}</span>
      <span class="spread">{spread}</span>
      <span class="hidden">{gradeWords[grade]}</span>
      {max !== undefined && max > 0 && (
        <span class="bar">
          <i style={{ width: `${(100 * value) / max}%` }} />
        </span>
      )}
    </span>
  );
};

export const NotMeasured = () => (
  <span class="unknown">
    –<span class="hidden"> not measured</span>
  </span>
);

/** The meaning of the signs. */
export const Legend = () => (
  <p class="legend">
    {(['pass', 'work', 'poor', 'unknown'] as const).map((grade) => (
      <span key={grade} class={grade}>
        <span class="sign" aria-hidden="true">
          {gradeSigns[grade]}
        </span>{' '}
        {gradeWords[grade]}
      </span>
    ))}
  </p>
);
