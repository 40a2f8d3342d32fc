import type { ComponentChildren } from 'preact';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { barShare, type Grade, gradeSigns, gradeWords, numberOf } from '../../words/numbers.ts';
import { metricCell } from '../../words/section.ts';

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
export const Value = ({ name, run, bar = false }: { name: MetricName; run: RunView; bar?: boolean }) => {
  const cell = metricCell(run, name);
  if (cell === '–') return <NotMeasured />;
  const share = bar ? barShare(name, numberOf(run, name) ?? 0, run.device) : undefined;
  return (
    <Graded {...cell}>
      {share !== undefined && (
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
