import type { JSX } from "preact";
import type { Column } from "./columns.ts";

/** The first row of a table, with the names of its columns. */
export function TableHead<Item>({
  class: name,
  columns,
  tracks,
}: {
  /** Of the row, as that of the rows below it. */
  class: string;
  columns: readonly Column<Item>[];
  tracks: string;
}): JSX.Element {
  return (
    <div
      class={`row table-row ${name} list-head`}
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: tracks }}
    >
      {columns.map(({ head, class: className, isHeadHidden }) => (
        <div key={head} role="columnheader" class={className}>
          {isHeadHidden ? <span class="hidden-text">{head}</span> : head}
        </div>
      ))}
    </div>
  );
}
