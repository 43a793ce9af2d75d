import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { errorText } from "../../api/request.ts";
import { navigate, route } from "../../router.ts";
import { DiskBanner } from "../../ui/disk-banner.tsx";
import { Filter, Upload } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { isNarrow } from "../../ui/media.ts";
import { SiteBar } from "../../ui/site-bar.tsx";
import { LiveDot } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { usePagedRows } from "../../ui/use-rows.ts";
import { DropTarget } from "./drop.tsx";
import { FacetsPane } from "./facets.tsx";
import { filters, searchErrors } from "./filters.ts";
import { compareMarked, MarkedBar, toggleMark } from "./marked.tsx";
import { createListModel } from "./model.ts";
import { PeriodPicker } from "./period.tsx";
import { sharedRun, sortReports } from "./reports.ts";
import { SavedSearchCommands } from "./saved.tsx";
import { SearchField } from "./search-field.tsx";
import { ListTable } from "./table.tsx";
import { UploadDialog, UploadTray } from "./upload.tsx";
import { asked, askFor, startUploads } from "./uploads.ts";

/** Takes reports in, which know what they are, and other files into the question for their scenario. */
async function pick(files: FileList | readonly File[] | null): Promise<void> {
  if (!files || files.length === 0) return;
  const { reports, traces } = await sortReports([...files]);
  askFor(traces);
  const chosen = reports.map((file) => ({ file, slug: null, run: sharedRun(file, reports) }));
  const isOnly = reports.length === 1 && traces.length === 0;
  await startUploads(chosen, (href) => {
    // Whoever is asked something stays.
    if (isOnly && asked.peek().length === 0 && route.value.page === "list") navigate(href);
  });
}

export function ListPage(): JSX.Element {
  const model = useMemo(createListModel, []);
  const isFacetsOpen = useSignal(false);
  const searchField = useRef<HTMLInputElement>(null);
  const fileField = useRef<HTMLInputElement>(null);
  const active = usePagedRows({
    pages: model.rows,
    asked: JSON.stringify(filters.value),
    what: "trace",
    href: (item) => `/traces/${item.id}`,
  });

  useEffect(() => {
    document.title = "Traces · Tracedeck";
    return model.follow();
  }, [model]);
  useEffect(() => void model.loadFacets(), [model, JSON.stringify(filters.value)]);
  const current = () => model.rows.items.value[active.value];
  useKeys([
    {
      keys: ["p"],
      label: "Pin or unpin",
      group: "List",
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
      group: "List",
      run: () => {
        const item = current();
        if (item) toggleMark(item);
        return item !== undefined;
      },
    },
    {
      keys: ["c"],
      label: "Compare the marked traces, or this one with its last pass",
      group: "List",
      run: () => compareMarked(current()),
    },
    {
      keys: ["/"],
      label: "Search",
      group: "List",
      run: () => {
        searchField.current?.focus();
        searchField.current?.select();
        return true;
      },
    },
    {
      keys: ["u"],
      label: "Upload files",
      group: "List",
      run: () => {
        fileField.current?.click();
        return true;
      },
    },
  ]);

  const narrow = isNarrow.value;
  return (
    <DropTarget onFiles={(files) => void pick(files)}>
      <SiteBar
        aside={
          <>
            {model.rows.isLive.value && !narrow && <LiveDot label="Live" />}
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
              accept=".zip,.zst,.tzst,.tar,.json,.xml"
              onChange={(event) => {
                void pick([...(event.currentTarget.files ?? [])]);
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
        <main class="list-main" aria-busy={model.rows.state.value === "loading"}>
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
      {asked.value.length > 0 && <UploadDialog />}
      <UploadTray />
      <SavedSearchCommands />
    </DropTarget>
  );
}
