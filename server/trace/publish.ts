import type { Deps } from "../deps.ts";

/** Tells lists that are open that a trace looks different now. */
export function publishTraceChange(
  deps: Pick<Deps, "hub">,
  trace: { id: string; org_id: string; status: string },
): void {
  const { id, status } = trace;
  deps.hub.publish("traces", trace.org_id, { type: "trace.changed", id, status });
}
