import type { RunView } from '../../../shared/run.ts';
import { interactionCells, interactionColumns } from '../../words/interactions.ts';
import { DataTable } from '../ui/data-table.tsx';

/** Shows the results of the interactions of a run. */
export const Interactions = ({ run }: { run: RunView }) => {
  const all = run.interactions ?? [];
  if (all.length === 0) return null;
  return (
    <>
      <h2 id="interactions">After the load</h2>
      <DataTable labelled="interactions" columns={['Interaction', ...interactionColumns]}>
        {all.map((each) => (
          <tr key={each.name}>
            <th scope="row" class="break">
              <bdi>{each.name}</bdi>
            </th>
            {interactionCells(each).map((text, i) => (
              <td key={interactionColumns[i]} class="break">
                {text}
                {i === 0 && each.reason !== null && <p class="muted">{each.reason}</p>}
              </td>
            ))}
          </tr>
        ))}
      </DataTable>
    </>
  );
};
