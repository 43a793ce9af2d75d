import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { notify } from "./toast.tsx";

/** The palette while it is open. */
export const palette = signal<ComponentType<{ onClose: () => void }> | null>(null);

/** Opens the list of everything that can be done here. Its script comes when it is first opened. */
export function openPalette(): undefined {
  import("./palette.tsx").then(
    (module) => {
      palette.value = module.Palette;
    },
    () => notify("The commands could not be loaded. Reload to try again.", { isError: true }),
  );
}
