import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Restore } from "../../ui/icons.tsx";
import type { MenuItem } from "../../ui/menu.tsx";
import { notify } from "../../ui/toast.tsx";
import type { TraceModel } from "../model/model.ts";

type Opened = (props: { onClose: () => void }) => JSX.Element;

const isOpen = signal(false);
const dialog = signal<{ Dialog: Opened } | null>(null);

/** The way to a trace's replays; none on shared pages, in files, and while the trace is being recorded. */
export function replayItems({ source, detail, loader }: TraceModel): MenuItem[] {
  if (source.isShared || source.file || !detail.value || loader.isLive.value) return [];
  return [{ label: "Replay from a step…", icon: <Restore />, run: () => (isOpen.value = true) }];
}

/** The dialog, once it is asked for: its code is loaded then. */
export function Replay(): JSX.Element | null {
  useEffect(() => {
    if (!isOpen.value || dialog.peek()) return;
    import("./dialog.tsx").then(
      (module) => {
        dialog.value = { Dialog: module.ReplayDialog };
      },
      () => {
        isOpen.value = false;
        notify("The dialog could not be loaded; reload the page.", { isError: true });
      },
    );
  }, [isOpen.value]);
  useEffect(
    () => () => {
      isOpen.value = false;
    },
    [],
  );
  const Dialog = isOpen.value ? dialog.value?.Dialog : undefined;
  return Dialog ? <Dialog onClose={() => (isOpen.value = false)} /> : null;
}
