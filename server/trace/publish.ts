import type { After } from "../jobs/commit.ts";

/** Tells lists that are open that a trace looks different now. */
export function publishTraceChange(
  after: Pick<After, "publish">,
  trace: { id: string; org_id: string; status: string },
): void {
  const { id, status } = trace;
  after.publish("traces", trace.org_id, { type: "trace.changed", id, status });
}
