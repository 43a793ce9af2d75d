import { batch } from "@preact/signals";
import { renderToString } from "preact-render-to-string";
import { DATA_ID, type DocsDocument } from "../pages/docs/document.ts";
import { DocsView } from "../pages/docs/view.tsx";
import { location_ } from "../router.ts";
import { isNarrow, isWide } from "../ui/media.ts";

/** A page of the documentation as HTML, with what the viewer needs to take it over. */
export function renderDocs(shown: DocsDocument, layout: { isNarrow: boolean }) {
  batch(() => {
    location_.value = { path: shown.path, search: "" };
    isNarrow.value = layout.isNarrow;
    isWide.value = !layout.isNarrow;
  });
  const { html: _, ...data } = shown;
  const inert = JSON.stringify(data).replaceAll("<", "\\u003c");
  return {
    title: `${shown.title} · Tracedeck`,
    markup: renderToString(<DocsView shown={shown} />),
    data: `<script type="application/json" id="${DATA_ID}">${inert}</script>`,
  };
}
