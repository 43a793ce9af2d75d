import { type Static, Type } from "@sinclair/typebox";
import { oneOf } from "../../trace/model.ts";
import { RUN_STATUSES } from "../runs/model.ts";
import type { FieldDiff, Noise, Observation } from "./compare.ts";

const SeqOrNull = Type.Union([Type.Integer(), Type.Null()]);
const AnyJson = (description: string) => Type.Optional(Type.Unknown({ description }));

const ObservationAnswer = Type.Object({
  method: Type.String(),
  url: Type.String(),
  status: Type.Integer({ description: "0 when there was no answer." }),
  headers: Type.Record(Type.String(), Type.String(), { description: "Those that matter to whoever asks." }),
  body: Type.Unknown({ description: "JSON where it is JSON, else text; null when there was none." }),
  seq: Type.Integer({ description: "Of the answer's event in the run's trace." }),
  ts: Type.Integer({ description: "Epoch ms." }),
  step_id: Type.Union([Type.String(), Type.Null()]),
});
const Side = Type.Object({ observations: Type.Array(ObservationAnswer) });
const RunOfDiff = Type.Object({
  id: Type.String({ format: "uuid" }),
  status: oneOf(RUN_STATUSES),
  trace_id: Type.Union([Type.String({ format: "uuid" }), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
});

export const ShadowDiffAnswer = Type.Object({
  run_id: Type.String({ format: "uuid", description: "Of the run with clones." }),
  scenario_slug: Type.String(),
  is_compared: Type.Boolean({
    description: "False while a run is to come or under way, or when one ended without a verdict.",
  }),
  runs: Type.Object({ production: RunOfDiff, repeated: RunOfDiff, clone: RunOfDiff }),
  production: Side,
  clone: Side,
  diffs: Type.Array(
    Type.Object({
      request: Type.String({ description: "Method and address, as production was asked." }),
      path: Type.String({
        description: 'JSON Pointer into `{ status, headers, body }`; "" when one side was not asked at all.',
      }),
      production: AnyJson("Absent where production has no such field."),
      clone: AnyJson("Absent where the clone has no such field."),
      repeated: AnyJson("In the second observation of production."),
      production_seq: SeqOrNull,
      clone_seq: SeqOrNull,
    }),
  ),
  noise: Type.Array(
    Type.Object({
      request: Type.String(),
      path: Type.String(),
      reason: oneOf(["varies", "identifier", "time", "not_repeated"] as const),
    }),
    { description: "Fields that differ, but mean nothing: production differs from itself in them." },
  ),
});
export type ShadowDiffAnswer = Static<typeof ShadowDiffAnswer>;

/** What is kept of a comparison. */
export interface ShadowDiffResult {
  production: { observations: Observation[] };
  clone: { observations: Observation[] };
  diffs: FieldDiff[];
  noise: Noise[];
}
