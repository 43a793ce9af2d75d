import { signal } from "@preact/signals";
import { isWide } from "../../ui/media.ts";
import { recall, remember } from "../../ui/storage.ts";

type Dock = "right" | "bottom";
const dock = signal<Dock | null>(
  recall("dock") === "bottom" ? "bottom" : recall("dock") === "right" ? "right" : null,
);

/** Where the panels stand: beside the page where there is room, else below it, unless the reader chose. */
export function shownDock(): Dock {
  return dock.value ?? (isWide.value ? "right" : "bottom");
}

export function setDock(side: Dock): void {
  dock.value = side;
  remember("dock", side);
}
