import { type Static, Type } from "@sinclair/typebox";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../http/errors.ts";
import { eventPage } from "../../trace/events/service.ts";
import { findInBodies } from "../../trace/find/service.ts";
import { ANSWER_BYTES, fitting, told } from "../../trace/fit.ts";
import type { TraceEvent } from "../../trace/format/event.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace, traceLink } from "../trace-reference.ts";
import { Cursor, FIND_A_TRACE, NextCursor, orNull, Text, TextOrNull, TraceId, Url } from "./shared.ts";

const MOST_HITS = 15;
const AROUND = 120;
const CURSOR = /^(?:events\.(\d{1,9})|((?:pages|bodies)\.\d{1,9}))$/;

const Hit = Type.Object({
  seq: Type.Integer(),
  kind: Text,
  step_id: TextOrNull,
  found_in: Type.String({ description: "event, or the field that names the body or page." }),
  about: orNull(Type.String({ description: "Address or name of what has it." })),
  excerpt: Text,
});
type Hit = Static<typeof Hit>;

export const searchTrace = defineTool({
  name: "search_trace",
  title: "Search in a trace",
  description:
    "Find a text in one recording: events (console, requests, errors, steps) first, then recorded pages, request and response bodies. Each hit names its step, for get_step.",
  scope: ["traces:read"],
  whenMissing: FIND_A_TRACE,
  input: Type.Object({
    trace_id: TraceId,
    q: Type.String({ minLength: 1, maxLength: 500, description: "The text, as it stands there." }),
    cursor: Cursor,
  }),
  output: Type.Object({ trace_id: Text, hits: Type.Array(Hit), url: Url, next_cursor: NextCursor }),
  async call(deps, caller, { trace_id: named, q, cursor }) {
    const { trace } = await requireNamedTrace(deps, caller, named);
    const [, offset, place] = CURSOR.exec(cursor ?? "events.0") ?? [];
    if (offset === undefined && place === undefined)
      throw invalid('The argument "cursor" is not one that search_trace gave out.');
    const found =
      offset === undefined
        ? await inBodies(deps, caller, trace, { q, after: place })
        : await inEvents(deps, caller, trace, { q, offset: Number(offset) });
    return { trace_id: trace.id, ...found, url: traceLink(caller, trace.id) };
  },
});

interface Found {
  hits: Hit[];
  next_cursor: string | null;
}

/** When the events are through, the search goes on in what they refer to. */
async function inEvents(
  deps: Deps,
  caller: Caller,
  trace: TraceRow,
  { q, offset }: { q: string; offset: number },
): Promise<Found> {
  const query = { q, match: "loose", offset, limit: MOST_HITS } as const;
  const page = await eventPage(deps, trace, query, caller.signal);
  const { events, next_offset: next } = JSON.parse(page) as {
    events: TraceEvent[];
    next_offset: number | null;
  };
  const all = events.map((event) => toEventHit(event, q));
  const hits = fitting(all, ANSWER_BYTES);
  if (hits.length < all.length) return { hits, next_cursor: `events.${offset + hits.length}` };
  if (next !== null) return { hits, next_cursor: `events.${next}` };
  const limit = MOST_HITS - hits.length;
  if (limit <= 0) return { hits, next_cursor: "pages.0" };
  const more = await inBodies(deps, caller, trace, { q, after: undefined, limit });
  return { hits: [...hits, ...more.hits], next_cursor: more.next_cursor };
}

async function inBodies(
  deps: Deps,
  caller: Caller,
  trace: TraceRow,
  { q, after, limit = MOST_HITS }: { q: string; after: string | undefined; limit?: number },
): Promise<Found> {
  const query = { q, limit, ...(after === undefined ? {} : { after }) };
  const { hits, next } = await findInBodies(deps, trace, query, caller.signal);
  return {
    hits: hits.map(({ event, field, excerpt }) => ({
      seq: event.seq,
      kind: event.kind,
      step_id: stepOf(event),
      found_in: told(field, 60),
      about: aboutOf(event),
      excerpt: told(
        `${excerpt.before.slice(-AROUND)}${excerpt.match}${excerpt.after.slice(0, AROUND)}`,
        3 * AROUND,
      ),
    })),
    next_cursor: next,
  };
}

function toEventHit(event: TraceEvent, q: string): Hit {
  const { seq, ts: _ts, kind, step_id: _step, ...rest } = event;
  return {
    seq,
    kind,
    step_id: stepOf(event),
    found_in: "event",
    about: aboutOf(event),
    excerpt: excerptOf(rest, q),
  };
}

function excerptOf(fields: Record<string, unknown>, q: string): string {
  const line = JSON.stringify(fields);
  const needle = JSON.stringify(q).slice(1, -1);
  const exact = line.indexOf(needle);
  const at = Math.max(0, exact >= 0 ? exact : line.toLowerCase().indexOf(needle.toLowerCase()));
  return told(line.slice(Math.max(0, at - AROUND), at + needle.length + AROUND), 3 * AROUND);
}

const stepOf = ({ step_id: step }: Record<string, unknown>): string | null =>
  typeof step === "string" ? told(step, 300) : null;

function aboutOf({ url, title, name }: Record<string, unknown>): string | null {
  const said = [url, title, name].find((value) => typeof value === "string" && value !== "");
  return typeof said === "string" ? told(said, 160) : null;
}
