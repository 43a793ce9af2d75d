import { signal } from "@preact/signals";
import { isRoomy, isWide } from "../../ui/media.ts";
import { recall, remember } from "../../ui/storage.ts";

type Dock = "right" | "bottom";
const dock = signal<Dock | null>(
  recall("dock") === "bottom" ? "bottom" : recall("dock") === "right" ? "right" : null,
);

/** Whether something stands beside the trace that takes room from it. */
export const hasNeighbour = signal(false);

/** Where the panels stand: beside the page where there is room, else below it, unless the reader chose. */
export function shownDock(): Dock {
  const hasRoom = hasNeighbour.value ? isRoomy.value : isWide.value;
  return dock.value ?? (hasRoom ? "right" : "bottom");
}

export function setDock(side: Dock): void {
  dock.value = side;
  remember("dock", side);
}
