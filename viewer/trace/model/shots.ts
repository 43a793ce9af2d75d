import type { Shot } from "../../../server/trace/format/summary.ts";
import { blobHash, type TraceSource } from "../../api.ts";
import { createRows, type Rows } from "./rows.ts";
import { createTable } from "./table.ts";

/** Every picture of the trace; the summary has at most a hundred of them. */
export function createShotRows(source: TraceSource): Rows<Shot> {
  const table = createTable<Shot>(
    { seq: "count", ts: "number", blob: "text", width: "real", height: "real", page: "word" },
    ["page"],
  );
  return createRows(source, "screenshot", (kind) => kind === "screenshot", {
    add(event) {
      const { blob, width, height, page } = event;
      if (typeof blob !== "string" || !blobHash(blob)) return;
      table.add({
        seq: event.seq,
        ts: event.ts,
        blob,
        width: typeof width === "number" ? width : 0,
        height: typeof height === "number" ? height : 0,
        ...(typeof page === "string" ? { page } : {}),
      });
    },
    snapshot: () => table.list().toSorted((a, b) => a.ts - b.ts),
  });
}

/** The last picture at or before a moment, else the first one. Shots are ordered by time. */
export function shotAt(shots: readonly Shot[], ts: number): Shot | null {
  let low = 0;
  let high = shots.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shots[middle]?.ts ?? 0) <= ts) low = middle + 1;
    else high = middle;
  }
  return shots[Math.max(0, low - 1)] ?? null;
}
