import { type Static, Type } from "@sinclair/typebox";
import type { Milestones } from "../../../store/records/onboarding.ts";
import { toIso } from "../../platform/clock.ts";

/** The steps to the first watched scenario, in their order, and what the records know each by. */
const STEPS = [
  { key: "scenario_written", title: "Write a scenario", of: "scenario" },
  { key: "scenario_passed", title: "See it pass", of: "pass" },
  { key: "preflight_recorded", title: "Show that your site can tell its visits apart", of: "preflight" },
  { key: "analytics_acknowledged", title: "Leave its visits out of your analytics", of: "analytics" },
  { key: "check_enabled", title: "Have it run by the clock", of: "check" },
  { key: "channel_tested", title: "Be told when it fails", of: "channel" },
] as const satisfies readonly { key: string; title: string; of: keyof Milestones }[];

export type StepKey = (typeof STEPS)[number]["key"];

const Step = Type.Object({
  key: Type.Unsafe<StepKey>(Type.Union(STEPS.map(({ key }) => Type.Literal(key)))),
  title: Type.String(),
  done: Type.Boolean(),
  at: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
    description: "When it was first so; null while it is not.",
  }),
});

export const OnboardingStatus = Type.Object({
  steps: Type.Array(Step, { description: "In the order in which they are taken." }),
});
export type OnboardingStatus = Static<typeof OnboardingStatus>;

export function toStatus(milestones: Milestones): OnboardingStatus {
  return {
    steps: STEPS.map(({ key, title, of }) => {
      const at = milestones[of];
      return { key, title, done: at !== null, at: at === null ? null : toIso(at) };
    }),
  };
}
