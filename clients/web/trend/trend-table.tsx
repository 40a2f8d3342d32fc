import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunSummary } from '../../../shared/summaries.ts';
import { gradeOf, metricNames, numberOf, textOf } from '../../words/numbers.ts';
import { localTime } from '../../words/times.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Graded, NotMeasured } from '../ui/value.tsx';
import { CsvButton } from './csv-button.tsx';
import { incomparable, stepsOf } from './series.ts';

/** Rows that the page renders at once. All 400 rows would block it for longer than 100 ms. */
const STEP = 50;

type TableProps = { runs: readonly RunSummary[]; name: MetricName; filter: string };

/** The runs behind the chart. */
export const TrendTable = ({ runs, name, filter }: TableProps) => {
  const parts = useMemo(() => partsOf(runs), [runs]);
  const notesOf = useMemo(() => notesBy(runs), [runs]);
  const names = useInSteps(name, parts.length);
  return (
    <>
      <div class="below">
        <h2 id="runs">Runs</h2>
        <CsvButton filter={filter} />
      </div>
      <DataTable
        labelled="runs"
        class="runs"
        columns={['Time', 'Region', metricNames[name], 'Samples', 'Lighthouse', 'Note']}
      >
        {parts.map((part, i) => names[i] && <Rows key={i} runs={part} name={names[i]} notesOf={notesOf} />)}
      </DataTable>
    </>
  );
};

/** Returns the rows of the table in parts that the page renders at once. */
const partsOf = (runs: readonly RunSummary[]) =>
  Array.from({ length: Math.ceil(runs.length / STEP) }, (_, i) => runs.slice(i * STEP, (i + 1) * STEP));

type Notes = Record<'reasons' | 'steps', ReadonlyMap<RunSummary, string>>;

/** Returns a function with the notes on the runs by metric. It computes those of each metric once. */
const notesBy = (runs: readonly RunSummary[]) => {
  const known = new Map<MetricName, Notes>();
  return (name: MetricName): Notes => {
    const notes = known.get(name) ?? { reasons: incomparable(runs, name), steps: stepsOf(runs, name) };
    known.set(name, notes);
    return notes;
  };
};

/**
 * Returns the metric that each part shows. One part after the other follows a change, so that the page stays responsive.
 */
const useInSteps = (name: MetricName, count: number) => {
  const [names, setNames] = useState<MetricName[]>([]);
  useEffect(() => {
    const late = Array.from({ length: count }, (_, i) => i).find((i) => names[i] !== name);
    if (late === undefined) return;
    const timer = setTimeout(() => setNames(Object.assign([...names], { [late]: name })));
    return () => clearTimeout(timer);
  }, [names, name, count]);
  return names;
};

type RowsProps = { runs: readonly RunSummary[]; name: MetricName; notesOf: (name: MetricName) => Notes };

const Rows = ({ runs, name, notesOf }: RowsProps) =>
  useMemo(
    () => runs.map((run) => <Row key={run.id} run={run} name={name} {...notesOf(name)} />),
    [runs, name, notesOf],
  );

const Row = ({ run, name, reasons, steps }: Notes & { run: RunSummary; name: MetricName }) => {
  const value = run.state === 'succeeded' ? numberOf(run, name) : null;
  const notes = [
    run.errorCode ? `failed: ${run.errorCode}` : reasons.get(run),
    steps.has(run) && `new series: ${steps.get(run)}`,
    !run.links.self && 'expired, only its numbers are kept',
  ];
  return (
    <tr>
      <th scope="row" class="when">
        {run.links.self ? (
          <a href={`/checks/${run.checkId}/runs/${run.id}`}>{localTime(run.createdAt)}</a>
        ) : (
          localTime(run.createdAt)
        )}
      </th>
      <td>{run.region}</td>
      <td>
        {value === null ? (
          <NotMeasured />
        ) : (
          <Graded grade={gradeOf(name, value, run.device)} text={textOf(name, value)} />
        )}
      </td>
      <td>{run.sampleCount}</td>
      <td>{run.auditVersion}</td>
      <td class="muted">{notes.filter(Boolean).join(', ')}</td>
    </tr>
  );
};
