import type { OnboardingStatus } from "../../../server/identity/onboarding/model.ts";
import type { ScenarioText, StarterAnswer } from "../../../server/run/scenarios/model.ts";
import { getJson, postJson, withQuery } from "../../api/request.ts";
import type { Scenario } from "../runs/api.ts";

export type Onboarding = OnboardingStatus;
export type Step = OnboardingStatus["steps"][number];

export const startApi = {
  status: (signal?: AbortSignal) => getJson<Onboarding>("/v1/onboarding/status", signal),
  acknowledgeAnalytics: () => postJson<Onboarding>("/v1/onboarding/analytics-ack"),
  starter: (url: string, text: string) =>
    getJson<StarterAnswer>(withQuery("/v1/scenarios/starter.json", { url, text })),
  write: (file: ScenarioText) => postJson<Scenario>("/v1/scenarios", file),
};
