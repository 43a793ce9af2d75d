import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { errorText } from "../../api.ts";
import { navigate } from "../../router.ts";
import { DiskBanner } from "../../ui/disk-banner.tsx";
import { Filter, Upload } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { isNarrow } from "../../ui/media.ts";
import { SiteBar } from "../../ui/site-bar.tsx";
import { LiveDot } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { DropTarget } from "./drop.tsx";
import { FacetsPane } from "./facets.tsx";
import { filters, searchErrors } from "./filters.ts";
import { compareMarked, MarkedBar, toggleMark } from "./marked.tsx";
import { createListModel } from "./model.ts";
import { PeriodPicker } from "./period.tsx";
import { SavedSearchCommands } from "./saved.tsx";
import { SearchField } from "./search-field.tsx";
import { ListTable } from "./table.tsx";
import { UploadDialog, UploadTray } from "./upload.tsx";
import { asked } from "./uploads.ts";

/** Takes files into the question for their scenario. */
function pick(files: FileList | readonly File[] | null): void {
  if (files && files.length > 0) asked.value = [...files];
}

export function ListPage(): JSX.Element {
  const model = useMemo(createListModel, []);
  const active = useSignal(-1);
  const isFacetsOpen = useSignal(false);
  const searchField = useRef<HTMLInputElement>(null);
  const fileField = useRef<HTMLInputElement>(null);
  const chosen = filters.value;

  useEffect(() => {
    document.title = "Traces · Tracedeck";
    void model.loadFacets();
    return model.follow();
  }, [model]);
  useEffect(() => {
    active.value = -1;
    void model.load(chosen);
  }, [model, chosen]);

  // The chosen row stays chosen wherever new rows move it.
  useEffect(() => {
    let shown = model.items.peek();
    return model.items.subscribe((items) => {
      const row = shown[active.peek()];
      shown = items;
      if (row) active.value = items.findIndex((item) => item.id === row.id);
    });
  }, [model, active]);

  const move = (by: number): boolean => {
    const last = model.items.value.length - 1;
    if (last < 0) return false;
    active.value = Math.max(0, Math.min(last, active.value + by));
    if (active.value > last - 20) void model.loadMore();
    return true;
  };
  const current = () => model.items.value[active.value];
  useKeys([
    { keys: ["j", "ArrowDown"], label: "Next trace", group: "Traces", run: () => move(1) },
    { keys: ["k", "ArrowUp"], label: "Previous trace", group: "Traces", run: () => move(-1) },
    {
      keys: ["Enter", "o"],
      label: "Open the trace",
      group: "Traces",
      run: () => {
        const item = current();
        if (item) navigate(`/traces/${item.id}`);
        return item !== undefined;
      },
    },
    {
      keys: ["p"],
      label: "Pin or unpin",
      group: "Traces",
      run: () => {
        const item = current();
        if (!item) return false;
        model.setPinned(item, !item.pinned).catch((error) => notify(errorText(error), { isError: true }));
        return true;
      },
    },
    {
      keys: ["x"],
      label: "Mark for comparing, or take the mark away",
      group: "Traces",
      run: () => {
        const item = current();
        if (item) toggleMark(item);
        return item !== undefined;
      },
    },
    {
      keys: ["c"],
      label: "Compare the marked traces, or this one with its last pass",
      group: "Traces",
      run: () => compareMarked(current()),
    },
    {
      keys: ["/"],
      label: "Search",
      group: "Traces",
      run: () => {
        searchField.current?.focus();
        searchField.current?.select();
        return true;
      },
    },
    {
      keys: ["u"],
      label: "Upload files",
      group: "Traces",
      run: () => {
        fileField.current?.click();
        return true;
      },
    },
  ]);

  const narrow = isNarrow.value;
  return (
    <DropTarget onFiles={pick}>
      <SiteBar
        aside={
          <>
            {model.isLive.value && !narrow && <LiveDot label="Live" />}
            {narrow && (
              <button
                type="button"
                class="icon-button"
                aria-label="Filters"
                aria-expanded={isFacetsOpen.value}
                onClick={() => (isFacetsOpen.value = !isFacetsOpen.value)}
              >
                <Filter />
              </button>
            )}
            <button type="button" class="button is-primary" onClick={() => fileField.current?.click()}>
              <Upload />
              <span class="button-word">Upload</span>
            </button>
            <input
              ref={fileField}
              type="file"
              multiple
              class="hidden-text"
              tabIndex={-1}
              aria-label="Trace archives or bundles"
              accept=".zip,.zst,.tzst,.tar"
              onChange={(event) => {
                pick(event.currentTarget.files);
                event.currentTarget.value = "";
              }}
            />
          </>
        }
      >
        <SearchField field={searchField} facets={model.facets.value} />
        {!narrow && <PeriodPicker />}
      </SiteBar>
      <DiskBanner />
      <div class="list-body">
        {(!narrow || isFacetsOpen.value) && (
          <FacetsPane facets={model.facets.value} onClose={() => (isFacetsOpen.value = false)} />
        )}
        <main class="list-main" aria-busy={model.state.value === "loading"}>
          <h1 class="hidden-text">Traces</h1>
          {searchErrors.value.length > 0 && (
            <ul class="search-errors" role="alert">
              {searchErrors.value.map(({ text, error }) => (
                <li key={text} class="captured">
                  <code>{oneLine(text, 80)}</code> is not used. {oneLine(error, 200)}
                </li>
              ))}
            </ul>
          )}
          <MarkedBar />
          <ListTable model={model} active={active} onUpload={() => fileField.current?.click()} />
        </main>
      </div>
      {asked.value.length > 0 && (
        <UploadDialog
          files={asked.value}
          scenarios={model.facets.value?.scenarios.map((scenario) => scenario.slug) ?? []}
        />
      )}
      <UploadTray />
      <SavedSearchCommands />
    </DropTarget>
  );
}
