import type { ComparedDimension, DiffSide } from "../../../server/trace/format/diff/types.ts";

const TAB: Partial<Record<ComparedDimension, string>> = {
  network: "network",
  console: "console",
  clone: "events",
};

/**
 * The address of an instant of a trace, with the event opened where a panel shows it.
 * @param origin epoch ms of the trace's first event, for what happened outside of all steps
 */
export function instantPath(
  id: string,
  dimension: ComparedDimension,
  side: DiffSide,
  origin: number | null,
): string {
  const params = new URLSearchParams();
  if (typeof side.step_id === "string") params.set("step", side.step_id);
  else if (side.ts !== undefined && origin !== null) params.set("t", String(Math.round(side.ts - origin)));
  const tab = TAB[dimension];
  if (tab && side.seq !== undefined) {
    params.set("tab", tab);
    params.set("event", String(side.seq));
  } else if (side.status === "failed") params.set("tab", "error");
  const text = params.toString();
  return `/traces/${id}${text ? `?${text}` : ""}`;
}
