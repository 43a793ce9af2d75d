import { type Static, Type } from "@sinclair/typebox";

export const PreflightAnswer = Type.Object({
  recorded: Type.Boolean({ description: "Whether the scenario may be watched now." }),
  run_id: Type.String({ format: "uuid" }),
  reason: Type.Optional(Type.String({ description: "Why it was not recorded." })),
});
export type PreflightAnswer = Static<typeof PreflightAnswer>;

export const PreflightState = Type.Object({
  recorded: Type.Boolean({ description: "Whether the scenario may be watched." }),
});
export type PreflightState = Static<typeof PreflightState>;
