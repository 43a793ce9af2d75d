import { type Static, Type } from "@sinclair/typebox";
import { PlanName } from "../names.ts";

const Meter = (description: string) =>
  Type.Object(
    {
      used: Type.Number(),
      limit: Type.Union([Type.Number(), Type.Null()], { description: "Null where the plan has none." }),
    },
    { description },
  );

export const Usage = Type.Object({
  plan: PlanName,
  period: Type.Object(
    { start: Type.String({ format: "date-time" }), end: Type.String({ format: "date-time" }) },
    {
      description:
        "The calendar month, UTC: what runs, run minutes, ingests and debugger cents are counted in.",
    },
  ),
  runs: Meter("Runs that were added in the period."),
  run_minutes: Meter("Time that those of them took that have ended."),
  ingests: Meter("Traces uploaded in the period, as far as they are kept."),
  debugger_cents: Meter("What chats cost in the period, against the budget."),
  storage_bytes: Meter("Bytes of the traces that the org has now."),
  members: Meter("People in the org now."),
  replays: Meter("Replays under way now, against those that may be at once."),
  limits: Type.Object(
    {
      upload_bytes: Type.Number({ description: "Of one upload." }),
      hot_days: Type.Number(),
      warm_days: Type.Number(),
      regions: Type.Integer({ description: "In which checks may run." }),
      least_minutes_between_checks: Type.Number(),
      reads_per_minute: Type.Integer(),
      writes_per_minute: Type.Integer(),
      ingests_per_minute: Type.Integer(),
    },
    { description: "What the plan grants, with what settings.json says in its place." },
  ),
});
export type Usage = Static<typeof Usage>;
