import type { RunView } from '../../../shared/run.ts';
import { labels } from '../../words/numbers.ts';
import { simulatedMetrics, simulatedRun, simulationColumns, simulationValues } from '../../words/simulations.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Value } from '../ui/value.tsx';

/** The load of the run, simulated for other networks and devices. */
export const Simulations = ({ run }: { run: RunView }) => {
  const loads = run.simulations ?? [];
  if (loads.length === 0) return null;
  return (
    <>
      <h2 id="simulations">The same load, simulated</h2>
      <p class="muted">
        Lighthouse simulates one load for other networks and devices. So there is no noise between these rows.
      </p>
      <DataTable
        labelled="simulations"
        columns={['Simulation', ...simulationColumns, ...simulatedMetrics.map((name) => labels[name])]}
      >
        {loads.map((load) => (
          <tr key={load.name}>
            <th scope="row" class="break">
              <bdi>{load.name}</bdi>
            </th>
            {simulationValues(load).map((text, i) => (
              <td key={simulationColumns[i]}>{text}</td>
            ))}
            {load.reason !== null ? (
              <td colSpan={simulatedMetrics.length}>{load.reason}</td>
            ) : (
              simulatedMetrics.map((name) => (
                <td key={name}>
                  <Value name={name} run={simulatedRun(run, load)} />
                </td>
              ))
            )}
          </tr>
        ))}
      </DataTable>
    </>
  );
};
