import { api } from "../api/calls.ts";
import { Copy, Document, Download, External, Network } from "../ui/icons.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { page } from "../where.ts";
import { exportPageDialog } from "./export/open.tsx";
import type { TraceModel } from "./model/model.ts";
import { copyPrompt } from "./share/copy-prompt.tsx";

/** Only a path of this server is followed. */
function ownPath(url: string | null | undefined): string | null {
  const parsed = url ? URL.parse(url, page.origin) : null;
  return parsed && parsed.origin === page.origin ? parsed.href : null;
}

/** Every form in which a trace leaves this page; fewer on a shared page and in a file. */
export function handOverItems(model: TraceModel): MenuItem[] {
  const { source } = model;
  const detail = model.detail.value;
  if (!detail) return [];
  const { promptUrl, harUrl, file } = source;
  const archive = ownPath(detail.signed_urls.playwright);
  const name = `trace-${detail.short_id}`;
  const items: MenuItem[] = [];
  if (promptUrl && model.summary.value?.failure)
    items.push({ label: "Copy as prompt", icon: <Copy />, run: () => void copyPrompt(promptUrl) });
  items.push({
    label: "Report (Markdown)",
    icon: <Document />,
    href: source.reportUrl,
    isDownload: true,
    fileName: `${name}.md`,
  });
  if (!source.isShared && detail.tier !== "cold" && !model.loader.isLive.value) {
    items.push(
      { label: "One HTML page…", icon: <Download />, run: exportPageDialog.open },
      { label: "Bundle (tar.zst)", icon: <Download />, href: api.exportUrl(source.id), isDownload: true },
    );
  }
  if (harUrl && detail.tier !== "cold")
    items.push({ label: "Requests (HAR)", icon: <Network />, href: harUrl, isDownload: true });
  if (archive)
    items.push({ label: "Playwright archive (zip)", icon: <Download />, href: archive, isDownload: true });
  const kept = file ? URL.parse(file.url) : null;
  if (kept && (kept.protocol === "http:" || kept.protocol === "https:"))
    items.push({ label: "Open where it is kept", icon: <External />, href: kept.href, isNewTab: true });
  return items;
}
