import type { Me } from "../../server/identity/me/model.ts";
import type { Methods } from "../../server/identity/signin/model.ts";
import type { Attempts } from "../../server/trace/attempts/model.ts";
import type { FailureList } from "../../server/trace/failures/model.ts";
import type { DiffResult, Dimension } from "../../server/trace/format/diff/types.ts";
import type { History, HistoryList } from "../../server/trace/histories/model.ts";
import type { DiskAnswer, StorageAnswer } from "../../server/trace/storage/model.ts";
import type { Facets, SavedSearch, TraceDetail, TraceListItem, TracePage } from "./answers.ts";
import { getJson, postJson, type Query, send, withQuery } from "./request.ts";
import { memberTrace } from "./trace-source.ts";

/** What the pages ask the server for, and have it do. */
export const api = {
  list: (listQuery: Query, signal?: AbortSignal) =>
    getJson<TracePage>(withQuery("/v1/traces", listQuery), signal),
  failures: (failureQuery: Query, signal?: AbortSignal) =>
    getJson<FailureList>(withQuery("/v1/failures", failureQuery), signal),
  histories: (historyQuery: Query, signal?: AbortSignal) =>
    getJson<HistoryList>(withQuery("/v1/histories", historyQuery), signal),
  /** `scenario` is an id or a slug. */
  history: (scenario: string, historyQuery: Query, signal?: AbortSignal) =>
    getJson<History>(withQuery(`/v1/histories/${encodeURIComponent(scenario)}`, historyQuery), signal),
  attempts: (id: string, signal?: AbortSignal) => getJson<Attempts>(`/v1/traces/${id}/attempts`, signal),
  facets: (listQuery: Query, signal?: AbortSignal) =>
    getJson<Facets>(withQuery("/v1/traces/facets", listQuery), signal),
  detail: (id: string, signal?: AbortSignal) =>
    getJson<TraceDetail & TraceListItem>(`/v1/traces/${id}`, signal),
  /** The last trace of the same scenario that passed before; null when there is none. */
  baseline: async (id: string, signal?: AbortSignal) =>
    (await getJson<{ baseline: TraceListItem | null }>(`/v1/traces/${id}/baseline`, signal)).baseline,
  diff: (
    diffQuery: { a: string; b: string; dimension?: Dimension; raw?: boolean | undefined },
    signal?: AbortSignal,
  ) => getJson<DiffResult>(withQuery("/v1/traces/diff", diffQuery), signal),
  setPinned: (id: string, pinned: boolean) =>
    postJson<{ pinned: boolean }>(`/v1/traces/${id}/${pinned ? "pin" : "unpin"}`),
  restore: (id: string) => postJson<{ status: string; eta_seconds: number }>(`/v1/traces/${id}/restore`),
  remove: async (id: string) => {
    await send(`/v1/traces/${id}`, { method: "DELETE" });
  },
  storage: (signal?: AbortSignal) => getJson<StorageAnswer>("/v1/storage", signal),
  disk: (signal?: AbortSignal) => getJson<DiskAnswer>("/v1/storage/disk", signal),
  savedSearches: (signal?: AbortSignal) => getJson<{ items: SavedSearch[] }>("/v1/saved-searches", signal),
  saveSearch: (name: string, search: string) =>
    postJson<SavedSearch>("/v1/saved-searches", { name, query: search }),
  changeSavedSearch: async (id: string, change: Partial<Pick<SavedSearch, "name" | "position">>) => {
    const headers = { "content-type": "application/json" };
    await send(`/v1/saved-searches/${id}`, { method: "PATCH", headers, body: JSON.stringify(change) });
  },
  removeSavedSearch: async (id: string) => {
    await send(`/v1/saved-searches/${id}`, { method: "DELETE" });
  },
  me: (signal?: AbortSignal) => getJson<Me>("/api/v1/me", signal),
  signinMethods: (signal?: AbortSignal) => getJson<Methods>("/v1/session/methods", signal),
  signOut: async () => {
    await send("/v1/session/signout", { method: "POST" });
  },
  exportUrl: (id: string) => `/v1/traces/${id}/export`,
  exportPageUrl: (id: string, maxBytes: number | null) =>
    withQuery(`/v1/traces/${id}/export.html`, { max_bytes: maxBytes ?? undefined }),
  exportPageContents: <T>(id: string, maxBytes: number | null, signal?: AbortSignal): Promise<T> =>
    getJson(withQuery(`/v1/traces/${id}/export.html/contents`, { max_bytes: maxBytes ?? undefined }), signal),
  blobUrl: (id: string, reference: string) => memberTrace(id).blobUrl(reference),
};
