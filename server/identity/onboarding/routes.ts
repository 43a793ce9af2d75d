import { Elysia } from "elysia";
import type { Deps } from "../../deps.ts";
import { inDialect } from "../../http/dialect.ts";
import { authMacro } from "../auth.ts";
import { OnboardingStatus } from "./model.ts";
import { acknowledgeAnalytics, showOnboarding } from "./service.ts";

const TAGS = ["identity", "onboarding"];

/** The way from nothing to the first watched scenario. */
export function onboardingRoutes(deps: Deps) {
  return new Elysia({ name: "onboarding", detail: inDialect("monitoring") })
    .use(authMacro(deps))
    .get("/v1/onboarding/status", ({ actor }) => showOnboarding(deps, actor), {
      auth: { scope: "scenarios:read" },
      response: { 200: OnboardingStatus },
      detail: {
        operationId: "onboarding.status",
        tags: TAGS,
        summary: "How far the org has come to its first watched scenario",
        description:
          "Each step is read from what the org has: it is done when it is so, whoever did it and however.",
      },
    })
    .post("/v1/onboarding/analytics-ack", ({ actor }) => acknowledgeAnalytics(deps, actor), {
      auth: { scope: "scheduled_checks:manage" },
      response: { 200: OnboardingStatus },
      detail: {
        operationId: "onboarding.analytics_ack",
        tags: TAGS,
        summary: "Say that analytics leave synthetic visits out",
        description:
          "The visits of runs carry `X-Synthetic-Source` and `window.__PRODUCT_SYNTHETIC__`; that the product's analytics leave them out is for a person to say. It is kept in the audit log, once.",
      },
    });
}
