import type { SummaryMeta } from "../../../../server/trace/format/summary-builder.ts";

export function meta(more: Partial<SummaryMeta> = {}): SummaryMeta {
  return {
    title: "Checkout",
    scenarioSlug: "checkout",
    claimedStatus: null,
    startedAt: null,
    endedAt: null,
    environment: {},
    warnings: [],
    redactionCount: 0,
    finalScreenshot: null,
    ...more,
  };
}
