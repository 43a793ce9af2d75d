import { type Signal, signal } from "@preact/signals";
import { NARROW, ROOMY, WIDE } from "../breakpoints.ts";
import { isServer } from "../where.ts";

/** Where there is no window the signal is set by whoever renders for one. */
function media(query: string): Signal<boolean> {
  if (isServer) return signal(false);
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener("change", (event) => {
    matches.value = event.matches;
  });
  return matches;
}

export const isNarrow = media(NARROW);
export const isWide = media(WIDE);
export const isRoomy = media(ROOMY);
/** The page is being laid out for paper. */
export const isPrinted = media("print");
/** A pointer that can hover without pressing. */
export const canHover = media("(hover: hover) and (pointer: fine)");
