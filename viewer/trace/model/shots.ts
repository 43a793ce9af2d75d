import type { Shot } from "../../../server/trace/format/summary.ts";
import { blobHash, type TraceSource } from "../../api/trace-source.ts";
import { type RowList, sortRows } from "./row-list.ts";
import { createRows, type Rows } from "./rows.ts";
import { lowerBoundBy } from "./sorted.ts";
import { createTable } from "./table.ts";

/** Every picture of the trace; the summary has at most a hundred of them. */
export function createShotRows(source: TraceSource): Rows<Shot, RowList<Shot>> {
  const table = createTable<Shot>(
    { seq: "near", ts: "near", blob: "text", width: "real", height: "real", page: "word" },
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
    snapshot: () => sortRows(table.list(), ({ ts }) => ts),
    settle: table.trim,
  });
}

/** The last picture at or before a moment, else the first one. Shots are ordered by time. */
export function shotAt(shots: RowList<Shot>, ts: number): Shot | null {
  const after = lowerBoundBy(shots.length, (at) => shots.at(at)?.ts ?? 0, ts, { isAbove: true });
  return shots.at(Math.max(0, after - 1)) ?? null;
}
