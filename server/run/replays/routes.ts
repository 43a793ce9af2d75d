import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { authMacro } from "../../identity/auth.ts";
import { TraceParams } from "../../trace/access.ts";
import { ReplayList, ReplayRequest, ReplayStatus } from "./model.ts";
import { cancelReplay, showReplay, showReplays, startReplay } from "./service.ts";

const TAGS = ["trace", "replays"];
const READ = { scope: "traces:read" } as const;
const RUN = { scope: ["mcp:run", "runs:write"] } as const;
const Params = Type.Object({ replay_id: Type.String({ format: "uuid" }) });

/** Layer 2 replays: a trace's scenario once more, from one of its steps on, with edits. */
export function replaysRoutes(deps: Deps) {
  return new Elysia({ name: "replays" })
    .use(authMacro(deps))
    .post("/v1/traces/:id/replay", ({ actor, params, body }) => startReplay(deps, actor, params.id, body), {
      auth: RUN,
      params: TraceParams,
      body: ReplayRequest,
      response: { 200: ReplayStatus },
      detail: {
        operationId: "replays.start",
        tags: TAGS,
        summary: "Replay a trace from one of its steps",
        description:
          "The scenario that made the trace runs again, as it was then, with `scenario_diff` applied. Before `from_step` every request is answered from the trace (by method, address and body in their order; where nothing is exactly the same, ids, times and values of queries are left out of account), the page's clock shows the time of then, and what was not recorded fails. From there on it is live. Recordings hold no cookies, so the target would know no session of the steps before: the pages that they opened are opened again first, and what they posted is sent again where that is safe (see `catch_up`); `caught_up` says what that is. Clones know what they knew then, and of what the target told them again the new. The result is a trace with `parent_trace_id` and `replay_from_step`. Replays beyond the plan's number at once wait in the queue. For an agent by OAuth without `mcp:write`, edits of a scenario that names secrets leave these as they are, what types them, and where it goes.",
        responses: {
          400: {
            description:
              "`from_step` is no step of the trace, or a diff cannot be used: the message names the hunk, or the secret.",
          },
          409: {
            description:
              "`not_hot`: restore the trace first. `conflict`: it has not ended, or its scenario is not known.",
          },
        },
      },
    })
    .get("/v1/traces/:id/replays", ({ actor, params }) => showReplays(deps, actor, params.id), {
      auth: READ,
      params: TraceParams,
      response: { 200: ReplayList },
      detail: { operationId: "replays.list", tags: TAGS, summary: "A trace's replays" },
    })
    .get("/v1/replays/:replay_id", ({ actor, params }) => showReplay(deps, actor, params.replay_id), {
      auth: READ,
      params: Params,
      response: { 200: ReplayStatus },
      detail: { operationId: "replays.show", tags: TAGS, summary: "One replay" },
    })
    .post(
      "/v1/replays/:replay_id/cancel",
      ({ actor, params }) => cancelReplay(deps, actor, params.replay_id),
      {
        auth: RUN,
        params: Params,
        response: { 200: ReplayStatus },
        detail: {
          operationId: "replays.cancel",
          tags: TAGS,
          summary: "End a replay that waits or is under way",
        },
      },
    );
}
