import type { Lane } from "../../../server/trace/format/summary.ts";
import { lanesOf } from "../../../server/trace/format/summary-timeline.ts";
import type { TraceSource } from "../../api.ts";
import { createRows, type Rows } from "./rows.ts";

/** The kinds that no other list of the page holds: shown as single marks once the timeline is zoomed in. */
const KINDS = "agent.thought,clone.*,clock.*,error_injection,latency_injection,dom.*";
/** Above this many the slices of the summary have to do. */
export const MAX_MARKS = 5000;

const PREFIXES = KINDS.split(",").map((kind) => kind.replace("*", ""));

export interface Mark {
  ts: number;
  lane: Lane;
}

const matches = (kind: string): boolean => PREFIXES.some((prefix) => kind.startsWith(prefix));

/** How many such events a trace has. */
export function countMarks(counts: Record<string, number>): number {
  return Object.entries(counts).reduce((sum, [kind, count]) => sum + (matches(kind) ? count : 0), 0);
}

export function createMarkRows(source: TraceSource): Rows<Mark> {
  const marks: Mark[] = [];
  return createRows(source, KINDS, matches, {
    add(event) {
      const lane = lanesOf(event)[0];
      if (lane) marks.push({ ts: event.ts, lane });
    },
    snapshot: () => marks.slice(),
  });
}
