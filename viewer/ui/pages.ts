import { batch, signal } from "@preact/signals";
import { ApiError, isAbort } from "../api.ts";
import { goSignIn } from "../router.ts";

interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
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

  /** The next rows: a page that is narrowed by the server may have none, and others after it. */
  async function fetchRows(after: string | null, signal: AbortSignal): Promise<Page<Item>> {
    let page = await fetchPage(after, signal);
    while (page.items.length === 0 && page.next_cursor) page = await fetchPage(page.next_cursor, signal);
    return page;
  }

  function fail(problem: unknown): void {
    if (isAbort(problem)) return;
    if (problem instanceof ApiError && problem.status === 401) {
      goSignIn();
      return;
    }
    batch(() => {
      error.value = problem;
      state.value = "error";
    });
  }

  return {
    items,
    state,
    error,
    async load(): Promise<void> {
      controller.abort();
      controller = new AbortController();
      const { signal } = controller;
      state.value = "loading";
      try {
        const page = await fetchRows(null, signal);
        if (signal.aborted) return;
        batch(() => {
          items.value = page.items;
          cursor = page.next_cursor;
          error.value = null;
          state.value = "ready";
        });
      } catch (problem) {
        if (!signal.aborted) fail(problem);
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
        if (!signal.aborted) fail(problem);
      } finally {
        isLoadingMore = false;
      }
    },
    /** Lays the newest page over what is shown: changed rows change and new ones come on top, without a flicker. */
    async refresh(): Promise<void> {
      if (state.value !== "ready") return;
      const { signal } = controller;
      try {
        const page = await fetchRows(null, signal);
        if (signal.aborted) return;
        const fresh = new Set(page.items.map(keyOf));
        const hasMore = page.next_cursor !== null && items.value.length > page.items.length;
        batch(() => {
          items.value = hasMore
            ? [...page.items, ...items.value.filter((item) => !fresh.has(keyOf(item)))]
            : page.items;
          if (!hasMore) cursor = page.next_cursor;
        });
      } catch (problem) {
        if (!signal.aborted) fail(problem);
      }
    },
    keyOf,
    stop: () => controller.abort(),
  };
}

export type Pages<Item> = ReturnType<typeof createPages<Item>>;
