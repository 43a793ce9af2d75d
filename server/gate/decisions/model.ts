import { type Static, Type } from "@sinclair/typebox";
import { oneOf } from "../../trace/model.ts";

export const DecisionRequest = Type.Object(
  { decision: oneOf(["approve", "reject"] as const) },
  { additionalProperties: false },
);
export type DecisionRequest = Static<typeof DecisionRequest>;

export const TokenQuery = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 4000, description: "The JWT of the link." }),
});

export const DecisionAnswer = Type.Object({
  gate_id: Type.String({ format: "uuid" }),
  decision: oneOf(["approved", "rejected"] as const),
  decided_by: Type.String(),
});
