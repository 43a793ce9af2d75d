import { batch, signal } from "@preact/signals";
import { ApiError, api, type Facets, isAbort, type TraceListItem, type TracePage } from "../../api.ts";
import { goSignIn } from "../../router.ts";
import { type Filters, toApiQuery } from "./filters.ts";

const PAGE = 100;
/** Rows that fill a window. */
const ENOUGH = 60;
const SETTLE_MS = 250;
const FACETS_MS = 1000;

/** Sends who is not signed in to the sign-in page; other errors stay where they are. */
function isSignedOut(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 401) return false;
  goSignIn();
  return true;
}

/** The rows of the list, page by page, kept fresh by the server's events. One per shown list page. */
export function createListModel() {
  const items = signal<readonly TraceListItem[]>([]);
  const state = signal<"loading" | "ready" | "error">("loading");
  const error = signal<unknown>(null);
  const facets = signal<Facets | null>(null);
  const isLive = signal(false);
  let filters: Filters | null = null;
  let cursor: string | null = null;
  let isLoadingMore = false;
  let controller = new AbortController();
  let refreshTimer: ReturnType<typeof setTimeout> | null = null;
  let facetsTimer: ReturnType<typeof setTimeout> | null = null;
  const changed = new Set<string>();

  /** A search by duration or size may answer with few rows, or none, and have others after them. */
  async function fetchPage(after: string | null, signal: AbortSignal): Promise<TracePage> {
    const wanted = { ...(filters ? toApiQuery(filters, Date.now()) : {}), limit: PAGE };
    let page = await api.list({ ...wanted, cursor: after }, signal);
    const found = page.items;
    while (page.next_cursor && found.length < ENOUGH) {
      page = await api.list({ ...wanted, cursor: page.next_cursor }, signal);
      found.push(...page.items);
    }
    return { items: found, next_cursor: page.next_cursor };
  }

  async function load(next: Filters): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    filters = next;
    state.value = "loading";
    try {
      const page = await fetchPage(null, signal);
      batch(() => {
        items.value = page.items;
        cursor = page.next_cursor;
        error.value = null;
        state.value = "ready";
      });
    } catch (problem) {
      if (isAbort(problem) || signal.aborted || isSignedOut(problem)) return;
      batch(() => {
        items.value = [];
        cursor = null;
        error.value = problem;
        state.value = "error";
      });
    }
  }

  async function loadMore(): Promise<void> {
    if (!cursor || isLoadingMore || state.value !== "ready") return;
    isLoadingMore = true;
    const { signal } = controller;
    try {
      const page = await fetchPage(cursor, signal);
      if (signal.aborted) return;
      const known = new Set(items.value.map((item) => item.id));
      items.value = [...items.value, ...page.items.filter((item) => !known.has(item.id))];
      cursor = page.next_cursor;
    } catch (problem) {
      if (!isAbort(problem) && !isSignedOut(problem)) error.value = problem;
    } finally {
      isLoadingMore = false;
    }
  }

  async function loadFacets(): Promise<void> {
    try {
      facets.value = await api.facets();
    } catch (problem) {
      if (!isSignedOut(problem)) error.value ??= problem;
    }
  }

  /** Takes the newest page again and lays it over what is shown: changed rows change, new ones come on top. */
  async function refresh(): Promise<void> {
    refreshTimer = null;
    const { signal } = controller;
    const ids = new Set(changed);
    changed.clear();
    try {
      const page = await fetchPage(null, signal);
      if (signal.aborted) return;
      const fresh = new Map(page.items.map((item) => [item.id, item]));
      const oldest = page.items.at(-1);
      const below = items.value.filter(
        (item) => !fresh.has(item.id) && page.next_cursor && oldest && item.id < oldest.id,
      );
      const further = below.filter((item) => ids.has(item.id));
      const details = new Map(
        await Promise.all(
          further.map(
            async (item) => [item.id, await api.detail(item.id, signal).catch(() => item)] as const,
          ),
        ),
      );
      if (signal.aborted) return;
      batch(() => {
        items.value = [...page.items, ...below.map((item) => details.get(item.id) ?? item)];
        if (below.length === 0) cursor = page.next_cursor;
        state.value = "ready";
        error.value = null;
      });
    } catch (problem) {
      if (!isAbort(problem) && !isSignedOut(problem)) error.value = problem;
    }
  }

  function noteChange(id: string): void {
    changed.add(id);
    refreshTimer ??= setTimeout(refresh, SETTLE_MS);
    facetsTimer ??= setTimeout(() => {
      facetsTimer = null;
      void loadFacets();
    }, FACETS_MS);
  }

  function patch(id: string, change: Partial<TraceListItem>): void {
    items.value = items.value.map((item) => (item.id === id ? { ...item, ...change } : item));
  }

  async function setPinned(item: TraceListItem, pinned: boolean): Promise<void> {
    patch(item.id, { pinned });
    try {
      patch(item.id, await api.setPinned(item.id, pinned));
    } catch (problem) {
      patch(item.id, { pinned: item.pinned });
      throw problem;
    }
  }

  /** Listens for changes until the returned function is called. The browser reconnects by itself. */
  function follow(): () => void {
    const stream = new EventSource("/v1/traces/live");
    let wasLost = false;
    stream.onopen = () => {
      isLive.value = true;
      if (wasLost) noteChange("");
      wasLost = false;
    };
    stream.onerror = () => {
      isLive.value = false;
      wasLost = true;
    };
    stream.onmessage = (message: MessageEvent<string>) => {
      const change: unknown = JSON.parse(message.data);
      if (change && typeof change === "object" && "id" in change) noteChange(String(change.id));
    };
    return () => {
      stream.close();
      controller.abort();
      if (refreshTimer) clearTimeout(refreshTimer);
      if (facetsTimer) clearTimeout(facetsTimer);
    };
  }

  return { items, state, error, facets, isLive, load, loadMore, loadFacets, noteChange, setPinned, follow };
}

export type ListModel = ReturnType<typeof createListModel>;
