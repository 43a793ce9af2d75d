import { lazyDialog } from "../../ui/lazy-dialog.tsx";

/** What goes into an exported page, before it is made. */
export const exportPageDialog = lazyDialog(async () => (await import("./dialog.tsx")).ExportDialog);
