import { type TraceEvent, textIn } from "../../../server/trace/format/event.ts";

/** Recorded headers as name and value, in their order: only what has the shape of one. */
export function headersOf(event: TraceEvent | null): (readonly [string, string])[] {
  if (!event || !Array.isArray(event.headers)) return [];
  return event.headers.slice(0, 500).flatMap((header: unknown): (readonly [string, string])[] => {
    if (!header || typeof header !== "object" || !("name" in header) || !("value" in header)) return [];
    return [[textIn(header.name), textIn(header.value)]];
  });
}
