import { toIso } from "../platform/clock.ts";
import { isErrorEvent, type TraceEvent } from "../trace/format/event.ts";
import { printable, tone } from "./output.ts";

const MAX_TEXT = 200;

/** One event as one line: sequence number, time of day, kind, and what it says. Errors are marked with a `!`. */
export function eventLine(event: Record<string, unknown>): string {
  const { seq, ts, kind } = event as TraceEvent;
  const isError = isErrorEvent(event as TraceEvent);
  const time = Number.isSafeInteger(ts) ? toIso(ts).slice(11, 23) : "";
  const text = printable(essence(event));
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  const line = `${String(seq).padStart(6)} ${time} ${isError ? "!" : " "} ${printable(kind).padEnd(16)} ${short}`;
  return isError ? tone(line, "bad") : line;
}

function essence(event: Record<string, unknown>): string {
  const text = (name: string) => (typeof event[name] === "string" ? event[name] : "");
  const kind = String(event.kind);
  if (kind.startsWith("network.")) {
    return [event.status, event.method, event.url].filter((part) => part !== undefined).join(" ");
  }
  if (kind === "agent.action") {
    const error = (event.error as { message?: string } | undefined)?.message;
    const name = text("title") || text("name");
    return error ? `${name}: ${error}` : name;
  }
  if (kind === "dom.snapshot") return text("url");
  return text("message") || text("text") || text("blob") || JSON.stringify(omitFrame(event));
}

function omitFrame({ seq: _, ts: __, kind: ___, step_id: ____, ...rest }: Record<string, unknown>) {
  return rest;
}
