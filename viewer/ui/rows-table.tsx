import type { ComponentChildren, JSX } from "preact";
import { type Column, columnsWith } from "./columns.ts";
import { isNarrow, isWide } from "./media.ts";
import { Failed, Loading } from "./message.tsx";
import type { Pages } from "./pages.ts";
import { ownHeights } from "./row-heights.ts";
import { TableHead } from "./table-head.tsx";
import { VirtualList } from "./virtual.tsx";

const ROW = 28;
/** What each line more than the first adds to a row. */
const LINE = 18;
/** Rows below the last one on screen when more are asked for. */
const AHEAD = 30;

/** What a row has besides its cells. */
interface RowExtras {
  class?: string;
  onPointerEnter?: (event: PointerEvent) => void;
  onPointerLeave?: () => void;
}

interface RowsTableProps<Item> {
  /** What the rows are, for those who do not see them: "Runs". */
  label: string;
  /** Of each row. */
  class: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The chosen row, which is kept in view; -1 for none. */
  active: number;
  columns: readonly Column<Item>[];
  /** How many lines a row takes; one without. */
  linesOf?: (item: Item) => number;
  /** A row on a narrow screen: the lines of a card. */
  card: (item: Item) => ComponentChildren;
  /** Height of such a card in CSS pixels. */
  cardHeight: number;
  extras?: (item: Item) => RowExtras;
  /** Where there may be more rows than these: asks for them. */
  loadMore?: () => Promise<void>;
}

/** Rows under the names of their columns; on a narrow screen a card each. */
export function RowsTable<Item>(props: RowsTableProps<Item>): JSX.Element {
  const { label, items, keyOf, active, card, cardHeight, extras, linesOf, loadMore } = props;
  const narrow = isNarrow.value;
  const columns = columnsWith(props.columns, items, isWide.value);
  const tracks = columns.map(({ width }) => width).join(" ");
  const heightOf = (row: number): number => ROW + LINE * ((linesOf?.(items[row]!) ?? 1) - 1);
  return (
    <div class="list-table" role="table" aria-label={label} aria-rowcount={loadMore ? -1 : items.length + 1}>
      {!narrow && <TableHead class={props.class} columns={columns} tracks={tracks} />}
      <VirtualList
        label={label}
        role="rowgroup"
        count={items.length}
        rowHeight={narrow ? cardHeight : ownHeights(items.length, heightOf)}
        active={active}
        onRange={(_, last) => {
          if (last > items.length - AHEAD) void loadMore?.();
        }}
        row={(index, style) => {
          const item = items[index];
          if (!item) return null;
          const { class: more, ...handlers } = extras?.(item) ?? {};
          const kind = narrow ? "list-card" : `table-row ${props.class}`;
          return (
            <div
              key={keyOf(item)}
              class={["row", kind, index === active && "is-active", more].filter(Boolean).join(" ")}
              role="row"
              aria-rowindex={index + 2}
              style={narrow ? style : { ...style, gridTemplateColumns: tracks }}
              {...handlers}
            >
              {narrow ? card(item) : <Cells item={item} columns={columns} />}
            </div>
          );
        }}
      />
    </div>
  );
}

function Cells<Item>({ item, columns }: { item: Item; columns: readonly Column<Item>[] }): JSX.Element {
  return (
    <>
      {columns.map(({ head, class: name, cellClass, title, cell }) => (
        <div
          key={head}
          role="cell"
          class={[name, cellClass].filter(Boolean).join(" ") || undefined}
          title={title?.(item) || undefined}
        >
          {cell(item)}
        </div>
      ))}
    </>
  );
}

interface PagedTableProps<Item> extends Omit<RowsTableProps<Item>, "items" | "keyOf" | "loadMore"> {
  pages: Pages<Item>;
  /** Says why there are no rows, and what to do. */
  empty: JSX.Element;
}

/** The same for a paged list, or that it is on its way, has no rows, or could not be had. */
export function PagedTable<Item>({ pages, empty, ...table }: PagedTableProps<Item>): JSX.Element {
  const items = pages.items.value;
  if (pages.state.value === "error")
    return <Failed error={pages.error.value} retry={() => void pages.load()} />;
  if (items.length > 0)
    return <RowsTable {...table} items={items} keyOf={pages.keyOf} loadMore={pages.loadMore} />;
  return pages.state.value === "loading" ? <Loading label={`Loading ${table.label.toLowerCase()}`} /> : empty;
}
