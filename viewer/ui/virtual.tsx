import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import type { ComponentChildren, CSSProperties, JSX } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

type ListVirtualizer = Virtualizer<HTMLDivElement, HTMLElement>;

export interface ListHandle {
  /** Scrolls as little as needed to show a row. */
  reveal(index: number): void;
  isAtEnd(): boolean;
  scrollToEnd(): void;
}

interface VirtualListProps {
  count: number;
  /** Height of every row in CSS pixels. */
  rowHeight: number;
  row: (index: number, style: CSSProperties) => ComponentChildren;
  /** Row to keep in view whenever it changes; -1 for none. */
  active?: number;
  label: string;
  id?: string;
  role?: "list" | "listbox" | "rowgroup" | "tree" | "presentation";
  class?: string;
  handle?: { current: ListHandle | null };
  /** The rows on screen, after each scroll: for loading more. */
  onRange?: (first: number, last: number) => void;
  activeId?: string | null;
  isFocusable?: boolean;
  /** Shown above the rows, scrolling with them. */
  header?: ComponentChildren;
  /** Least width of the rows: wider ones scroll sideways. */
  minWidth?: string;
}

const OVERSCAN = 8;

/** A scrolling list that has only the rows on screen in the document, whatever its length. */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { count, rowHeight } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [, rerender] = useReducer((turn: number) => turn + 1, 0);
  const options: VirtualizerOptions<HTMLDivElement, HTMLElement> = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    initialRect: { width: 0, height: 800 },
    onChange: () => rerender(undefined),
  };
  const [virtualizer] = useState<ListVirtualizer>(() => new Virtualizer(options));
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [rowHeight]);

  if (props.handle) {
    props.handle.current = {
      reveal: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
      isAtEnd: () => virtualizer.isAtEnd(rowHeight * 2),
      scrollToEnd: () => virtualizer.scrollToIndex(Math.max(0, count - 1), { align: "end" }),
    };
  }
  const active = props.active ?? -1;
  useEffect(() => {
    if (active >= 0 && active < count) virtualizer.scrollToIndex(active, { align: "auto" });
  }, [active, count === 0]);

  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= 0) props.onRange?.(first, last);
  }, [first, last, count]);

  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: every role it is given supports a name
    <div
      ref={scroller}
      class={props.class ? `scroll ${props.class}` : "scroll"}
      id={props.id}
      role={props.role ?? "list"}
      aria-label={props.label}
      aria-activedescendant={props.activeId ?? undefined}
      tabIndex={props.isFocusable === false ? -1 : 0}
    >
      {props.header}
      <div
        class="virtual"
        role="presentation"
        style={{ height: `${virtualizer.getTotalSize()}px`, minWidth: props.minWidth ?? "0" }}
      >
        {items.map((item) =>
          props.row(item.index, { height: `${rowHeight}px`, transform: `translateY(${item.start}px)` }),
        )}
      </div>
    </div>
  );
}
