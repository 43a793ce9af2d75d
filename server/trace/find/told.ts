import type { FindAnswer } from "./model.ts";

export type ToldEvent = FindAnswer["hits"][number]["event"];

const TOLD = ["seq", "ts", "kind", "step_id", "request_id", "method", "url", "status", "name"];
const TOLD_OF_PAGES = ["snapshot", "phase", "page", "frame", "is_main_frame"];
const MAX_TOLD = 1_000;

/** What an event says of itself in so many words. */
export function told(event: Record<string, unknown>): ToldEvent {
  const fields = Object.entries(event).flatMap(([name, value]) => {
    if (!TOLD.includes(name) && !TOLD_OF_PAGES.includes(name)) return [];
    if (typeof value === "object" && value !== null) return [];
    return [[name, typeof value === "string" ? value.slice(0, MAX_TOLD) : value] as const];
  });
  return { seq: 0, ts: 0, kind: "", ...Object.fromEntries(fields) };
}
