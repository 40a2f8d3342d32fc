import type { ComponentChildren } from 'preact';
import { columnStyle } from './columns.ts';
import { Scroll } from './scroll.tsx';

type Props = {
  labelled: string;
  columns: readonly string[];
  class?: string | undefined;
  style?: Record<string, string>;
  children: ComponentChildren;
};

/** A table with a heading of its own, whose groups of rows are its children. `labelled` is the id of the heading. */
export const GroupedTable = ({ labelled, columns, class: className, style, children }: Props) => (
  <Scroll labelledBy={labelled}>
    <table class={className} aria-labelledby={labelled} style={{ ...columnStyle(columns), ...style }}>
      <thead>
        <tr>
          {columns.map((name) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  </Scroll>
);

/** A table with one group of rows. */
export const DataTable = ({ children, ...props }: Props) => (
  <GroupedTable {...props}>
    <tbody>{children}</tbody>
  </GroupedTable>
);
