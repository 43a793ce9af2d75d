import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { notify } from "./toast.tsx";

/** The palette while it is open. */
export const palette = signal<ComponentType<{ onClose: () => void }> | null>(null);

/** What was typed since the palette was asked for; null while no keys are held back for it. */
let typedAhead: string | null = null;

/** Keys pressed before its script is there are meant for the palette, not for the page behind. */
function hold(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.key === "Backspace") typedAhead = (typedAhead ?? "").slice(0, -1);
  else if (event.key.length === 1) typedAhead = (typedAhead ?? "") + event.key;
  else if (event.key === "Escape") takeTypedAhead();
}

/** Lets the keys go their way again; what was typed up to now. */
export function takeTypedAhead(): string {
  removeEventListener("keydown", hold, true);
  const typed = typedAhead ?? "";
  typedAhead = null;
  return typed;
}

/** Opens the list of everything that can be done here. Its script comes when it is first opened. */
export function openPalette(): undefined {
  if (typedAhead !== null) return;
  typedAhead = "";
  addEventListener("keydown", hold, true);
  import("./palette.tsx").then(
    (module) => {
      // Escape took the wish back.
      if (typedAhead !== null) palette.value = module.Palette;
    },
    () => {
      takeTypedAhead();
      notify("The commands could not be loaded. Reload to try again.", { isError: true });
    },
  );
}
