import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "../api/calls.ts";
import { errorText } from "../api/request.ts";
import type { Sharing } from "../api/trace-source.ts";
import { location_, navigate } from "../router.ts";
import { Mark } from "../ui/brand.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { formatAge, formatDuration, formatWall } from "../ui/format.ts";
import { HelpButton } from "../ui/help-button.tsx";
import {
  ChevronLeft,
  Download,
  External,
  More,
  Pin,
  Search,
  Share,
  Speech,
  Terminal,
  Trash,
} from "../ui/icons.tsx";
import { useKeys } from "../ui/keyboard.ts";
import { isNarrow } from "../ui/media.ts";
import { follow, Menu, type MenuItem } from "../ui/menu.tsx";
import { openPalette } from "../ui/palette-open.ts";
import { Status } from "../ui/status.tsx";
import { oneLine } from "../ui/text.ts";
import { ThemeMenu, themeItems } from "../ui/theme-menu.tsx";
import { notify } from "../ui/toast.tsx";
import { useNow } from "../ui/use-now.ts";
import { page } from "../where.ts";
import { openAsk } from "./ask/state.ts";
import { useCompareItems } from "./compare.tsx";
import { exportPageDialog } from "./export/open.tsx";
import { Follow } from "./follow.tsx";
import { handOverItems } from "./hand-over.tsx";
import { AttemptSwitch } from "./history/attempts.tsx";
import { HeaderHistory } from "./history/history.tsx";
import { openFind } from "./model/find.ts";
import { useModel } from "./model/model.ts";
import { Replay, replayItems } from "./replay/open.tsx";
import { ShareDialog } from "./share/dialog.tsx";

/** The archive viewer is told where it comes from; anything that is no http address is not a link. */
function viewerUrl(url: string | null | undefined): string | null {
  const parsed = url ? URL.parse(url, page.origin) : null;
  return parsed && (parsed.protocol === "http:" || parsed.protocol === "https:") ? parsed.href : null;
}

function RemoveDialog({
  id,
  isPinned,
  onClose,
}: {
  id: string;
  isPinned: boolean;
  onClose: () => void;
}): JSX.Element {
  const isBusy = useSignal(false);
  const remove = async (): Promise<void> => {
    isBusy.value = true;
    try {
      if (isPinned) await api.setPinned(id, false);
      await api.remove(id);
      notify("The trace was removed.");
      navigate("/traces");
    } catch (error) {
      notify(errorText(error), { isError: true });
      onClose();
    }
  };
  return (
    <Dialog title="Remove this trace?" onClose={onClose}>
      <p>
        Its events, screenshots and files are deleted, and links to it stop working. This cannot be undone.
        {isPinned && " It is pinned; removing unpins it first."}
      </p>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="button is-danger" disabled={isBusy.value} onClick={() => void remove()}>
          Remove
        </button>
      </div>
    </Dialog>
  );
}

function Facts(): JSX.Element | null {
  const { detail, summary } = useModel();
  const now = useNow(false);
  const known = detail.value;
  if (!known) return null;
  const duration = known.duration_ms || (summary.value?.duration_ms ?? 0);
  const sha = oneLine(known.code_sha ?? "").slice(0, 8);
  const since = known.started_at ?? known.created_at;
  return (
    <span class="facts dim">
      {duration > 0 && <span class="num">{formatDuration(duration)}</span>}
      <span
        data-since={since}
        onPointerEnter={({ currentTarget }) => {
          currentTarget.title = formatWall(since);
        }}
      >
        {formatAge(since, now)}
      </span>
      {sha && (
        <span class="mono captured" title="Commit">
          {sha}
        </span>
      )}
      {known.pr_number !== null && known.pr_number !== undefined && <span>PR #{known.pr_number}</span>}
    </span>
  );
}

export function TraceHeader({ sharing }: { sharing: Sharing }): JSX.Element {
  const model = useModel();
  const isSharing = useSignal(false);
  const isRemoving = useSignal(false);
  const detail = model.detail.value;
  const isShared = sharing !== "none";
  const title = detail ? oneLine(detail.scenario_title || detail.scenario_slug, 200) : "";
  const named = oneLine(model.summary.value?.environment.test ?? "", 200);
  const test = isNarrow.value || named === title ? "" : named;
  const viewer = viewerUrl(detail?.playwright_viewer_url);
  useEffect(() => {
    if (isSharing.value && !detail) isSharing.value = false;
  }, [detail]);

  const togglePin = async (): Promise<void> => {
    if (!detail) return;
    try {
      const { pinned } = await api.setPinned(model.source.id, !detail.pinned);
      model.detail.value = { ...detail, pinned };
      notify(pinned ? "Pinned: kept past its retention." : "Unpinned.");
    } catch (error) {
      notify(errorText(error), { isError: true });
    }
  };
  const items: MenuItem[] = replayItems(model);
  if (viewer)
    items.push({ label: "Open in Playwright's viewer", icon: <External />, href: viewer, isNewTab: true });
  const forms = handOverItems(model);
  const takeAlong = forms.map((item) => ({ ...item, label: `Hand over: ${item.label}` }));
  if (detail && !isShared) {
    items.push({ label: detail.pinned ? "Unpin" : "Pin", icon: <Pin />, run: () => void togglePin() });
    items.push({ label: "Remove…", icon: <Trash />, run: () => (isRemoving.value = true) });
  }

  const share: MenuItem[] =
    detail && !isShared ? [{ label: "Share…", run: () => (isSharing.value = true) }] : [];
  useKeys(
    [...share, ...takeAlong, ...items].map((item) => ({
      keys: [],
      label: item.label,
      group: "Trace",
      run: () => {
        follow(item);
        return true;
      },
    })),
  );
  const comparisons = useCompareItems();
  const commands: MenuItem = { label: "All commands…", icon: <Terminal />, run: openPalette };

  return (
    <header class="bar trace-bar">
      {isShared ? (
        <Mark />
      ) : (
        <a class="brand" href="/traces" aria-label="All traces" title="All traces">
          <ChevronLeft />
          {!isNarrow.value && <Mark />}
        </a>
      )}
      {detail && <Status status={detail.status} />}
      <span class="trace-title ellipsis captured" title={title}>
        {title}
      </span>
      {test && (
        <span class="trace-test dim ellipsis captured" title={test}>
          {test}
        </span>
      )}
      {detail?.pinned && !isNarrow.value && <Pin label="Pinned" class="dim" />}
      <AttemptSwitch />
      {!isNarrow.value && <Facts />}
      <HeaderHistory />
      <Follow />
      <span class="bar-space" />
      {viewer && !isNarrow.value && !isShared && (
        <a
          class="button"
          href={viewer}
          target="_blank"
          rel="noopener"
          title="Open in Playwright's own viewer"
        >
          <External />
          <span class="button-word">Playwright viewer</span>
        </a>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label="Find in this trace"
        title="Find in this trace ( / )"
        onClick={() => openFind(model)}
      >
        <Search />
      </button>
      {detail && !isShared && (
        <button
          type="button"
          class="button"
          title="Ask about this trace ( a )"
          onClick={() => openAsk(model)}
        >
          <Speech />
          <span class="button-word">Ask</span>
        </button>
      )}
      {detail && !isShared && (
        <button type="button" class="button" onClick={() => (isSharing.value = true)}>
          <Share />
          <span class="button-word">Share</span>
        </button>
      )}
      {sharing === "embed" ? (
        <a
          class="button"
          href={`/r/${model.source.id}${location_.value.search}`}
          target="_blank"
          rel="noopener"
        >
          <External />
          <span class="button-word">Open</span>
        </a>
      ) : (
        <>
          {!isNarrow.value && forms.length > 0 && (
            <Menu
              label="Hand over"
              buttonClass="button"
              button={
                <>
                  <Download />
                  <span class="button-word">Hand over</span>
                </>
              }
              items={forms}
            />
          )}
          <Menu
            label="More actions"
            button={<More />}
            items={[...comparisons, ...(isNarrow.value ? forms : []), ...items, commands]}
            choices={isNarrow.value ? { title: "Theme", items: themeItems() } : undefined}
          />
        </>
      )}
      {sharing !== "embed" && !isNarrow.value && <HelpButton />}
      {sharing !== "embed" && !isNarrow.value && <ThemeMenu />}
      {!isShared && <Replay />}
      {!isShared && <exportPageDialog.Host />}
      {isSharing.value && detail && <ShareDialog onClose={() => (isSharing.value = false)} />}
      {isRemoving.value && detail && (
        <RemoveDialog
          id={model.source.id}
          isPinned={detail.pinned ?? false}
          onClose={() => (isRemoving.value = false)}
        />
      )}
    </header>
  );
}
