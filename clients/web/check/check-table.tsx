import type { CheckView } from '../../../shared/check.ts';
import type { RegionComparison } from '../../../shared/comparison/schemas.ts';
import { existsIn, type MetricName } from '../../../shared/metrics/page-metrics.ts';
import type { RunView } from '../../../shared/run.ts';
import { regionsText } from '../../words/change.ts';
import { labels, mainMetrics, metricNames, metrics, orderedFor } from '../../words/numbers.ts';
import { progressText } from '../../words/turns.ts';
import { columnStyle } from '../ui/columns.ts';
import { areOnePlace, nameOfPlace, usePlaces } from '../ui/places.ts';
import { Scroll } from '../ui/scroll.tsx';
import { Value } from '../ui/value.tsx';
import { Verdict } from '../ui/verdict.tsx';

/** The regions of a check side by side. The table has its full size from the start, so that results don't move it. */
export const CheckTable = ({
  check,
  comparison,
  all,
}: {
  check: CheckView;
  comparison: RegionComparison | undefined;
  all: boolean;
}) => {
  const { runs } = check;
  const places = usePlaces();
  const nameOf = ({ region }: RunView) => (runs.length > 1 ? region : nameOfPlace(places, region));
  const compares = runs.length > 1 && !areOnePlace(places, runs);
  const rows = orderedFor(compares ? runs : [], all ? metrics : mainMetrics).filter((name) => isPossible(name, check));
  return (
    <Scroll label="Results by region">
      <table class="results by-region" style={columnStyle(['Metric', ...runs.map(({ region }) => region), 'Verdict'])}>
        <caption class="hidden">
          Metrics of <bdi>{check.url}</bdi> by region
        </caption>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {runs.map((run) => (
              <th scope="col" key={run.id}>
                <a href={`/checks/${check.id}/runs/${run.id}`}>{nameOf(run)}</a>
                <span class="place">{nameOf(run) === run.region && places.get(run.region)}</span>
                <RunState run={run} samples={check.samples} />
              </th>
            ))}
            {compares && (
              <th scope="col" class="verdict">
                Verdict
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((name) => (
            <Row key={name} name={name} runs={runs} comparison={comparison} compares={compares} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
};

const isPossible = (name: MetricName, { auditVersion, categories }: CheckView): boolean =>
  existsIn(name, auditVersion) && (name !== 'agenticBrowsing' || categories?.includes('agentic-browsing') === true);

type RowProps = {
  name: MetricName;
  runs: readonly RunView[];
  comparison: RegionComparison | undefined;
  compares: boolean;
};

const Row = ({ name, runs, comparison, compares }: RowProps) => {
  return (
    <tr class={name === 'performance' ? name : undefined}>
      <th scope="row" title={metricNames[name]}>
        {labels[name]}
      </th>
      {runs.map((run) => (
        <td key={run.id}>
          {run.state === 'succeeded' ? (
            <Value name={name} run={run} bar />
          ) : (
            <span class="muted">{run.state === 'failed' ? '–' : '…'}</span>
          )}
        </td>
      ))}
      {compares && (
        <td>{comparison ? <Judged name={name} metric={comparison.metrics[name]} /> : <span class="muted">…</span>}</td>
      )}
    </tr>
  );
};

export const RunState = ({ run, samples }: { run: RunView; samples: CheckView['samples'] }) => {
  if (run.state === 'succeeded') return <span class="pass">✔ done</span>;
  if (run.state === 'failed') return <span class="poor">✗ {run.error?.code}</span>;
  if (run.state === 'created') return <span class="muted">waiting for its turn</span>;
  const progress = progressText(run, samples);
  return <span>◐ auditing{progress && `, ${progress}`}</span>;
};

type JudgedProps = { name: MetricName; metric: RegionComparison['metrics'][MetricName] | undefined };

const Judged = ({ name, metric }: JudgedProps) =>
  metric?.change ? <Verdict verdict={metric.verdict}>{regionsText(name, metric)}</Verdict> : null;
