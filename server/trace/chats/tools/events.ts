import { Type } from "@sinclair/typebox";
import { eventPage, parseKinds } from "../../events/service.ts";
import { findInBodies } from "../../find/service.ts";
import { ANSWER_BYTES, fitting, shortened, told } from "../../fit.ts";
import type { TraceEvent } from "../../format/event.ts";
import { defineChatTool, type Sight } from "./tool.ts";

const MOST_EVENTS = 60;
const MOST_HITS = 15;
const BYTES = ANSWER_BYTES - 1_500;

interface Page {
  events: TraceEvent[];
  total: number;
}

/** A page of events, parsed and clean. */
export async function readEvents(
  { deps, trace, signal, clean }: Sight,
  query: Parameters<typeof eventPage>[2],
): Promise<Page> {
  const { events: found, total } = JSON.parse(await eventPage(deps, trace, query, signal)) as Page;
  return { events: found.map(clean), total };
}

const From = Type.Optional(Type.Integer({ minimum: 0, description: "How many to pass over, for more." }));
const Text = Type.String({ minLength: 1, maxLength: 300, pattern: "^[^\\u0000]*$" });

export const events = defineChatTool({
  name: "list_events",
  description:
    "Recorded events in their order, by kind (agent.action, assertion, network.*, console.*, clone.state, storage.state, …) and by a text in them.",
  input: Type.Object({
    kind: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Kinds with commas between; a star may end one.",
    }),
    text: Type.Optional(Text),
    from: From,
  }),
  async look(sight, { kind, text, from = 0 }) {
    parseKinds(kind);
    const query = {
      kind,
      offset: from,
      limit: MOST_EVENTS,
      ...(text === undefined ? {} : { q: text, match: "loose" as const }),
    };
    const { events: found, total } = await readEvents(sight, query);
    return { total, from, events: fitting(found.map(plain), BYTES) };
  },
});

/** Headers, stacks, pictures and values of cookies and local storage are left out: they may hold what is nobody's business. */
function plain({ headers: _headers, stack: _stack, blob: _blob, ...event }: TraceEvent): object {
  return shortened(event.kind === "storage.state" ? withoutValues(event) : event) as object;
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (name === "value" ? [] : [[name, withoutValues(one)]])),
  );
}

export const consoleLines = defineChatTool({
  name: "get_console",
  description:
    "What the browser's console said, with uncaught errors: only errors and warnings, or all of it.",
  input: Type.Object({ all: Type.Optional(Type.Boolean()), from: From }),
  async look(sight, { all = false, from = 0 }) {
    const kind = all ? "console.*" : "console.error,console.warning";
    const { events: found, total } = await readEvents(sight, { kind, offset: from, limit: MOST_EVENTS });
    const lines = found.map(({ seq, ts, kind: of, step_id, text }) => ({
      ...{ seq, ts, level: of.slice("console.".length), step_id: step_id ?? null },
      text: told(typeof text === "string" ? text : "", 400),
    }));
    return { total, from, lines: fitting(lines, BYTES) };
  },
});

export const search = defineChatTool({
  name: "search",
  description:
    "Where a text stands in the recording: in events (steps, errors, requests, console) first, then in recorded pages and bodies.",
  input: Type.Object({ text: Text }),
  async look(sight, { text }) {
    const { events: found, total } = await readEvents(sight, { q: text, match: "loose", limit: MOST_HITS });
    const inEvents = found.map((event) => ({
      ...{ seq: event.seq, kind: event.kind, step_id: event.step_id ?? null, found_in: "event" },
      excerpt: around(JSON.stringify(plain(event)), text),
    }));
    const { hits } =
      inEvents.length < MOST_HITS
        ? await findInBodies(
            sight.deps,
            sight.trace,
            { q: text, limit: MOST_HITS - inEvents.length },
            sight.signal,
            { before: sight.reach + BODY_SHOWN, after: sight.reach + BODY_SHOWN },
          )
        : { hits: [] };
    const inBodies = hits.map(({ event, field, excerpt }) => ({
      ...{ seq: event.seq, kind: event.kind, step_id: stepOf(event) },
      found_in: told(field, 60),
      excerpt: excerptOf(sight, excerpt),
    }));
    return { text, events_total: total, hits: fitting([...inEvents, ...inBodies], BYTES) };
  },
});

const stepOf = (event: object): string | null => {
  const { step_id: id } = event as { step_id?: unknown };
  return typeof id === "string" ? id : null;
};

/** Bytes on each side of a match, of which 120 characters are shown. */
const BODY_SHOWN = 480;

/**
 * What stands around a match in a body, of which only a part was read: at its edges the rest of a secret may stand, which
 * nothing tells, so that these are left out.
 */
function excerptOf(
  { clean, reach }: Sight,
  { before, match, after }: { before: string; match: string; after: string },
): string {
  // Half a character at an edge was left out already.
  const isCut = (side: string) => Buffer.byteLength(side) > reach + BODY_SHOWN - 8;
  const text = clean(`${before}${match}${after}`);
  const from = isCut(before) ? reach : 0;
  const to = isCut(after) ? text.length - reach : text.length;
  return around(text.slice(from, Math.max(from, to)), match);
}

function around(line: string, text: string): string {
  const at = Math.max(0, line.toLowerCase().indexOf(text.toLowerCase()));
  return told(line.slice(Math.max(0, at - 120), at + text.length + 120), 360);
}
