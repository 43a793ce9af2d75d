import type { Attempts } from "../server/trace/attempts/model.ts";
import type { FailureList } from "../server/trace/failures/model.ts";
import type { DiffResult, Dimension } from "../server/trace/format/diff/types.ts";
import type { TraceEvent } from "../server/trace/format/event.ts";
import type { PageMeta } from "../server/trace/format/page-data.ts";
import type { Summary } from "../server/trace/format/summary.ts";
import type { History, HistoryList } from "../server/trace/histories/model.ts";
import type { DiskAnswer, StorageAnswer } from "../server/trace/storage/model.ts";
import type { TraceStatus } from "../store/records/schema.ts";
import type { FoundBodies } from "./trace/find/answer.ts";

export type { TraceStatus };
/** Whether nothing follows the status. */
export const hasEnded = ({ status }: { status: TraceStatus }): boolean =>
  status !== "queued" && status !== "running";

export type Tier = "hot" | "warm" | "cold";
export type Source = "pr" | "schedule" | "manual" | "shadow_diff";
export type Visibility = "org-only" | "public-read";

/** An element of `GET /v1/traces`. */
export interface TraceListItem {
  id: string;
  short_id: string;
  scenario_id: string;
  scenario_slug: string;
  scenario_title: string;
  status: TraceStatus;
  tier: Tier;
  pinned: boolean;
  duration_ms: number;
  code_sha: string | null;
  failure_signature: string | null;
  failure_message: string | null;
  created_at: string;
  source: Source | null;
  error_count: number;
  event_count: number;
  total_size_bytes: number;
  final_screenshot: string | null;
  share_visibility: Visibility | null;
}

type ArtifactUrls = Partial<
  Record<"ndjson" | "video" | "playwright" | "rrweb" | "summary" | "report", string>
>;

/** What only members see of a trace; absent on a shared page. */
interface MemberFacts {
  parent_trace_id: string | null;
  replay_from_step: number | null;
  blob_count: number;
  pr_number: number | null;
  region: string | null;
  run_id: string | null;
  attempt: number | null;
  started_at: string | null;
  ended_at: string | null;
  warnings: string[];
  restore_error: string | null;
  restoring: boolean;
  status_reason: string | null;
  /** When the trace moves to the next tier. */
  expires_at: string | null;
  playwright_viewer_url: string;
}

/** `GET /v1/traces/{id}`, or `/r/{shortId}/trace` without what only members may see. */
export interface TraceDetail
  extends Omit<TraceListItem, "id" | "pinned" | "total_size_bytes" | "source">,
    Partial<MemberFacts>,
    Partial<Pick<TraceListItem, "id" | "pinned" | "total_size_bytes" | "source">> {
  signed_urls: ArtifactUrls;
  failed_step_id: string | null;
  share_expires_at: string | null;
  /** Of an exported file: whether recorded pages are in it. */
  has_pages?: boolean;
}

export interface TracePage {
  items: TraceListItem[];
  next_cursor: string | null;
}

export interface Facets {
  status: Partial<Record<TraceStatus, number>>;
  source: Partial<Record<Source, number>>;
  tier: Partial<Record<Tier, number>>;
  pinned: number;
  scenarios: { id: string; slug: string; title: string; count: number }[];
  signatures: { signature: string; message: string | null; count: number; last_at: string }[];
}

/** A search under a name, as it is typed into the list's field. */
export interface SavedSearch {
  id: string;
  name: string;
  query: string;
  position: number;
}

export interface EventPage {
  events: TraceEvent[];
  total: number;
}

export interface EventQuery {
  step?: string;
  kind?: string;
  q?: string;
  match?: "loose";
  from_seq?: number;
  limit?: number;
  offset?: number;
}

/** `GET …/snapshots/{name}`: a recorded page, and where it opens without its scripts. */
export interface PageSnapshot {
  name: string;
  phase: string | null;
  url: string;
  viewport: { width: number; height: number } | null;
  html_url: string;
  /** The same page with our inspector in it; null in an exported file. */
  inspect_url: string | null;
}

/** A refusal of the server, or 0 when it could not be reached. `message` is made to be shown. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** What went wrong, for people: the server's own words where it gave any. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a request was given up by this page rather than refused. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Turns an error answer's text into an ApiError; bodies that are not ours become the status in words. */
export function toApiError(status: number, body: string): ApiError {
  try {
    const parsed: unknown = JSON.parse(body);
    if (parsed && typeof parsed === "object" && "message" in parsed && "error" in parsed) {
      return new ApiError(status, String(parsed.error), String(parsed.message));
    }
  } catch {
    // Not one of our error bodies: a proxy's page, say.
  }
  return new ApiError(status, "internal", `The server answered ${status}.`);
}

const JSON_ONLY = { accept: "application/json" };
/** Answers that were asked for before the script that reads them was here. Each is taken once. */
const early = new Map<string, Promise<Response>>();

function askEarly(path: string): void {
  const answer = fetch(path, { headers: JSON_ONLY });
  // Whoever takes it is told; nobody may.
  answer.catch(() => {});
  early.set(path, answer);
}

function takeEarly(path: string): Promise<Response> | undefined {
  const answer = early.get(path);
  early.delete(path);
  return answer;
}

/** Sends a request of this page. @throws ApiError for any answer that is no success, and when there is none */
export async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await (takeEarly(path) ?? fetch(path, init));
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(0, "unreachable", "The server cannot be reached. Is it still running?");
  }
  if (response.ok) return response;
  throw toApiError(response.status, await response.text());
}

type Query = object;

function withQuery(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") params.set(key, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/** The JSON of an answer. @throws ApiError */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await send(path, { signal: signal ?? null, headers: JSON_ONLY });
  return (await response.json()) as T;
}

/** Posts a JSON body, or none, and reads the JSON of the answer. @throws ApiError */
export async function postJson<T>(path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method: "POST" };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const response = await send(path, init);
  return (await response.json()) as T;
}

/** Where a trace page stands: in the app, behind a share link, in another site's frame, or in a file of its own. */
export type Sharing = "none" | "page" | "embed" | "file";

/** Everything the trace page reads, wherever it lies: of a member's trace, of a shared link, or of an exported file. */
export interface TraceSource {
  /** Trace id, or short id on a shared page. */
  readonly id: string;
  /** Read-only, with this one trace and nothing besides. */
  readonly isShared: boolean;
  /** What an exported file says of itself; null on a server's page. */
  readonly file: PageMeta | null;
  /** Asks for what the first screen needs, before the page that shows it is loaded. */
  askEarly(): void;
  detail(signal?: AbortSignal): Promise<TraceDetail>;
  summary(signal?: AbortSignal): Promise<Summary>;
  events(query: EventQuery, signal?: AbortSignal): Promise<EventPage>;
  /** Where bodies that are stored apart hold a text, from the one after so many on; null where nobody looks. */
  readonly findInBodies:
    | ((text: string, after: string | null, signal?: AbortSignal) => Promise<FoundBodies>)
    | null;
  /** A recorded page as `dom.snapshot` events name it. */
  snapshot(name: string, page: string, signal?: AbortSignal): Promise<PageSnapshot>;
  /** Server-sent events of the trace after a sequence number, or from its start. */
  streamUrl(after: number | null): string;
  /** Address of a `sha256:<hex>` reference; null when the text is none. */
  blobUrl(reference: string): string | null;
  readonly reportUrl: string;
  /** The failure as a prompt for an agent; null where that is not offered. */
  readonly promptUrl: string | null;
  /** All requests as an HTTP archive, and the DOM recording as NDJSON; null where that is not offered. */
  readonly harUrl: string | null;
  readonly recordingUrl: string | null;
  /** Of the page that replays recordings. */
  readonly playerUrl: string;
}

const REFERENCE = /^sha256:([0-9a-f]{64})$/;

/** The hex of a blob reference, or null when the text is not one. */
export function blobHash(reference: string): string | null {
  return REFERENCE.exec(reference)?.[1] ?? null;
}

function traceSource(id: string, base: string, detailPath: string, isShared: boolean): TraceSource {
  return {
    id,
    isShared,
    askEarly() {
      askEarly(detailPath);
      askEarly(`${base}/summary`);
    },
    detail: (signal) => getJson(detailPath, signal),
    summary: (signal) => getJson(`${base}/summary`, signal),
    events: (eventQuery, signal) => getJson(withQuery(`${base}/events`, eventQuery), signal),
    findInBodies: (text, after, signal) =>
      getJson(withQuery(`${base}/find`, { q: text, after: after ?? undefined }), signal),
    snapshot: (name, page, signal) =>
      getJson(withQuery(`${base}/snapshots/${encodeURIComponent(name)}`, { page }), signal),
    streamUrl: (after) => withQuery(`${base}/stream`, { after: after ?? undefined }),
    blobUrl: (reference) => {
      const hash = blobHash(reference);
      return hash ? `${base}/blob/${hash}` : null;
    },
    file: null,
    reportUrl: `${base}/report.md`,
    promptUrl: isShared ? null : `${base}/prompt.md`,
    harUrl: isShared ? null : `${base}/har`,
    recordingUrl: `${base}/recording`,
    playerUrl: "/player",
  };
}

/** A trace of the signed-in person's organisation. */
export const memberTrace = (id: string) => traceSource(id, `/v1/traces/${id}`, `/v1/traces/${id}`, false);

/** A trace behind a share link: same answers, GET only. */
export const sharedTrace = (shortId: string) =>
  traceSource(shortId, `/r/${shortId}`, `/r/${shortId}/trace`, true);

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
  facets: (signal?: AbortSignal) => getJson<Facets>("/v1/traces/facets", signal),
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
  me: () =>
    getJson<{ user: { email: string; name: string } | null; org: { slug: string; name: string } }>(
      "/api/v1/me",
    ),
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

/** The text of a captured body, cut after `cap` bytes. */
export async function readText(
  url: string,
  cap: number,
  signal: AbortSignal,
): Promise<{ text: string; bytes: number; isCut: boolean }> {
  const response = await send(url, { signal });
  const reader = response.body?.getReader();
  if (!reader) return { text: "", bytes: 0, isCut: false };
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes < cap) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), bytes, isCut: false };
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text, bytes, isCut: true };
}

/** The first bytes of a captured body. */
export async function readBytes(
  url: string,
  cap: number,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const response = await send(url, { signal });
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    isCut = size > cap;
    if (isCut) await reader.cancel();
    if (isCut) break;
  }
  return { bytes: new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()).subarray(0, cap), isCut };
}
