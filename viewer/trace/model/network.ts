import type { TraceEvent } from "../../../server/trace/format/event.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { markOf } from "./mark.ts";
import type { RowList } from "./row-list.ts";
import { type Collector, createRows, type Rows } from "./rows.ts";
import { createTable } from "./table.ts";

export interface NetworkRow {
  /** Of the first event of the exchange; names the row. */
  seq: number;
  /** What the messages of a WebSocket call it; null for any other exchange. */
  requestId: string | null;
  requestSeq: number | null;
  responseSeq: number | null;
  ts: number;
  method: string;
  url: string;
  /** Null while no answer came. */
  status: number | null;
  durationMs: number | null;
  /** As `phasesOf` reads it; null where no timing was recorded. */
  phases: string | null;
  type: string;
  size: number | null;
  stepId: string | null;
  /** Of the step's id: tells most apart without reading it. */
  stepMark: number;
  error: string | null;
  /** Whether there is an error. */
  hasError: boolean;
}

const MAX_URL = 600;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** What the type column says: the recorded resource type, else a guess from the media type. */
function typeOf(event: TraceEvent): string {
  const recorded = text(event.resource_type);
  if (recorded) return recorded.slice(0, 24).toLowerCase();
  const media = text(event.media_type).toLowerCase();
  if (media.includes("json")) return "fetch";
  if (media.startsWith("image/")) return "image";
  if (media.includes("javascript")) return "script";
  if (media.includes("css")) return "stylesheet";
  if (media.includes("html")) return "document";
  if (media.includes("font")) return "font";
  return "";
}

export const SOCKET = "websocket";

/** Until a request was sent, and from then until the answer began; ms. */
export function phasesOf(row: NetworkRow): { sentMs: number; waitMs: number } | null {
  const [sentMs, waitMs] = row.phases?.split(" ").map(Number) ?? [];
  return sentMs === undefined || waitMs === undefined ? null : { sentMs, waitMs };
}

export const isBad = (row: NetworkRow): boolean => row.hasError || (row.status !== null && row.status >= 400);

function networkCollector(): Collector<NetworkRow, RowList<NetworkRow>> {
  const table = createTable<NetworkRow>({
    seq: "near",
    requestId: "text",
    requestSeq: "behind",
    responseSeq: "behind",
    ts: "near",
    method: "word",
    url: "text",
    status: "word",
    durationMs: "real",
    phases: "text",
    type: "word",
    size: "real",
    stepId: "text",
    stepMark: "number",
    error: "text",
    hasError: "flag",
  });
  const open = new Map<string, NetworkRow>();

  function setType(row: NetworkRow, event: TraceEvent): void {
    row.type = typeOf(event);
    if (row.type === SOCKET) row.requestId = text(event.request_id);
  }

  function start(event: TraceEvent): NetworkRow {
    const row = table.add({
      seq: event.seq,
      requestId: null,
      requestSeq: null,
      responseSeq: null,
      ts: event.ts,
      method: text(event.method).slice(0, 16) || "GET",
      url: text(event.url).slice(0, MAX_URL),
      status: null,
      durationMs: null,
      phases: null,
      type: "",
      size: null,
      stepId: event.step_id ?? null,
      stepMark: markOf(event.step_id ?? null),
      error: null,
      hasError: false,
    });
    setType(row, event);
    return row;
  }

  function addResponse(event: TraceEvent): void {
    const id = text(event.request_id);
    const known = open.get(id);
    const row = known ?? start(event);
    open.delete(id);
    row.responseSeq = event.seq;
    row.status = number(event.status);
    row.durationMs = number(event.duration_ms);
    row.size = number(event.body_size);
    const timing = event.timing;
    if (timing && typeof timing === "object") {
      const phase = (name: string): number =>
        Math.max(0, number((timing as Record<string, unknown>)[name]) ?? 0);
      row.phases = `${phase("blocked") + phase("dns") + phase("connect") + phase("send")} ${phase("wait")}`;
    }
    if (!row.type) setType(row, event);
    if (!known && row.durationMs !== null) row.ts = event.ts - row.durationMs;
    if (event.error !== undefined && event.error !== null) {
      row.error = text(event.error).slice(0, 300) || "failed";
      row.hasError = true;
    }
  }

  return {
    add(event) {
      if (event.kind === "network.response") return addResponse(event);
      const row = start(event);
      if (event.kind !== "network.request") {
        row.method = event.kind.slice("network.".length);
        return;
      }
      row.requestSeq = event.seq;
      const id = text(event.request_id);
      if (id) open.set(id, row);
    },
    snapshot: table.list,
    settle: table.trim,
  };
}

/** Messages over WebSockets are many and belong to their exchange: the list does without them. */
export const FRAME = "network.websocket_frame";
const MAX_KINDS = 900;

/** The kinds to ask for of a trace with these counts of events per kind. */
function kindsOf(counts: Record<string, number>): string {
  if (!counts[FRAME]) return "network.*";
  const kinds = Object.keys(counts).filter(
    (kind) => kind.startsWith("network.") && kind !== FRAME && !/[,*]/.test(kind),
  );
  const list = kinds.join();
  return list === "" || list.length > MAX_KINDS ? "network.request,network.response" : list;
}

export function createNetworkRows(
  source: TraceSource,
  counts: () => Record<string, number>,
): Rows<NetworkRow, RowList<NetworkRow>> {
  return createRows(
    source,
    () => kindsOf(counts()),
    (kind) => kind.startsWith("network.") && kind !== FRAME,
    networkCollector(),
  );
}
