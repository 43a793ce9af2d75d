import { batch, signal } from "@preact/signals";
import { isDealtWith, tellFailure } from "./failing.ts";

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

interface Refreshing<Item> {
  /** Whether a row belongs below the last of the newest page; one that does not, and is not in the page, is gone. */
  isBelow?: (item: Item, last: Item) => boolean;
  /** A row below the newest page as it is now; null when it is gone. */
  renew?: (item: Item) => Promise<Item | null>;
}

/** The rows of a list that the server gives page by page. A new question drops the answer on its way. */
export function createPages<Item>(
  fetchPage: (cursor: string | null, signal: AbortSignal) => Promise<Page<Item>>,
  keyOf: (item: Item) => string,
) {
  const items = signal<readonly Item[]>([]);
  const state = signal<"loading" | "ready" | "error">("loading");
  const error = signal<unknown>(null);
  let cursor: string | null = null;
  let isLoadingMore = false;
  let controller = new AbortController();
  /** What came while the rows were on their way: they may be from before it. */
  let missed: Refreshing<Item> | null = null;
  /** Questions for the newest page that were put, and the last of them whose answer is shown. */
  let asked = 0;
  let shown = 0;

  /** The next rows: a page that is narrowed by the server may have none, and others after it. */
  async function fetchRows(after: string | null, signal: AbortSignal): Promise<Page<Item>> {
    let page = await fetchPage(after, signal);
    while (page.items.length === 0 && page.next_cursor) page = await fetchPage(page.next_cursor, signal);
    return page;
  }

  /** Lays the newest page over what is shown: changed rows change and new ones come on top, without a flicker. */
  async function refresh(how: Refreshing<Item> = {}): Promise<void> {
    if (state.value === "loading") missed = how;
    if (state.value !== "ready") return;
    const { isBelow = () => true, renew = async (item) => item } = how;
    const { signal } = controller;
    asked += 1;
    const request = asked;
    try {
      const page = await fetchRows(null, signal);
      const fresh = new Set(page.items.map(keyOf));
      const last = page.items.at(-1);
      const rowsBelow = (): Item[] =>
        last && page.next_cursor !== null
          ? items.value.filter((item) => !fresh.has(keyOf(item)) && isBelow(item, last))
          : [];
      const renewed = new Map(
        await Promise.all(rowsBelow().map(async (item) => [keyOf(item), await renew(item)] as const)),
      );
      // A later question may be answered sooner.
      if (signal.aborted || request < shown) return;
      shown = request;
      const below = rowsBelow().flatMap((item) => {
        const now = renewed.get(keyOf(item));
        // Rows that came meanwhile are as new as can be.
        return now === undefined ? [item] : now === null ? [] : [now];
      });
      batch(() => {
        items.value = [...page.items, ...below];
        if (below.length === 0) cursor = page.next_cursor;
      });
    } catch (problem) {
      if (!signal.aborted) tellFailure(problem);
    }
  }

  return {
    items,
    state,
    error,
    refresh,
    async load(): Promise<void> {
      controller.abort();
      controller = new AbortController();
      const { signal } = controller;
      state.value = "loading";
      missed = null;
      try {
        const page = await fetchRows(null, signal);
        if (signal.aborted) return;
        batch(() => {
          items.value = page.items;
          cursor = page.next_cursor;
          error.value = null;
          state.value = "ready";
        });
        if (missed) void refresh(missed);
      } catch (problem) {
        if (signal.aborted || isDealtWith(problem)) return;
        batch(() => {
          items.value = [];
          cursor = null;
          error.value = problem;
          state.value = "error";
        });
      }
    },
    async loadMore(): Promise<void> {
      if (!cursor || isLoadingMore || state.value !== "ready") return;
      isLoadingMore = true;
      const { signal } = controller;
      try {
        const page = await fetchRows(cursor, signal);
        if (signal.aborted) return;
        const known = new Set(items.value.map(keyOf));
        items.value = [...items.value, ...page.items.filter((item) => !known.has(keyOf(item)))];
        cursor = page.next_cursor;
      } catch (problem) {
        if (!signal.aborted) tellFailure(problem);
      } finally {
        isLoadingMore = false;
      }
    },
    keyOf,
    stop: () => controller.abort(),
  };
}

export type Pages<Item> = ReturnType<typeof createPages<Item>>;
