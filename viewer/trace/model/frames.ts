import type { TraceSource } from "../../api/trace-source.ts";
import { FRAME } from "./network.ts";
import { asking, createRows, type Rows } from "./rows.ts";

/** A message over a WebSocket. */
export interface FrameRow {
  seq: number;
  ts: number;
  isSent: boolean;
  opcode: number;
  /** In bytes. */
  size: number;
  /** The beginning of it; null for what is no text. */
  text: string | null;
}

const MAX_TEXT = 300;

/** The messages of one connection. */
export function createFrameRows(source: TraceSource, requestId: string): Rows<FrameRow> {
  const rows: FrameRow[] = [];
  return createRows(asking(source, { q: JSON.stringify(requestId) }), FRAME, (kind) => kind === FRAME, {
    add(event) {
      if (event.request_id !== requestId) return;
      const { opcode, size, text } = event;
      rows.push({
        seq: event.seq,
        ts: event.ts,
        isSent: event.direction === "sent",
        opcode: typeof opcode === "number" ? opcode : 1,
        size: typeof size === "number" && size >= 0 ? size : typeof text === "string" ? text.length : 0,
        text: typeof text === "string" ? text.slice(0, MAX_TEXT) : null,
      });
    },
    snapshot: () => rows.slice(),
  });
}
