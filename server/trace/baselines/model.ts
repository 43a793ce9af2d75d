import { type Static, Type } from "@sinclair/typebox";
import { TraceItem } from "../model.ts";

export const BaselineAnswer = Type.Object({
  baseline: Type.Union([TraceItem, Type.Null()], {
    description: "As in the list of traces; null when none passed before.",
  }),
});
export type BaselineAnswer = Static<typeof BaselineAnswer>;
