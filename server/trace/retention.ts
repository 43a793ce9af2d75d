import type { TraceRow } from "../../store/records/traces.ts";
import type { Config } from "../config.ts";
import { isFinal } from "./model.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Ages at which traces leave a tier, in ms. */
export function retention(limits: Config["limits"]): { hotMs: number; warmMs: number } {
  return { hotMs: limits.hotDays * DAY_MS, warmMs: limits.warmDays * DAY_MS };
}

/** Epoch ms at which the trace leaves its tier; null while it stays for good. */
export function movesAt(
  trace: Pick<TraceRow, "tier" | "pinned" | "status" | "aged_from">,
  limits: Config["limits"],
): number | null {
  if (trace.tier === "cold" || trace.pinned === 1 || !isFinal(trace.status)) return null;
  const { hotMs, warmMs } = retention(limits);
  return trace.aged_from + (trace.tier === "hot" ? hotMs : warmMs);
}
