import { Type } from "@sinclair/typebox";
import { type ReplayStatus as Replay, ReplayRequest, ReplayStatus } from "../../run/replays/model.ts";
import { showReplay, startReplay } from "../../run/replays/service.ts";
import { shortened, told } from "../../trace/fit.ts";
import type { Caller } from "../caller.ts";
import { defineTool } from "../tool.ts";
import { requireNamedTrace, traceLink } from "../trace-reference.ts";
import { FIND_A_TRACE, Text, TraceId, Url } from "./shared.ts";

/** As the API takes them, told in fewer words: each costs every agent that connects. */
const Input = Type.Object({
  trace_id: TraceId,
  from_step: Type.Integer({ minimum: 1, description: "The first live step, from 1." }),
  edits: Type.Optional({
    ...ReplayRequest.properties.edits,
    description: "product_debug_run shows the scenario's file.",
  }),
  catch_up: Type.Optional(
    Type.Boolean({
      description:
        "Whether what the steps before sent is sent again when it goes live. When absent: what is safe to repeat.",
    }),
  ),
});
const { caught_up: __, ...STATUS } = ReplayStatus.properties;
const Answer = Type.Object({
  ...STATUS,
  caught_up: Type.Object({
    sent: Type.Array(Type.Unknown()),
    left_out: Type.Array(Type.Unknown()),
  }),
  next: Text,
  url: Url,
});

export const replayTrace = defineTool({
  name: "product_replay_trace",
  title: "Replay a trace",
  description:
    "Run a trace's scenario again from a step, to prove a fix: edits change the scenario or what the page is served. Before from_step everything comes from the recording. Only traces of scenarios can be replayed. Follow it with get_replay.",
  scope: ["mcp:run", "runs:write"],
  isWrite: true,
  whenMissing: FIND_A_TRACE,
  input: Input,
  output: Answer,
  async call(deps, caller, { trace_id: named, ...wanted }) {
    const { trace } = await requireNamedTrace(deps, caller, named);
    return toAnswer(caller, await startReplay(deps, caller.actor, trace.id, wanted));
  },
});

export const getReplay = defineTool({
  name: "get_replay",
  title: "Get a replay",
  description:
    "How a replay stands: queued, running, succeeded (carried out; replay_trace_status says whether it passed) or failed.",
  scope: ["traces:read"],
  whenMissing: "Its id is in the answer of product_replay_trace.",
  input: Type.Object({ replay_id: Type.String({ format: "uuid" }) }),
  output: Answer,
  call: async (deps, caller, { replay_id: id }) => toAnswer(caller, await showReplay(deps, caller.actor, id)),
});

function toAnswer(caller: Caller, replay: Replay) {
  const { caught_up: caughtUp, error } = replay;
  return {
    ...replay,
    error: error && { reason: error.reason, message: told(error.message, 600) },
    caught_up: shortened(caughtUp) as { sent: unknown[]; left_out: unknown[] },
    next: nextOf(replay),
    url: traceLink(caller, replay.replay_trace_id ?? replay.trace_id),
  };
}

function nextOf({
  id,
  status,
  replay_trace_id: trace,
  replay_trace_status: ended,
  trace_id: source,
}: Replay): string {
  if (status === "queued" || status === "running")
    return `Call get_replay with replay_id "${id}" in a few seconds.`;
  if (trace === null) return "It was not carried out: error says why.";
  if (ended === "passed")
    return `It passed. compare_traces with a "${source}" and b "${trace}" tells what differs.`;
  return `Call get_cause with trace_id "${trace}", or compare_traces with a "${source}" and b "${trace}".`;
}
