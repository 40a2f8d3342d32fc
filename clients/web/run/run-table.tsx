import type { RunView } from '../../../shared/run.ts';
import { metricNames, metrics, numberOf, textOrDash } from '../../words/numbers.ts';
import { columnStyle } from '../ui/columns.ts';
import { Scroll } from '../ui/scroll.tsx';
import { Legend, Value } from '../ui/value.tsx';

/** The metrics of a run, each with the range of its samples, and each sample. */
export const RunTable = ({ run, variant }: { run: RunView; variant?: 'against' }) => {
  const id = variant ? `metrics-${variant}` : 'metrics';
  const rows = metrics.filter((name) => numberOf(run, name) !== null);
  const samples = run.samples.length > 1 ? run.samples : [];
  return (
    <>
      <h2 id={id}>{variant ? 'Samples of the second variant' : 'Metrics'}</h2>
      <Scroll labelledBy={id}>
        <table
          class="results samples"
          style={columnStyle([
            'Metric',
            samples.length > 0 ? 'Median' : 'Value',
            ...samples.map((_, i) => `Sample ${i + 1}`),
          ])}
        >
          <caption class="hidden">Metrics of this run{samples.length > 0 ? ' and of each sample' : ''}</caption>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">{samples.length > 0 ? 'Median (range)' : 'Value'}</th>
              {samples.map((sample, i) => (
                <th scope="col" key={i}>
                  Sample {i + 1}
                  {sample.contended ? ' (CPU in use)' : ''}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((name) => (
              <tr key={name}>
                <th scope="row">{metricNames[name]}</th>
                <td>
                  <Value name={name} run={run} />
                </td>
                {samples.map((sample, i) => (
                  <td key={i}>{textOrDash(name, sample[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <Legend />
    </>
  );
};
