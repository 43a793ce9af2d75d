import { signal } from "@preact/signals";
import type { Facets, TraceListItem, TracePage } from "../../api/answers.ts";
import { api } from "../../api/calls.ts";
import { tellFailure } from "../../ui/failing.ts";
import { createLivePages } from "../../ui/live-pages.ts";
import { filters, toApiQuery } from "./filters.ts";

const PAGE = 100;
/** Rows that fill a window. */
const ENOUGH = 60;
const FACETS_MS = 1000;

/** A search by duration or size may answer with few rows, or none, and have others after them. */
async function fetchPage(after: string | null, signal: AbortSignal): Promise<TracePage> {
  const wanted = { ...toApiQuery(filters.peek(), Date.now()), limit: PAGE };
  let page = await api.list({ ...wanted, cursor: after }, signal);
  const found = page.items;
  while (page.next_cursor && found.length < ENOUGH) {
    page = await api.list({ ...wanted, cursor: page.next_cursor }, signal);
    found.push(...page.items);
  }
  return { items: found, next_cursor: page.next_cursor };
}

/** The rows of the list, page by page, and what they can be narrowed by, kept fresh by the server's events. */
export function createListModel() {
  const rows = createLivePages<TraceListItem>({
    fetchPage,
    show: (id) => api.detail(id),
    newsUrl: "/v1/traces/live",
  });
  const facets = signal<Facets | null>(null);
  let facetsTimer: ReturnType<typeof setTimeout> | null = null;
  let facetsAsked = new AbortController();

  /** Counts of each value under the other filters; the last to be asked for are shown. */
  async function loadFacets(): Promise<void> {
    facetsAsked.abort();
    const asked = new AbortController();
    facetsAsked = asked;
    try {
      const counted = await api.facets(toApiQuery(filters.peek(), Date.now()), asked.signal);
      if (!asked.signal.aborted) facets.value = counted;
    } catch (problem) {
      if (!asked.signal.aborted) tellFailure(problem);
    }
  }

  function patch(id: string, change: Partial<TraceListItem>): void {
    rows.items.value = rows.items.value.map((item) => (item.id === id ? { ...item, ...change } : item));
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

  /** Listens for changes until the returned function is called. */
  function follow(): () => void {
    const end = rows.follow(() => {
      facetsTimer ??= setTimeout(() => {
        facetsTimer = null;
        void loadFacets();
      }, FACETS_MS);
    });
    return () => {
      end();
      if (facetsTimer) clearTimeout(facetsTimer);
    };
  }

  return { rows, facets, loadFacets, setPinned, follow };
}

export type ListModel = ReturnType<typeof createListModel>;
