import type { TraceRow } from "../../store/records/traces.ts";
import type { Config } from "../config.ts";
import { isFinal } from "./model.ts";

const DAY_MS = 24 * 60 * 60_000;

type Aged = Pick<TraceRow, "tier" | "pinned" | "auto_pinned" | "by_clock" | "status" | "aged_from">;

/** Ages at which traces leave a tier, and at which those of checks go with their runs, in ms. */
export function retention({ limits, settings }: Pick<Config, "limits" | "settings">): {
  hotMs: number;
  warmMs: number;
  runsMs: number;
} {
  return {
    hotMs: limits.hotDays * DAY_MS,
    warmMs: limits.warmDays * DAY_MS,
    runsMs: settings.retention.runs_days * DAY_MS,
  };
}

/** Epoch ms at which the trace leaves its tier, to the next one or for good; null while it stays. */
export function movesAt(trace: Aged, config: Pick<Config, "limits" | "settings">): number | null {
  if (!isFinal(trace.status)) return null;
  const { hotMs, warmMs, runsMs } = retention(config);
  const ages: number[] = [];
  if (trace.tier !== "cold" && trace.pinned === 0) ages.push(trace.tier === "hot" ? hotMs : warmMs);
  if (trace.by_clock === 1 && (trace.pinned === 0 || trace.auto_pinned === 1)) ages.push(runsMs);
  return ages.length === 0 ? null : trace.aged_from + Math.min(...ages);
}
