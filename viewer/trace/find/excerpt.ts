import { plainText } from "../../../server/trace/format/error-text.ts";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { oneLine } from "../../ui/text.ts";

/** A piece of captured text around what was found in it. */
export interface Excerpt {
  /** Field of the event that it is from. */
  field: string;
  before: string;
  match: string;
  after: string;
}

const BEFORE = 14;
const AFTER = 160;
const DEPTH = 8;
const IDENTIFIERS = ["seq", "ts", "kind", "step_id", "parent_step_id", "request_id", "page", "frame"];

/** The text of a line around its first match; null when it has none. */
export function excerptOf(text: string, matcher: RegExp, field = ""): Excerpt | null {
  const found = matcher.exec(text);
  if (!found) return null;
  const end = found.index + found[0].length;
  const start = Math.max(0, found.index - BEFORE);
  return {
    field,
    before: (start > 0 ? "…" : "") + flat(text.slice(start, found.index)),
    match: flat(found[0]),
    after: flat(text.slice(end, end + AFTER)),
  };
}

/** One line that keeps a space at either end, since the parts are set beside each other. */
export function flat(part: string): string {
  const plain = plainText(`|${part.slice(0, AFTER)}|`).slice(1, -1);
  const line = oneLine(plain, AFTER);
  if (line === "") return plain === "" ? "" : " ";
  return `${/^\s/.test(plain) ? " " : ""}${line}${/\s$/.test(plain) ? " " : ""}`;
}

/** Where an event holds the text: what it says first, what names it last. */
export function excerptOfEvent(event: TraceEvent, matcher: RegExp): Excerpt | null {
  const fields = Object.entries(event);
  const isName = ([name]: [string, unknown]): boolean => IDENTIFIERS.includes(name);
  for (const [name, value] of [...fields.filter((field) => !isName(field)), ...fields.filter(isName)]) {
    const found = excerptOfValue(value, matcher, name, DEPTH);
    if (found) return found;
  }
  return null;
}

function excerptOfValue(value: unknown, matcher: RegExp, field: string, depth: number): Excerpt | null {
  if (typeof value === "string") return excerptOf(value, matcher, field);
  if (typeof value === "number" || typeof value === "boolean")
    return excerptOf(String(value), matcher, field);
  if (value === null || typeof value !== "object" || depth === 0) return null;
  for (const part of Object.values(value)) {
    const found = excerptOfValue(part, matcher, field, depth - 1);
    if (found) return found;
  }
  return null;
}
