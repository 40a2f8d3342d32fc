import type { ComponentChildren } from 'preact';
import { columnStyle } from './columns.ts';
import { Scroll } from './scroll.tsx';

type Props = { labelled: string; columns: readonly string[]; class?: string; children: ComponentChildren };

/** A table with a heading of its own. `labelled` is the id of the heading. */
export const DataTable = ({ labelled, columns, class: className, children }: Props) => (
  <Scroll labelledBy={labelled}>
    <table class={className} aria-labelledby={labelled} style={columnStyle(columns)}>
      <thead>
        <tr>
          {columns.map((name) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </Scroll>
);
