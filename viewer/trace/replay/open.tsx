import { Restore } from "../../ui/icons.tsx";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import type { MenuItem } from "../../ui/menu.tsx";
import type { TraceModel } from "../model/model.ts";

const dialog = lazyDialog(async () => (await import("./dialog.tsx")).ReplayDialog);

/** The dialog, once it is asked for. */
export const Replay = dialog.Host;

/** The way to a trace's replays; none on shared pages, in files, and while the trace is being recorded. */
export function replayItems({ source, detail, loader }: TraceModel): MenuItem[] {
  if (source.isShared || source.file || !detail.value || loader.isLive.value) return [];
  return [{ label: "Replay from a step…", icon: <Restore />, run: dialog.open }];
}
