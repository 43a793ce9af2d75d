import type { JSX } from "preact";

export interface TableHeadProps {
  /** Of the row, as that of the rows below it. */
  class: string;
  heads: readonly (readonly [word: string, className: string])[];
  /** Name of a last column whose head is not seen. */
  last?: string;
  lastClass?: string;
}

/** The first row of a table, with the names of its columns. */
export function TableHead({ class: name, heads, last, lastClass }: TableHeadProps): JSX.Element {
  return (
    <div class={`row ${name} list-head`} role="row" aria-rowindex={1}>
      {heads.map(([word, className]) => (
        <div key={word} role="columnheader" class={className}>
          {word}
        </div>
      ))}
      {last && (
        <div role="columnheader" class={lastClass}>
          <span class="hidden-text">{last}</span>
        </div>
      )}
    </div>
  );
}
