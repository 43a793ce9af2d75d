import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { isErrorEvent } from "../../../server/trace/format/event.ts";
import type { Lane } from "../../../server/trace/format/summary.ts";
import { lanesOf } from "../../../server/trace/format/summary-timeline.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { createRows, type Rows } from "./rows.ts";

/** Above this many of one group the slices of the summary have to do. */
export const MAX_MARKS = 5000;
const MAX_LABEL = 160;
const MAX_PATTERN = 200;

/** Kinds that no other list of the page holds, by how they are fetched. */
const GROUPS = {
  /** Small events, fetched when the first screen is out. */
  light: "agent.thought,clone.*,assertion",
  /** What was done to the world of the page: the clock, injected faults. */
  world: "clock.*,error_injection,latency_injection",
  /** May be large, so only fetched when the timeline is looked at closely. */
  dom: "dom.*",
} as const;

export type MarkGroup = keyof typeof GROUPS;

export interface Injection {
  kind: "error" | "latency";
  /** Glob of the addresses it is for. */
  url: string;
  /** Status of the injected error, or milliseconds of the delay. */
  value: number | null;
}

/** A single event on the timeline. */
export interface Mark {
  seq: number;
  /** Epoch ms. */
  ts: number;
  end: number;
  lane: Lane;
  /** What a reader calls it, as captured. */
  label: string;
  isBad: boolean;
  /** How far the page's clock was moved, ms; absent on everything else. */
  advance?: number;
  injection?: Injection;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const finite = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

function matcher(group: MarkGroup): (kind: string) => boolean {
  const patterns = GROUPS[group].split(",");
  return (kind) =>
    patterns.some((pattern) =>
      pattern.endsWith("*") ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern,
    );
}

/** How many events of a group a trace has. */
export function countMarks(group: MarkGroup, counts: Record<string, number>): number {
  const matches = matcher(group);
  return Object.entries(counts).reduce((sum, [kind, count]) => sum + (matches(kind) ? count : 0), 0);
}

function labelOf(event: TraceEvent): string {
  switch (event.kind) {
    case "agent.thought":
      return text(event.text);
    case "assertion":
      return text(event.message) || text(event.name);
    case "clone.state":
      return [text(event.service), text(event.key)].filter(Boolean).join(" ");
    default:
      return event.kind;
  }
}

function injectionOf(event: TraceEvent): Injection | null {
  if (!event.kind.endsWith("_injection")) return null;
  const isLatency = event.kind === "latency_injection";
  return {
    kind: isLatency ? "latency" : "error",
    url: text(event.url).slice(0, MAX_PATTERN),
    value: finite(isLatency ? event.ms : event.status),
  };
}

function markOf(event: TraceEvent): Mark | null {
  const lane = lanesOf(event)[0];
  if (!lane) return null;
  const advance = event.kind === "clock.advance" ? finite(event.by_ms) : null;
  const injection = injectionOf(event);
  return {
    seq: event.seq,
    ts: event.ts,
    end: event.ts + Math.max(0, finite(event.duration_ms) ?? 0),
    lane,
    label: labelOf(event).slice(0, MAX_LABEL),
    isBad: isErrorEvent(event),
    ...(advance !== null && { advance }),
    ...(injection && { injection }),
  };
}

/** The single events of a group. What comes after the first `MAX_MARKS` is passed over: the slices show it. */
export function createMarkRows(source: TraceSource, group: MarkGroup): Rows<Mark> {
  const marks: Mark[] = [];
  return createRows(source, GROUPS[group], matcher(group), {
    add(event) {
      const mark = marks.length < MAX_MARKS ? markOf(event) : null;
      if (mark) marks.push(mark);
    },
    snapshot: () => marks.slice(),
  });
}
