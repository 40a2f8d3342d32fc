import { type Cell, hasContent, type Section } from '../../words/section.ts';
import { DataTable } from './data-table.tsx';
import { Graded, NotMeasured } from './value.tsx';
import { Verdict } from './verdict.tsx';

type Props = { section: Section; place?: string; level?: 'h2' | 'h3' };

/** Shows a section. `place` makes the ids of several regions unique. */
export const SectionTable = ({ section, place, level: Heading = 'h2' }: Props) => {
  const { title, about, help, rows, omitted = 0 } = section;
  if (!hasContent(section)) return null;
  const id = place === undefined ? section.id : `${place}-${section.id}`;
  return (
    <section aria-labelledby={id}>
      <Heading id={id}>{title}</Heading>
      {about !== undefined && <p>{about}</p>}
      {help !== undefined && <p class="muted">{help}</p>}
      {rows.length > 0 && <SectionRows section={section} labelled={id} />}
      {omitted > 0 && <p class="muted">and {omitted} more</p>}
    </section>
  );
};

/** The table of a section below a heading, which has the id `labelled`. */
export const SectionRows = ({ section, labelled }: { section: Section; labelled: string }) => {
  const { columns, rows, kind } = section;
  const cellClass = kind === 'change' ? undefined : 'break';
  return (
    <DataTable labelled={labelled} columns={columns} class={kind === 'change' ? 'results comparison' : undefined}>
      {rows.map(({ name, title, cells, note }, i) => (
        <tr key={i}>
          <th scope="row" title={title} class={cellClass}>
            <bdi>{name}</bdi>
            {note != null && <p class="muted">{note}</p>}
          </th>
          {cells.map((cell, column) => (
            <td key={columns[column + 1]} class={cellClass}>
              <CellText cell={cell} />
            </td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
};

const CellText = ({ cell }: { cell: Cell }) => {
  if (cell === '') return null; // narrow windows show no name of the column before an empty cell
  if (typeof cell === 'string') return cell === '–' ? <NotMeasured /> : <bdi>{cell}</bdi>;
  return 'verdict' in cell ? <Verdict verdict={cell.verdict}>{cell.text}</Verdict> : <Graded {...cell} />;
};
