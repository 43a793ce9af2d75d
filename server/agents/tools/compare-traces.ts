import { type Static, Type } from "@sinclair/typebox";
import type { TraceRow } from "../../../store/records/traces.ts";
import { invalid } from "../../http/errors.ts";
import { causeOf } from "../../trace/causes/service.ts";
import type { DiffAnswer } from "../../trace/diffs/model.ts";
import { fitting, shortened } from "../../trace/fit.ts";
import { DIMENSIONS } from "../../trace/format/diff/types.ts";
import { oneOf } from "../../trace/model.ts";
import { ToldError } from "../errors.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace } from "../trace-reference.ts";
import { Cursor, FIND_A_TRACE, NextCursor, orNull, Text, TraceId, Url } from "./shared.ts";

const ITEM_BYTES = 7_000;
const MOST = 40;

const Item = Type.Object(
  {},
  { additionalProperties: true, description: "key, change, and what was there in a and b." },
);
const Count = Type.Object({
  ...{ added: Type.Integer(), removed: Type.Integer(), changed: Type.Integer(), same: Type.Integer() },
});

export const compareTraces = defineTool({
  name: "compare_traces",
  title: "Compare two traces",
  description:
    "What differs between two recordings, and where they first went apart. Without a: b against the newest pass of the same test. dimension: overview counts them, the others list them.",
  scope: ["traces:read"],
  whenMissing: FIND_A_TRACE,
  input: Type.Object({
    a: Type.Optional({
      ...TraceId,
      description: "The trace that went well; the last pass before b when absent.",
    }),
    b: { ...TraceId, description: "The trace in question." },
    dimension: Type.Optional(oneOf(DIMENSIONS)),
    cursor: Cursor,
  }),
  output: Type.Object({
    ...{ a: Text, b: Text, dimension: Text },
    first_divergence: orNull(Item),
    summary: Count,
    items: Type.Array(Item, { description: "Differences only, in the order of the steps." }),
    url: Url,
    next_cursor: NextCursor,
  }),
  async call(deps, caller, { a: left, b: right, dimension, cursor }) {
    const from = readCursor(cursor);
    const b = (await requireNamedTrace(deps, caller, right)).trace;
    const baseline = left === undefined ? (await causeOf(deps, b)).baselineId : left;
    if (baseline === null) throw new ToldError("not_found", noPassBefore(b));
    const a = (await requireNamedTrace(deps, caller, baseline)).trace;
    const query = { a: a.id, b: b.id, ...(dimension === undefined ? {} : { dimension }) };
    const json = await caller.diffs.show(caller.actor, query, caller.signal);
    const answer = JSON.parse(json) as Static<typeof DiffAnswer>;
    const differing = answer.items.filter(({ change }) => change !== "same").slice(from);
    const items = fitting(differing.slice(0, MOST).map(toItem), ITEM_BYTES);
    return {
      ...{ a: a.id, b: b.id, dimension: answer.dimension },
      first_divergence: answer.first_divergence && toItem(answer.first_divergence),
      summary: answer.summary,
      items,
      url: `${caller.publicOrigin}/compare?a=${a.id}&b=${b.id}`,
      next_cursor: items.length < differing.length ? String(from + items.length) : null,
    };
  },
});

const noPassBefore = ({ scenario_id: scenario }: TraceRow): string =>
  `No earlier run of this test passed: name the trace to compare with as "a". list_traces with status "passed" and scenario_id "${scenario}" finds a later pass, without scenario_id one of another test.`;

const toItem = (item: object) => shortened(item) as Record<string, unknown>;

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,6}$/.test(cursor))
    throw invalid('The argument "cursor" is not one that compare_traces gave out.');
  return Number(cursor);
}
