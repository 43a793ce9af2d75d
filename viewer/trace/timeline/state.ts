import { type Signal, signal } from "@preact/signals";
import { LANES, type Lane } from "../../../server/trace/format/summary.ts";
import { recall, remember } from "../../ui/storage.ts";
import type { TraceModel } from "../model/model.ts";
import { perModel } from "../model/scope.ts";
import type { Part } from "./scale.ts";

/** Where the pointer is over the timeline. */
export interface Hover {
  /** Moment under it, epoch ms. */
  ts: number;
  x: number;
  /** From the upper edge of the first lane; negative above the lanes. */
  y: number;
  /** The page whose strip of pictures it is over. */
  page: string | null;
}

export interface TimelineState {
  hover: Signal<Hover | null>;
  /** The span being drawn. */
  draft: Signal<Part | null>;
  /** The part of the trace that is shown; null shows all. */
  zoom: Signal<Part | null>;
  /** The injection that was picked, by its sequence number. */
  injection: Signal<number | null>;
}

/** How the reader looks at the timeline of a trace. */
export const timelineState = perModel(
  (_model: TraceModel): TimelineState => ({
    hover: signal(null),
    draft: signal(null),
    zoom: signal(null),
    injection: signal(null),
  }),
);

const isLane = (text: string): text is Lane => LANES.some((lane) => lane === text);

/** Lanes the reader has no use for, in every trace. */
export const hiddenLanes = signal<ReadonlySet<Lane>>(
  new Set((recall("lanes-hidden") ?? "").split(",").filter(isLane)),
);

export function toggleLane(lane: Lane): void {
  const next = new Set(hiddenLanes.peek());
  if (!next.delete(lane)) next.add(lane);
  hiddenLanes.value = next;
  remember("lanes-hidden", next.size > 0 ? [...next].join(",") : null);
}

export function showAllLanes(): void {
  hiddenLanes.value = new Set();
  remember("lanes-hidden", null);
}

/** Whether idle stretches are drawn narrow. */
export const isIdleFolded = signal(recall("idle") !== "shown");

export function toggleIdle(): void {
  isIdleFolded.value = !isIdleFolded.peek();
  remember("idle", isIdleFolded.peek() ? null : "shown");
}
