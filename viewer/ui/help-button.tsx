import type { JSX } from "preact";
import { Help } from "./icons.tsx";
import { isHelpOpen } from "./keyboard.ts";

/** Opens the sheet of keys. */
export function HelpButton(): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Keyboard help"
      title="Keyboard help ( ? )"
      onClick={() => (isHelpOpen.value = true)}
    >
      <Help />
    </button>
  );
}
