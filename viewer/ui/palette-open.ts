import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { notify } from "./toast.tsx";
import { holdKeys } from "./type-ahead.ts";

/** The palette while it is open. */
export const palette = signal<ComponentType<{ onClose: () => void }> | null>(null);

/** Takes over the keys that are held back for the palette; null while none are. */
let take: (() => string) | null = null;

/** Lets the keys go their way again; what was typed up to now. */
export function takeTypedAhead(): string {
  const typed = take?.() ?? "";
  take = null;
  return typed;
}

/** Opens the list of everything that can be done here. Its script comes when it is first opened. */
export function openPalette(): undefined {
  if (take) return;
  take = holdKeys(() => {
    take = null;
  });
  import("./palette.tsx").then(
    (module) => {
      // Escape took the wish back.
      if (take) palette.value = module.Palette;
    },
    () => {
      takeTypedAhead();
      notify("The commands could not be loaded. Reload to try again.", { isError: true });
    },
  );
}
