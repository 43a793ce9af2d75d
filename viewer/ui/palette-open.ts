import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { holdForPalette, isPaletteAwaited, takeTypedAhead } from "./palette-keys.ts";
import { notify } from "./toast.tsx";

/** The palette while it is open. */
export const palette = signal<ComponentType<{ onClose: () => void }> | null>(null);

/** Opens the list of everything that can be done here. Its script comes when it is first opened. */
export function openPalette(): undefined {
  if (isPaletteAwaited()) return;
  holdForPalette();
  import("./palette.tsx").then(
    (module) => {
      // Escape took the wish back.
      if (isPaletteAwaited()) palette.value = module.Palette;
    },
    () => {
      takeTypedAhead();
      notify("The commands could not be loaded. Reload to try again.", { isError: true });
    },
  );
}
