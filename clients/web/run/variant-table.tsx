import type { RunView } from '../../../shared/run.ts';
import { turnsText } from '../../words/turns.ts';
import { type VariantRow, variantRows } from '../../words/variants.ts';
import { DataTable } from '../ui/data-table.tsx';
import { NotMeasured, ShownValue } from '../ui/value.tsx';
import { Verdict } from '../ui/verdict.tsx';

/** Both variants of a run side by side, with the change from the second one to the check. */
export const VariantTable = ({ run, labelled, all = false }: { run: RunView; labelled: string; all?: boolean }) => (
  <>
    <DataTable labelled={labelled} class="results comparison" columns={['Metric', 'Against', 'Check', 'Change']}>
      {variantRows(run, { all }).map((row) => (
        <Row key={row.label} row={row} />
      ))}
    </DataTable>
    {run.turns && <p class="muted">{turnsText(run.turns)}.</p>}
  </>
);

const Row = ({ row: { label, title, against, value, verdict, change } }: { row: VariantRow }) => (
  <tr>
    <th scope="row" title={title}>
      {label}
    </th>
    <td>{against ? <ShownValue shown={against} /> : <NotMeasured />}</td>
    <td>{value ? <ShownValue shown={value} /> : <NotMeasured />}</td>
    <td>{change && <Verdict verdict={verdict}>{change}</Verdict>}</td>
  </tr>
);
