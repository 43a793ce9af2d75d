import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { query } from "../router.ts";
import { useModel } from "./model/model.ts";
import { PanelBody } from "./panels/panels.tsx";
import { TabLabel } from "./panels/tab-label.tsx";
import { inspectState } from "./stage/inspect/state.ts";
import { Stage } from "./stage/stage.tsx";
import { StepPane } from "./steps/step-pane.tsx";

type Pane = "page" | "steps" | "panel";
const pane = signal<Pane>("page");

/** One pane at a time, chosen at the bottom, where a thumb reaches. */
export function NarrowView(): JSX.Element {
  const model = useModel();
  const tab = model.tab.value;
  const step = model.step.value?.step_id;
  const wasStep = useRef(step);
  const event = model.eventSeq.value;
  // Before the panes can be seen, so that none of this takes back what the reader has chosen meanwhile.
  useLayoutEffect(() => {
    if (event !== null) pane.value = "panel";
  }, [event]);
  // The address says which panel is meant; back to where it said none is back to the page.
  const wanted = query.value.get("tab");
  const wasWanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted !== wasWanted.current) pane.value = wanted === null ? "page" : "panel";
    wasWanted.current = wanted;
  }, [wanted]);
  const chosen = inspectState(model).chosen.value;
  const wasChosen = useRef(chosen);
  useLayoutEffect(() => {
    if (chosen !== wasChosen.current && chosen) pane.value = "panel";
    wasChosen.current = chosen;
  }, [chosen]);
  useLayoutEffect(() => {
    if (wasStep.current !== undefined && wasStep.current !== step && pane.value === "steps")
      pane.value = "page";
    wasStep.current = step;
  }, [step]);
  const tabs = useRef<HTMLElement>(null);
  const known = model.tabs.value;
  useEffect(() => {
    tabs.current
      ?.querySelector("[aria-pressed=true]")
      ?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pane.value, tab, known]);
  return (
    <div class="narrow">
      <div class="narrow-body">
        {pane.value === "page" && <Stage />}
        {pane.value === "steps" && <StepPane />}
        {pane.value === "panel" && <PanelBody />}
      </div>
      <nav class="narrow-tabs" aria-label="Panes" ref={tabs}>
        <button
          type="button"
          class="tab"
          aria-pressed={pane.value === "page"}
          onClick={() => (pane.value = "page")}
        >
          Page
        </button>
        <button
          type="button"
          class="tab"
          aria-pressed={pane.value === "steps"}
          onClick={() => (pane.value = "steps")}
        >
          Steps
        </button>
        {known.map((entry) => (
          <button
            key={entry.id}
            id={`tab-${entry.id}`}
            type="button"
            class="tab"
            aria-pressed={pane.value === "panel" && entry.id === tab}
            onClick={() => {
              pane.value = "panel";
              model.selectTab(entry.id);
            }}
          >
            <TabLabel id={entry.id} title={entry.title} />
          </button>
        ))}
      </nav>
    </div>
  );
}
