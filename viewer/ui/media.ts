import { type ReadonlySignal, signal } from "@preact/signals";

function media(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener("change", (event) => {
    matches.value = event.matches;
  });
  return matches;
}

/** Phones and slim windows: one pane at a time. */
export const isNarrow = media("(max-width: 760px)");
/** Room for a third column beside the page. */
export const isWide = media("(min-width: 1180px)");
/** A pointer that can hover without pressing. */
export const canHover = media("(hover: hover) and (pointer: fine)");
