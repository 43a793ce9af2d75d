import type { JSX } from "preact";
import { useKeys } from "../../ui/keyboard.ts";
import { isNarrow } from "../../ui/media.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import type { View } from "../model/views.ts";

const LABELS: Record<View, { label: string; title: string }> = {
  page: { label: "Page", title: "The page itself, as it was recorded ( v )" },
  screenshot: { label: "Screenshot", title: "A picture of the page ( v )" },
  replay: { label: "Replay", title: "The page as it changed ( v )" },
  video: { label: "Video", title: "The recorded video ( v )" },
};

/** Whether the server can show the pages of a trace's steps: they come from its Playwright archive. */
export function hasPages(model: TraceModel): boolean {
  const detail = model.detail.value;
  const isThere = detail?.has_pages ?? detail?.signed_urls.playwright !== undefined;
  return isThere && model.views.value.includes("page");
}

/** Shows the recorded page for now, without making it the reader's usual view. */
export function showPage(model: TraceModel): void {
  if (hasPages(model)) model.showView("page");
}

/** Between the forms that the trace has of the same instant. */
export function ViewSwitch(): JSX.Element | null {
  const model = useModel();
  const views = model.views.value;
  useKeys([
    {
      keys: ["v"],
      label: "Show the page in another form: page, screenshot, replay, video",
      group: "Page",
      run: () => {
        const there = model.views.peek();
        const next = there[(there.indexOf(model.view.peek()) + 1) % there.length];
        if (!next || there.length < 2) return false;
        model.selectView(next);
        return true;
      },
    },
  ]);
  if (views.length < 2) return null;
  if (isNarrow.value && views.length > 2)
    return (
      <select
        class="select"
        aria-label="Shown of the page"
        value={model.view.value}
        onChange={(event) => {
          const chosen = views.find((view) => view === event.currentTarget.value);
          if (chosen) model.selectView(chosen);
        }}
      >
        {views.map((view) => (
          <option key={view} value={view}>
            {LABELS[view].label}
          </option>
        ))}
      </select>
    );
  return (
    <fieldset class="switch" aria-label="Shown of the page">
      {views.map((view) => (
        <button
          key={view}
          type="button"
          class="toggle"
          aria-pressed={model.view.value === view}
          title={LABELS[view].title}
          onClick={() => model.selectView(view)}
        >
          {LABELS[view].label}
        </button>
      ))}
    </fieldset>
  );
}
