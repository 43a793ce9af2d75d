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
) {
  const items = signal<readonly Item[]>([]);
  const state = signal<"loading" | "ready" | "error">("loading");
  const error = signal<unknown>(null);
  let cursor: string | null = null;
  let isLoadingMore = false;
  let controller = new AbortController();

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
        const page = await fetchPage(null, signal);
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
        const page = await fetchPage(cursor, signal);
        if (signal.aborted) return;
        items.value = [...items.value, ...page.items];
        cursor = page.next_cursor;
      } catch (problem) {
        if (!signal.aborted) fail(problem);
      } finally {
        isLoadingMore = false;
      }
    },
    stop: () => controller.abort(),
  };
}

export type Pages<Item> = ReturnType<typeof createPages<Item>>;
