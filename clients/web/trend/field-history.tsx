import { fieldMetricNames, fieldMetrics } from '../../../shared/field-data.ts';
import type { FieldHistory } from '../../../shared/field-data-schemas.ts';
import { fieldText, gradeOfField } from '../../words/field-data.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Graded, NotMeasured } from '../ui/value.tsx';

/** How visitors saw the page week by week, the newest first. */
export const VisitorHistory = ({ history }: { history: FieldHistory }) => {
  const { of, url, formFactor, weeks } = history;
  const names = fieldMetricNames.filter((name) => weeks.some((week) => week[name] !== null));
  return (
    <details>
      <summary id="visitors">Visitors on {formFactor === 'phone' ? 'phones' : 'desktops'}, week by week</summary>
      <p class="muted">
        Three of four visits of {of === 'url' ? 'the page' : `all pages of ${url}`} had these values or better ones, in
        the four weeks until each day (Chrome UX Report).
      </p>
      <DataTable labelled="visitors" columns={['Until', ...names.map((name) => fieldMetrics[name].name)]}>
        {weeks.toReversed().map((week) => (
          <tr key={week.last}>
            <th scope="row">{week.last}</th>
            {names.map((name) => {
              const value = week[name];
              return (
                <td key={name}>
                  {value === null ? (
                    <NotMeasured />
                  ) : (
                    <Graded grade={gradeOfField(name, value)} text={fieldText(name, value)} />
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </DataTable>
    </details>
  );
};
