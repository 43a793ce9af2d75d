import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useKeys } from "../../ui/keyboard.ts";
import { recall, remember } from "../../ui/storage.ts";
import type { TraceModel } from "../model/model.ts";

type View = "page" | "screenshot";

const VIEWS: { id: View; label: string; title: string }[] = [
  { id: "page", label: "Page", title: "The page itself, as it was recorded ( v )" },
  { id: "screenshot", label: "Screenshot", title: "A picture of the page ( v )" },
];

/** What the stage shows of a trace that has both. */
export const shownView = signal<View>(recall("stage.view") === "page" ? "page" : "screenshot");

/** Whether the server can show the pages of a trace: they come from its Playwright archive. */
export function hasPages(model: TraceModel): boolean {
  const count = model.summary.value?.counts["dom.snapshot"] ?? 0;
  const detail = model.detail.value;
  return count > 0 && (detail?.has_pages ?? detail?.signed_urls.playwright !== undefined);
}

function show(view: View): void {
  shownView.value = view;
  remember("stage.view", view);
}

/** Shows the recorded page for now, without making it the reader's usual view. */
export function showPage(model: TraceModel): void {
  if (hasPages(model)) shownView.value = "page";
}

/** Between the page and its screenshot. */
export function ViewSwitch(): JSX.Element {
  useKeys([
    {
      keys: ["v"],
      label: "The page, or its screenshot",
      group: "Steps",
      run: () => {
        show(shownView.peek() === "page" ? "screenshot" : "page");
        return true;
      },
    },
  ]);
  return (
    <fieldset class="switch" aria-label="Shown of the page">
      {VIEWS.map(({ id, label, title }) => (
        <button
          key={id}
          type="button"
          class="toggle"
          aria-pressed={shownView.value === id}
          title={title}
          onClick={() => show(id)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}
