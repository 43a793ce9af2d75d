import { Type } from "@sinclair/typebox";
import { type ScenarioAnswer, ScenarioListQuery } from "../../run/scenarios/model.ts";
import { showScenarios } from "../../run/scenarios/service.ts";
import { told } from "../../trace/fit.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { NextCursor, orNull, Text, TextOrNull, Url } from "./shared.ts";

const { q, cursor } = ScenarioListQuery.properties;
/** Each item is short: so many fit. */
const MOST = 25;

export const listScenarios = defineTool({
  name: "product_list_scenarios",
  title: "List scenarios",
  description: "Known scenarios by slug, each with its last run. q looks in slugs and titles.",
  scope: ["scenarios:read"],
  input: Type.Object({
    ...{ q, cursor },
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST, default: MOST })),
  }),
  output: Type.Object({
    items: Type.Array(
      Type.Object({
        ...{ id: Text, slug: Text, title: Text, path: TextOrNull },
        can_run: Type.Boolean({ description: "False for those that only traces name." }),
        last_run: orNull(Type.Object({ id: Text, status: Text, trace_id: TextOrNull, ended_at: TextOrNull })),
        url: Url,
      }),
    ),
    next_cursor: NextCursor,
  }),
  async call(deps, caller, args) {
    const page = await showScenarios(deps, caller.actor, { ...args, limit: args.limit ?? MOST });
    return { items: page.items.map((item) => toItem(caller, item)), next_cursor: page.next_cursor };
  },
});

function toItem(
  { publicOrigin }: Caller,
  { id, slug, title, path, compiled, missing, last_run: run }: ScenarioAnswer,
) {
  return {
    ...{ id, slug, title: told(title, 120), path: path === null ? null : told(path, 160) },
    can_run: compiled !== null && !missing,
    last_run: run && { id: run.id, status: run.status, trace_id: run.trace_id, ended_at: run.ended_at },
    url: `${publicOrigin}/scenarios/${slug}`,
  };
}
