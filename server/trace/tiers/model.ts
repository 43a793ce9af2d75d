import { Type } from "@sinclair/typebox";

export const RestoreAnswer = Type.Object({
  status: Type.Literal("restoring"),
  eta_seconds: Type.Integer({ minimum: 1, description: "Roughly when the trace will be hot." }),
});
