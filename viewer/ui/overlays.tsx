import type { JSX } from "preact";
import { HelpSheet } from "./help.tsx";
import { isHelpOpen, useKeys } from "./keyboard.ts";
import { isModalOpen } from "./modal.tsx";
import { openPalette, palette } from "./palette-open.ts";
import { Toasts } from "./toast.tsx";

/** The keys that hold on every page. Stands before the page, so that the page's own go before them. */
export function EverywhereKeys(): null {
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
  return null;
}

/** What lies above every page: help, commands and short messages. */
export function Overlays(): JSX.Element {
  const Palette = palette.value;
  return (
    <>
      <HelpSheet />
      {Palette && <Palette onClose={() => (palette.value = null)} />}
      <Toasts isHere={!isModalOpen.value} />
    </>
  );
}
