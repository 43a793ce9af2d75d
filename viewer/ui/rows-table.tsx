import type { ComponentChildren, JSX } from "preact";
import { isNarrow } from "./media.ts";
import { Failed, Loading } from "./message.tsx";
import type { Pages } from "./pages.ts";
import { TableHead, type TableHeadProps } from "./table-head.tsx";
import { VirtualList } from "./virtual.tsx";

const ROW = 28;
/** Rows below the last one on screen when more are asked for. */
const AHEAD = 30;

/** What a row has besides its cells. */
interface RowExtras {
  class?: string;
  onPointerEnter?: (event: PointerEvent) => void;
  onPointerLeave?: () => void;
}

interface RowsTableProps<Item> extends TableHeadProps {
  /** What the rows are, for those who do not see them: "Runs". */
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The chosen row, which is kept in view; -1 for none. */
  active: number;
  /** Its cells; on a narrow screen the lines of a card. */
  cells: (item: Item) => ComponentChildren;
  /** Height of such a card in CSS pixels. */
  cardHeight: number;
  extras?: (item: Item) => RowExtras;
  /** Where there may be more rows than these: asks for them. */
  loadMore?: () => Promise<void>;
}

/** Rows under the names of their columns; on a narrow screen a card each. */
export function RowsTable<Item>(props: RowsTableProps<Item>): JSX.Element {
  const { label, items, keyOf, active, cells, cardHeight, extras, loadMore, ...head } = props;
  const narrow = isNarrow.value;
  return (
    <div class="list-table" role="table" aria-label={label} aria-rowcount={loadMore ? -1 : items.length + 1}>
      {!narrow && <TableHead {...head} />}
      <VirtualList
        label={label}
        role="rowgroup"
        count={items.length}
        rowHeight={narrow ? cardHeight : ROW}
        active={active}
        onRange={(_, last) => {
          if (last > items.length - AHEAD) void loadMore?.();
        }}
        row={(index, style) => {
          const item = items[index];
          if (!item) return null;
          const { class: more, ...handlers } = extras?.(item) ?? {};
          const names = ["row", narrow ? "list-card" : head.class, index === active && "is-active", more];
          return (
            <div
              key={keyOf(item)}
              class={names.filter(Boolean).join(" ")}
              role="row"
              aria-rowindex={index + 2}
              style={style}
              {...handlers}
            >
              {cells(item)}
            </div>
          );
        }}
      />
    </div>
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
