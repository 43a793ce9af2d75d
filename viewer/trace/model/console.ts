import type { TraceSource } from "../../api/trace-source.ts";
import { markOf } from "./mark.ts";
import type { RowList } from "./row-list.ts";
import { createRows, type Rows } from "./rows.ts";
import { createTable } from "./table.ts";

export const LEVELS = ["error", "warning", "info", "log", "debug"] as const;
export type Level = (typeof LEVELS)[number];

export interface ConsoleRow {
  seq: number;
  ts: number;
  level: Level;
  /** The beginning of the text; the whole is asked for by `seq`. */
  text: string;
  isCut: boolean;
  stepId: string | null;
  /** Of the step's id, and of the whole line: tell most apart without reading them. */
  stepMark: number;
  textMark: number;
  location: string | null;
}

const MAX_TEXT = 400;

function levelOf(kind: string): Level {
  const name = kind.slice("console.".length);
  return LEVELS.find((level) => level === name) ?? (name === "warn" ? "warning" : "log");
}

function locationOf(value: unknown): string | null {
  if (!value || typeof value !== "object" || !("url" in value) || typeof value.url !== "string") return null;
  const line = "line" in value && typeof value.line === "number" ? `:${value.line}` : "";
  return value.url === "" ? null : `${value.url.slice(0, 300)}${line}`;
}

export function createConsoleRows(source: TraceSource): Rows<ConsoleRow, RowList<ConsoleRow>> {
  const table = createTable<ConsoleRow>({
    seq: "near",
    ts: "near",
    level: "word",
    text: "text",
    isCut: "flag",
    stepId: "text",
    stepMark: "number",
    textMark: "number",
    location: "text",
  });
  return createRows(source, "console.*", (kind) => kind.startsWith("console."), {
    add(event) {
      const text = typeof event.text === "string" ? event.text : "";
      table.add({
        seq: event.seq,
        ts: event.ts,
        level: levelOf(event.kind),
        text: text.slice(0, MAX_TEXT),
        isCut: text.length > MAX_TEXT,
        stepId: event.step_id ?? null,
        stepMark: markOf(event.step_id ?? null),
        textMark: markOf(text.slice(0, MAX_TEXT)),
        location: locationOf(event.location),
      });
    },
    snapshot: table.list,
    settle: table.trim,
  });
}
