import type { CheckView } from '../../../shared/check.ts';
import { fieldRows, fieldSentence, periodText, shareHeads } from '../../words/field-data.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Graded } from '../ui/value.tsx';

/** How Chrome's users saw the page, beside the result of the audit. */
export const FieldDataOfCheck = ({ check }: { check: CheckView }) => {
  const sentence = fieldSentence(check);
  if (!check.fieldData || sentence === undefined) return null;
  const rows = fieldRows(check.fieldData);
  return (
    <section aria-labelledby="field-data">
      <h2 id="field-data">Visitors</h2>
      <p>{sentence}</p>
      {rows.length > 0 && (
        <>
          <DataTable labelled="field-data" columns={['Metric', '75 % of visits', ...shareHeads]}>
            {rows.map(({ name, label, text, grade, shares }) => (
              <tr key={name}>
                <th scope="row">{label}</th>
                <td>
                  <Graded grade={grade} text={text} />
                </td>
                {shares.map((share, i) => (
                  <td key={shareHeads[i]}>{share}</td>
                ))}
              </tr>
            ))}
          </DataTable>
          <p class="muted">Chrome UX Report, {periodText(check.fieldData)}</p>
        </>
      )}
    </section>
  );
};
