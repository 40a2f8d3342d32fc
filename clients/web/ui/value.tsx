import type { ComponentChildren } from 'preact';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { type Grade, gradeSigns, gradeWords, shownValue } from '../../words/numbers.ts';

type GradedProps = { grade: Grade; text: ComponentChildren; spread?: string; children?: ComponentChildren };

/** A value with the sign of its grade: the form in which all views show a value. `children` follow it. */
export const Graded = ({ grade, text, spread, children }: GradedProps) => (
  <span class={`value ${grade}`}>
    <span class="sign" aria-hidden="true">
      {gradeSigns[grade]}
    </span>{' '}
    <span class="number">{text}</span>
    {spread && <span class="spread">{spread}</span>}
    <span class="hidden"> {gradeWords[grade]}</span>
    {children}
  </span>
);

/** A value with its grade, unit and spread, and on request with a bar. */
export const Value = ({ name, run, bar }: { name: MetricName; run: RunView; bar?: boolean }) => {
  const shown = shownValue(run, name);
  return shown ? <ShownValue shown={shown} bar={bar} /> : <NotMeasured />;
};

type Shown = NonNullable<ReturnType<typeof shownValue>>;

export const ShownValue = ({ shown, bar }: { shown: Shown; bar?: boolean | undefined }) => {
  const { share, grade, text, spread } = shown;
  return (
    <Graded grade={grade} text={text} spread={spread}>
      {bar && share !== undefined && (
        <span class="bar">
          <i style={{ width: `${100 * share}%` }} />
        </span>
      )}
    </Graded>
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
