import { batch } from "@preact/signals";
import { renderToString } from "preact-render-to-string";
import { type Opened, packOpened } from "../api/opened.ts";
import { memberTrace, type Sharing, sharedTrace } from "../api/trace-source.ts";
import { pageTitle } from "../pages/trace.tsx";
import { location_ } from "../router.ts";
import { createTraceModel, ModelContext } from "../trace/model/model.ts";
import { TraceView } from "../trace/view.tsx";
import { isNarrow, isWide } from "../ui/media.ts";
import { page } from "../where.ts";

/** The layouts that the trace page has: panels beside the page, below it, or one pane at a time. */
export type Layout = "right" | "bottom" | "narrow";

export interface FirstScreen {
  opened: Opened;
  sharing: Sharing;
  layout: Layout;
  /** The address of the page, as the browser sees it. */
  url: URL;
}

/** The trace page as its own components draw it, as HTML: what a browser shows before it has any script. */
export function renderFirstScreen({ opened, sharing, layout, url }: FirstScreen) {
  page.origin = url.origin;
  batch(() => {
    location_.value = { path: url.pathname, search: url.search };
    isNarrow.value = layout === "narrow";
    isWide.value = layout === "right";
  });
  const source = sharing === "none" ? memberTrace(opened.id) : sharedTrace(opened.id);
  const model = createTraceModel(source, opened);
  try {
    const markup = renderToString(
      <ModelContext.Provider value={model}>
        <TraceView sharing={sharing} beside={null} />
      </ModelContext.Provider>,
    );
    return { layout, opened: packOpened(opened), markup, title: pageTitle(opened.detail) };
  } finally {
    model.dispose();
  }
}
