import { plainText } from "../../../server/trace/format/error-text.ts";
import { titleOf } from "../../../server/trace/format/summary-steps.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { markOf } from "./mark.ts";
import type { RowList } from "./row-list.ts";
import { createRows, type Rows } from "./rows.ts";
import { createTable } from "./table.ts";

export interface ExpectRow {
  seq: number;
  ts: number;
  durationMs: number;
  stepId: string | null;
  /** Of the step's id: tells most apart without reading it. */
  stepMark: number;
  isOk: boolean;
  title: string;
  /** The first line of the message of one that failed. */
  message: string;
}

const MAX_TEXT = 300;

/** Every expectation of the trace; values are asked for by `seq`. */
export function createExpectRows(source: TraceSource): Rows<ExpectRow, RowList<ExpectRow>> {
  const table = createTable<ExpectRow>({
    seq: "near",
    ts: "near",
    durationMs: "real",
    stepId: "text",
    stepMark: "number",
    isOk: "flag",
    title: "text",
    message: "text",
  });
  return createRows(source, "assertion", (kind) => kind === "assertion", {
    add(event) {
      const isOk = event.ok !== false;
      const message = typeof event.message === "string" && !isOk ? plainText(event.message, MAX_TEXT) : "";
      table.add({
        seq: event.seq,
        ts: event.ts,
        durationMs: typeof event.duration_ms === "number" ? event.duration_ms : 0,
        stepId: event.step_id ?? null,
        stepMark: markOf(event.step_id ?? null),
        isOk,
        title: titleOf(event).slice(0, MAX_TEXT),
        message: message.split("\n", 1)[0] ?? "",
      });
    },
    snapshot: table.list,
    settle: table.trim,
  });
}
