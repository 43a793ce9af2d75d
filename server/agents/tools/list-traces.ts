import { Type } from "@sinclair/typebox";
import { traceCreatedAt } from "../../../store/records/traces.ts";
import { ANSWER_BYTES, fitting, told, toldOrNull } from "../../trace/fit.ts";
import { type TraceItem, TraceListQuery } from "../../trace/model.ts";
import { encodeCursor } from "../../trace/traces/cursor.ts";
import { showTraces } from "../../trace/traces/list.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { traceLink } from "../trace-reference.ts";
import { Cursor, NextCursor, orNull, Text, TextOrNull, Url } from "./shared.ts";

const USUAL_LIMIT = 10;
/** Those of the specification, and three by which agents know their own runs; each costs every agent its description. */
const { scenario_id, scenario, status, source, signature, tier, pr, code_sha, from, to } =
  TraceListQuery.properties;
const Words = Type.Optional(
  Type.String({
    maxLength: TraceListQuery.properties.q.maxLength!,
    description: 'Words that must all appear, "a phrase", word* for a beginning.',
  }),
);

export const listTraces = defineTool({
  name: "list_traces",
  title: "List traces",
  description:
    'Find recordings of browser runs, newest first, each with the cause of its failure (headline). status "failed" lists failures; q searches titles, messages, console errors, request addresses and steps.',
  scope: ["traces:read"],
  input: Type.Object({
    ...{ scenario_id, scenario, status, source, signature, tier, pr, code_sha, q: Words, from, to },
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: USUAL_LIMIT })),
    cursor: Cursor,
  }),
  output: Type.Object({
    items: Type.Array(
      Type.Object({
        id: Text,
        short_id: Text,
        scenario_id: Text,
        scenario_title: Text,
        status: Text,
        tier: Text,
        pinned: Type.Boolean(),
        duration_ms: Type.Integer(),
        code_sha: TextOrNull,
        failure_signature: TextOrNull,
        headline: orNull(Type.String({ description: "The cause of the failure." })),
        created_at: Text,
        url: Url,
      }),
    ),
    next_cursor: NextCursor,
  }),
  async call(deps, caller, args) {
    const page = await showTraces(deps, caller.actor, { ...args, limit: args.limit ?? USUAL_LIMIT });
    const all = page.items.map((item) => toItem(caller, item));
    const items = fitting(all, ANSWER_BYTES);
    const last = items.length < all.length ? items.at(-1)!.id : null;
    return {
      items,
      next_cursor:
        last === null ? page.next_cursor : encodeCursor({ createdAt: traceCreatedAt(last), id: last }),
    };
  },
});

function toItem(caller: Caller, item: TraceItem) {
  const { id, short_id, scenario_id, status, tier, pinned, duration_ms, failure_signature, created_at } =
    item;
  return {
    ...{ id, short_id, scenario_id, scenario_title: told(item.scenario_title, 120) },
    ...{ status, tier, pinned, duration_ms, code_sha: toldOrNull(item.code_sha, 40), failure_signature },
    headline: toldOrNull(item.headline ?? item.failure_message, 240),
    created_at,
    url: traceLink(caller, id),
  };
}
