import { type Cell, hasContent, type Section } from '../../words/section.ts';
import { DataTable } from './data-table.tsx';
import { Graded, NotMeasured } from './value.tsx';

type Props = { section: Section; place?: string; level?: 'h2' | 'h3' };

/** Shows a section. `place` tells the ids of several regions apart. */
export const SectionTable = ({ section, place, level: Heading = 'h2' }: Props) => {
  const { title, about, help, columns, rows, omitted = 0 } = section;
  if (!hasContent(section)) return null;
  const id = place === undefined ? section.id : `${place}-${section.id}`;
  return (
    <section aria-labelledby={id}>
      <Heading id={id}>{title}</Heading>
      {about !== undefined && <p>{about}</p>}
      {help !== undefined && <p class="muted">{help}</p>}
      {rows.length > 0 && (
        <DataTable labelled={id} columns={columns}>
          {rows.map(({ name, cells, note }, i) => (
            <tr key={i}>
              <th scope="row" class="break">
                <bdi>{name}</bdi>
                {note != null && <p class="muted">{note}</p>}
              </th>
              {cells.map((cell, column) => (
                <td key={columns[column + 1]} class="break">
                  <CellText cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </DataTable>
      )}
      {omitted > 0 && <p class="muted">and {omitted} more</p>}
    </section>
  );
};

const CellText = ({ cell }: { cell: Cell }) => {
  if (typeof cell !== 'string') return <Graded grade={cell.grade} text={cell.text} />;
  return cell === '–' ? <NotMeasured /> : <bdi>{cell}</bdi>;
};
