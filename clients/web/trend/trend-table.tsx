import { useMemo, useState } from 'preact/hooks';
import type { Mark } from '../../../shared/marks.ts';
import type { RunSummary, RunsOfDay } from '../../../shared/summaries.ts';
import { gradeOf, spreadText, textOf } from '../../words/numbers.ts';
import { localTime } from '../../words/times.ts';
import { ChooseBox, type ChosenCheck, type ChosenChecks } from '../ui/chosen-checks.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { showsRegions, usePlaces } from '../ui/places.ts';
import { useSteps } from '../ui/steps.ts';
import { Graded, NotMeasured } from '../ui/value.tsx';
import { CsvButton } from './csv-button.tsx';
import { incomparable, stepsOf } from './series.ts';
import { marksByRun } from './trend-lines.ts';
import type { TrendMetric } from './trend-metric.ts';
import { dayEnd, dayStart, daysAddress } from './trend-query.ts';

/** Rows of a part of the table. */
const ROWS = 50;

type TableProps = {
  runs: readonly RunSummary[];
  metric: TrendMetric;
  filter: string;
  chosen: ChosenChecks;
  marks: readonly Mark[];
};

/** The runs behind the chart, or the days. */
export const TrendTable = ({ runs, metric, filter, chosen, marks }: TableProps) => {
  const [first, setFirst] = useState(0);
  const reasons = useMemo(() => incomparable(runs, metric.name), [runs, metric]);
  const steps = useMemo(() => stepsOf(runs, metric.name), [runs, metric]);
  const marked = useMemo(() => marksByRun(runs, marks), [runs, marks]);
  const hasRegions = showsRegions(usePlaces(), runs);
  const shown = runs.slice(first, first + ROWS);
  const count = useSteps(ROWS);
  const [ofDays, title] = runs[0]?.day ? [true, 'Days'] : [false, 'Runs'];
  return (
    <>
      <div class="below">
        <h2 id="runs">{title}</h2>
        <CsvButton filter={filter} />
      </div>
      <DataTable
        labelled="runs"
        class="runs"
        columns={[
          ofDays ? 'Day (UTC)' : 'Time',
          ...(hasRegions ? ['Region'] : []),
          metric.title,
          ofDays ? 'Runs' : 'Samples',
          'Lighthouse',
          'Note',
          'Compare',
        ]}
      >
        {shown.slice(0, count).map((run) => (
          <Row key={run.id} {...{ run, metric, reasons, steps, marked, hasRegions, chosen }} />
        ))}
      </DataTable>
      {runs.length > ROWS && (
        <p class="center">
          <button type="button" disabled={first === 0} onClick={() => setFirst(first - ROWS)}>
            Newer
          </button>{' '}
          <span role="status">
            {first + 1} to {first + shown.length} of {runs.length}
          </span>{' '}
          <button type="button" disabled={first + ROWS >= runs.length} onClick={() => setFirst(first + ROWS)}>
            Older
          </button>
        </p>
      )}
    </>
  );
};

type Notes = Record<'reasons' | 'steps' | 'marked', ReadonlyMap<RunSummary, string>>;
type RowProps = Notes & Pick<TableProps, 'metric' | 'chosen'> & { run: RunSummary; hasRegions: boolean };

/** Renders a row again only if it changes, because the table renders all its rows again at each step. */
const Row = (props: RowProps) => {
  const { run, metric, reasons, steps, marked, hasRegions, chosen } = props;
  return useMemo(() => <Cells {...props} />, [run, metric, reasons, steps, marked, hasRegions, chosen]);
};

const Cells = ({ run, metric, reasons, steps, marked, hasRegions, chosen }: RowProps) => {
  const value = run.state === 'succeeded' ? metric.numberOf(run) : null;
  const range = metric.rangeOf(run);
  const notes = [
    run.day ? leftOut(run.day) : run.errorCode && `failed: ${run.errorCode}`,
    marked.get(run),
    !run.errorCode && reasons.get(run),
    steps.has(run) && `new series: ${steps.get(run)}`,
    !run.day && !run.links.self && 'expired, only its numbers are kept',
  ];
  return (
    <tr>
      <th scope="row" class="when">
        <RunLink run={run} />
      </th>
      {hasRegions && <td>{run.region}</td>}
      <td>
        {value === null ? (
          <NotMeasured />
        ) : (
          <>
            <Graded grade={gradeOf(metric.name, value, run.device)} text={textOf(metric.name, value)} />{' '}
            {range && <span class="muted">{spreadText(metric.name, value, range)}</span>}
          </>
        )}
      </td>
      <td>{run.day?.runs ?? run.sampleCount}</td>
      <td>{run.auditVersion}</td>
      <td class="muted">
        <bdi>{notes.filter(Boolean).join(', ')}</bdi>
      </td>
      <td class="action">{run.links.check && <ChooseBox check={choiceOf(run)} chosen={chosen} />}</td>
    </tr>
  );
};

/** Returns the check of a run as its reader chooses it. */
export const choiceOf = ({ checkId, createdAt, performance }: RunSummary): ChosenCheck => ({
  id: checkId,
  createdAt,
  text: `${localTime(createdAt)}, performance ${performance ?? 'unknown'}`,
});

const leftOut = ({ failed, contended }: RunsOfDay) =>
  [failed > 0 && `${failed} failed`, contended > 0 && `${contended} left out: the machine was busy`]
    .filter(Boolean)
    .join(', ');

/** The time of a run with a link to it. A day leads to its runs. */
const RunLink = ({ run: { day, links, checkId, id, createdAt } }: { run: RunSummary }) => {
  if (day) return <a href={daysAddress(location.search, dayStart(day.date), dayEnd(day.date))}>{day.date}</a>;
  const time = localTime(createdAt);
  return links.self ? <a href={`/checks/${checkId}/runs/${id}`}>{time}</a> : time;
};
