import { type Static, Type } from "@sinclair/typebox";
import { HistoryItem } from "../histories/model.ts";
import { nullable } from "../model.ts";

export const Attempts = Type.Object({
  run_id: nullable(Type.String()),
  items: Type.Array(
    Type.Composite([
      HistoryItem,
      Type.Object({
        number: Type.Integer({
          description: "`attempt` where it was said, else the place among the run's traces, from 1.",
        }),
      }),
    ]),
    { description: "By number. A trace without a run, and a replay, stands alone." },
  ),
});
export type Attempts = Static<typeof Attempts>;
