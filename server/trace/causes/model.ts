import { type Static, Type } from "@sinclair/typebox";
import { CAUSE_KINDS, MAX_ALSO, MAX_HEADLINE, MAX_SUSPECTS } from "../format/cause/types.ts";
import { nullable, oneOf } from "../model.ts";

export const CauseAnswer = Type.Object({
  trace_id: Type.String({ format: "uuid" }),
  baseline_id: nullable(
    Type.String({ format: "uuid", description: "The newest pass of the scenario before this trace." }),
  ),
  failed_step: Type.Union([Type.Object({ step_id: Type.String(), title: Type.String() }), Type.Null()]),
  headline: nullable(
    Type.String({
      maxLength: MAX_HEADLINE,
      description: "The cause in one sentence; null for a trace that did not fail, or has not ended.",
    }),
  ),
  suspects: Type.Array(
    Type.Object({
      rank: Type.Integer({ minimum: 1 }),
      kind: oneOf(CAUSE_KINDS),
      title: Type.String(),
      detail: nullable(Type.String()),
      confidence: Type.Number({ minimum: 0, maximum: 1 }),
      step_id: nullable(Type.String()),
      events: Type.Array(Type.Integer(), { description: "Sequence numbers of the events that show it." }),
      is_new: Type.Union([Type.Boolean(), Type.Null()], {
        description: "Whether no compared pass has it; null where there is no pass.",
      }),
    }),
    { maxItems: MAX_SUSPECTS, description: "Best first." },
  ),
  also_when_passing: Type.Array(Type.Object({ title: Type.String(), count: Type.Integer() }), {
    maxItems: MAX_ALSO,
    description: "What went wrong here and in the passes as well.",
  }),
});
export type CauseAnswer = Static<typeof CauseAnswer>;
