import type { ComponentChildren, CSSProperties, JSX } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { isServer } from "../where.ts";
import { isPrinted } from "./media.ts";
import { equalHeights, type RowHeights } from "./row-heights.ts";

interface VirtualListProps {
  count: number;
  /** Height of every row in CSS pixels, or of each. */
  rowHeight: number | RowHeights;
  row: (index: number, style: CSSProperties) => ComponentChildren;
  /** Row to keep in view whenever it changes; -1 for none. */
  active?: number;
  label: string;
  id?: string;
  role?: "list" | "listbox" | "rowgroup" | "tree" | "presentation";
  class?: string;
  /** The rows on screen, after each scroll: for loading more. */
  onRange?: (first: number, last: number) => void;
  activeId?: string | null;
  isFocusable?: boolean;
  /** Least width of the rows: wider ones scroll sideways. */
  minWidth?: string;
}

const OVERSCAN = 8;
const MOST_PRINTED = 1000;
/** Taken for the height until the browser tells it, before anything is painted. */
const LIKELY_HEIGHT = 800;

/**
 * Where a list has to be scrolled to so that a row is in view, moving as little as possible.
 * @returns the same `top` when the row is in view already.
 */
export function revealed(row: number, heights: RowHeights, top: number, height: number): number {
  const start = heights.top(row);
  if (start < top) return start;
  return Math.max(top, heights.top(row + 1) - height);
}

/**
 * The rows to have in the document: those in view and a few more on either side.
 * @returns the first, and the one after the last.
 */
export function rowsInView(heights: RowHeights, top: number, height: number): readonly [number, number] {
  const { count } = heights;
  // A list that became shorter is scrolled back by the browser, which tells so a frame later.
  const start = Math.min(top, Math.max(0, heights.top(count) - height));
  const first = Math.max(0, heights.at(start) - OVERSCAN);
  return [first, Math.min(count, heights.at(start + height) + 1 + OVERSCAN)];
}

/** Shows the rows down to `end` at the lower edge, as `revealed` does, where nothing can be scrolled yet. */
const unscrolled = (end: number): CSSProperties => ({ top: `min(0px, calc(100% - ${end}px))` });

const shownRows = (row: VirtualListProps["row"], first: number, after: number, heights: RowHeights) =>
  Array.from({ length: Math.max(0, after - first) }, (_, index) => {
    const top = heights.top(first + index);
    return row(first + index, {
      height: `${heights.top(first + index + 1) - top}px`,
      transform: `translateY(${top}px)`,
    });
  });

/** A scrolling list that has only the rows on screen in the document, whatever its length. */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { count, rowHeight } = props;
  const heights = typeof rowHeight === "number" ? equalHeights(count, rowHeight) : rowHeight;
  const active = props.active ?? -1;
  const scroller = useRef<HTMLDivElement>(null);
  const [, rerender] = useReducer((renders: number) => renders + 1, 0);
  const hasActive = active >= 0 && active < count;
  const view = useRef<{ top: number; height: number; isMeasured: boolean } | null>(null);
  view.current ??= {
    top: hasActive ? revealed(active, heights, 0, LIKELY_HEIGHT) : 0,
    height: LIKELY_HEIGHT,
    isMeasured: false,
  };
  const at = view.current;
  // On paper nothing can be scrolled.
  const [first, after] = isPrinted.value
    ? [0, Math.min(count, MOST_PRINTED)]
    : rowsInView(heights, at.top, at.height);
  const shown = useRef<readonly [number, number]>([first, after]);
  shown.current = [first, after];

  /** Takes over where the list is scrolled to, and draws it anew when that brings other rows. */
  const moveTo = (top: number, height: number): void => {
    at.top = top;
    at.height = height;
    const [from, to] = rowsInView(heights, top, height);
    if (from !== shown.current[0] || to !== shown.current[1]) rerender(undefined);
  };
  const bringIntoView = (): void => {
    if (!scroller.current || !hasActive) return;
    const top = revealed(active, heights, at.top, at.height);
    if (top === at.top && at.isMeasured) return;
    scroller.current.scrollTop = top;
    moveTo(scroller.current.scrollTop, at.height);
  };
  // No function here may hold the properties: the first ones, kept with the list, would hold the rows they were made of.
  const latest = useRef({ bringIntoView, moveTo, onRange: props.onRange });
  latest.current = { bringIntoView, moveTo, onRange: props.onRange };

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      // One that is hidden comes back as it was.
      const height = entry?.contentRect.height ?? 0;
      if (height === 0) return;
      if (!at.isMeasured) {
        at.top = 0;
        at.height = height;
        latest.current.bringIntoView();
        at.isMeasured = true;
      }
      latest.current.moveTo(at.top, height);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (at.isMeasured) bringIntoView();
  }, [active, count === 0]);
  useEffect(() => {
    if (after > first) latest.current.onRange?.(first, after - 1);
  }, [first, after, count]);

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
      onScroll={(event) => {
        if (event.currentTarget === event.target) moveTo(event.currentTarget.scrollTop, at.height);
      }}
    >
      <div
        class="virtual"
        role="presentation"
        style={{
          height: `${heights.top(isPrinted.value ? after : count)}px`,
          minWidth: props.minWidth ?? "0",
          ...(isServer && hasActive ? unscrolled(heights.top(active + 1)) : {}),
        }}
      >
        {shownRows(props.row, first, after, heights)}
      </div>
    </div>
  );
}
