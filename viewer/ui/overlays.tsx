import type { JSX } from "preact";
import { HelpSheet } from "./help.tsx";
import { isHelpOpen, useKeys } from "./keyboard.ts";
import { openPalette, palette } from "./palette-open.ts";
import { Toasts } from "./toast.tsx";

/** What lies above every page: help, commands and short messages, with the keys that open them. */
export function Overlays(): JSX.Element {
  useKeys([
    { keys: ["Mod+k"], label: "Commands", group: "Everywhere", run: openPalette },
    {
      keys: ["?"],
      label: "This help",
      group: "Everywhere",
      run: () => {
        isHelpOpen.value = true;
        return true;
      },
    },
  ]);
  const Palette = palette.value;
  return (
    <>
      <HelpSheet />
      {Palette && <Palette onClose={() => (palette.value = null)} />}
      <Toasts />
    </>
  );
}
