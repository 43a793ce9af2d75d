import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { ShownReplay } from "../../../store/records/replays.ts";
import { toIso } from "../../platform/clock.ts";
import { oneOf } from "../../trace/model.ts";
import type { CaughtUp } from "../playback/catch-up.ts";

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const PastCall = Type.Object({
  method: Type.String(),
  url: Type.String({ description: "Masked as in a trace, and cut after 500 characters." }),
});

export const REPLAY_STATES = ["queued", "running", "succeeded", "failed"] as const;
const TRACE_STATUSES = ["queued", "running", "passed", "failed", "error", "aborted"] as const;
/** Edits are small; a whole file is no diff. */
const LONGEST_DIFF = 512 * 1024;
const MOST_SOURCES = 100;

export const ReplayRequest = Type.Object(
  {
    from_step: Type.Integer({
      minimum: 1,
      description:
        "The first live step, from 1, in the order in which the source's steps first appear. Before it network, clock and clone state are served from the source trace.",
    }),
    edits: Type.Optional(
      Type.Object(
        {
          scenario_diff: Type.Optional(
            Type.String({
              maxLength: LONGEST_DIFF,
              description: "Unified diff of the scenario's file. It must apply cleanly.",
            }),
          ),
          source_diffs: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  path: Type.String({
                    minLength: 1,
                    maxLength: 1000,
                    description: "What the URL path of the resource ends in, in whole segments.",
                  }),
                  diff: Type.String({ minLength: 1, maxLength: LONGEST_DIFF, description: "Unified diff." }),
                },
                { additionalProperties: false },
              ),
              {
                maxItems: MOST_SOURCES,
                description:
                  "For text resources that the replay is served. A path that none was served for makes it fail.",
              },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    catch_up: Type.Optional(
      Type.Boolean({
        description:
          "Whether what the steps before sent is sent to the target, in its order, when the replay goes live, so that it has the session and state that the next steps need. When absent, the pages that were opened are opened again, and requests of other methods than GET and HEAD are sent again only when their target is a loopback address or the scenario says `idempotent: true`. With true all of them are sent, with false none.",
      }),
    ),
    triggered_via: Type.Optional(
      Type.Literal("viewer", { description: "Where it was asked for; `api` when absent." }),
    ),
  },
  { additionalProperties: false },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

export const ReplayStatus = Type.Object({
  id: Type.String({ format: "uuid" }),
  status: oneOf(REPLAY_STATES),
  from_step: Type.Integer(),
  triggered_via: Type.String({ description: "`api` when via the API." }),
  replay_trace_id: orNull(Type.String({ format: "uuid" })),
  trace_id: Type.String({ format: "uuid", description: "The source." }),
  replay_trace_status: Type.Union([oneOf(TRACE_STATUSES), Type.Null()], {
    description:
      "How the scenario ended. `status` is about the replay: succeeded is carried out, failed is not, and then `error` says why.",
  }),
  has_edits: Type.Boolean(),
  caught_up: Type.Object(
    { sent: Type.Array(PastCall), left_out: Type.Array(PastCall) },
    {
      description:
        "What is sent again to the target when the replay goes live, and what is left out: by its source until then, thereafter as it was. At most 100 of each.",
    },
  ),
  error: orNull(Type.Object({ reason: orNull(Type.String()), message: Type.String() })),
  created_at: Type.String({ description: "ISO 8601, as are the next two." }),
  started_at: orNull(Type.String()),
  ended_at: orNull(Type.String()),
});
export type ReplayStatus = Static<typeof ReplayStatus>;

export const ReplayList = Type.Object({
  items: Type.Array(ReplayStatus, { description: "Newest first, at most 200." }),
  scenario: orNull(
    Type.Object(
      { path: Type.String(), text: Type.String() },
      {
        description: "What a `scenario_diff` applies to; null where the text is not known.",
      },
    ),
  ),
  steps: Type.Integer({ description: "How many steps the trace has: the last `from_step`." }),
  past: Type.Array(
    Type.Composite([
      PastCall,
      Type.Object({
        step: Type.Integer({ description: "The step that sent it; 0 when none did." }),
        is_sent: Type.Boolean({
          description:
            "Whether it is sent again when the first live step comes later and `catch_up` is absent.",
        }),
      }),
    ]),
    { description: "The pages that the source opened, and what may have changed something; at most 200." },
  ),
  refusal: orNull(Type.String({ description: "Why the trace cannot be replayed; null when it can." })),
});
export type ReplayList = Static<typeof ReplayList>;

const time = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

export function toReplay(row: ShownReplay): ReplayStatus {
  return {
    id: row.id,
    status: row.status,
    from_step: row.from_step,
    triggered_via: row.triggered_via,
    replay_trace_id: row.replay_trace_id,
    trace_id: row.trace_id,
    replay_trace_status: row.result_status,
    has_edits: row.has_edits === 1,
    caught_up: row.caught_up === null ? { sent: [], left_out: [] } : (JSON.parse(row.caught_up) as CaughtUp),
    error: row.error_message === null ? null : { reason: row.error_reason, message: row.error_message },
    created_at: toIso(row.created_at),
    started_at: time(row.started_at),
    ended_at: time(row.ended_at),
  };
}
