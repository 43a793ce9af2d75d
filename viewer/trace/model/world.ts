import { numberIn, type TraceEvent } from "../../../server/trace/format/event.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { createRows, type Rows } from "./rows.ts";
import { isWorldKind } from "./tabs.ts";

export interface WorldRow {
  seq: number;
  ts: number;
  stepId: string | null;
  kind: string;
  /** What changed: `payments charges/ch_1`, the clock, the address of an injection. */
  subject: string;
  /** What it became, on one line and cut. */
  value: string;
  /** Of a stand-in: which entry this is; null for everything else. */
  entry: string | null;
  isRemoved: boolean;
  /** Milliseconds that the clock was moved by. */
  movedBy: number;
}

const MAX_VALUE = 300;
const text = (value: unknown, max = 300): string => (typeof value === "string" ? value.slice(0, max) : "");

/** A recorded value as one text: JSON, or the text itself. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function toRow(event: TraceEvent): WorldRow {
  const { seq, ts, kind } = event;
  const row: WorldRow = {
    seq,
    ts,
    stepId: event.step_id ?? null,
    kind,
    subject: kind,
    value: "",
    entry: null,
    isRemoved: false,
    movedBy: 0,
  };
  if (kind.startsWith("clone.")) {
    row.subject = `${text(event.service)} ${text(event.key)}`.trim() || kind;
    row.entry = `${text(event.service)}\u0000${text(event.key)}`;
    row.value = valueText(event.after).slice(0, MAX_VALUE);
    row.isRemoved = event.after === null || event.after === undefined;
  } else if (kind.startsWith("clock.")) {
    row.subject = "Clock";
    row.movedBy = typeof event.by_ms === "number" && Number.isFinite(event.by_ms) ? event.by_ms : 0;
    row.value = row.movedBy === 0 ? valueText(event.to).slice(0, MAX_VALUE) : "";
  } else {
    row.subject = text(event.url, 600) || kind;
    row.value =
      kind === "latency_injection"
        ? `${numberIn(event.ms) || 0} ms later`
        : `answered ${event.status === undefined ? valueText(event.error).slice(0, 100) || "with an error" : numberIn(event.status) || 0}`;
  }
  return row;
}

/** What was moved and what changed around the page: stand-ins, clock, injected faults. */
export function createWorldRows(source: TraceSource): Rows<WorldRow> {
  const rows: WorldRow[] = [];
  return createRows(source, "clone.*,clock.*,error_injection,latency_injection", isWorldKind, {
    add: (event) => void rows.push(toRow(event)),
    snapshot: () => rows.slice(),
  });
}

export interface WorldAt {
  /** The last known state of each entry of a stand-in. */
  entries: WorldRow[];
  /** Milliseconds that the clock stands ahead; 0 when it was not moved. */
  ahead: number;
  injections: WorldRow[];
}

/** The world at a moment (epoch ms), from rows in the order of their numbers. */
export function worldAt(rows: readonly WorldRow[], ts: number): WorldAt {
  const entries = new Map<string, WorldRow>();
  const injections = new Map<string, WorldRow>();
  let ahead = 0;
  for (const row of rows) {
    if (row.ts > ts) continue;
    if (row.entry !== null) {
      if (row.isRemoved) entries.delete(row.entry);
      else entries.set(row.entry, row);
    } else if (row.kind.endsWith("_injection")) injections.set(`${row.kind} ${row.subject}`, row);
    else ahead += row.movedBy;
  }
  return { entries: [...entries.values()], ahead, injections: [...injections.values()] };
}
