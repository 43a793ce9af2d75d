import { useSignal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ChevronDown } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useModel } from "../model/model.ts";
import type { TabId } from "../model/tabs.ts";
import { TabLabel } from "./tab-label.tsx";

/** The tabs that fit into the bar, the current one always among them. */
function fitting(bar: HTMLElement, current: TabId): Set<string> {
  const tabs = [...bar.querySelectorAll<HTMLElement>("[role=tab]")];
  const widths = tabs.map((tab) => tab.offsetWidth);
  const own = tabs.findIndex((tab) => tab.dataset.tab === current);
  let room = bar.clientWidth - (widths[own] ?? 0);
  const fit = new Set<string>([current]);
  for (const [at, tab] of tabs.entries()) {
    if (at === own) continue;
    room -= widths[at] ?? 0;
    if (room < 0) break;
    fit.add(tab.dataset.tab ?? "");
  }
  return fit;
}

/** The names of the panels; what does not fit is in a menu at their end. */
export function TabBar(): JSX.Element {
  const model = useModel();
  const bar = useRef<HTMLDivElement>(null);
  const over = useSignal("");
  /** Rises when the room of the bar changes. */
  const resized = useSignal(0);
  const tabs = model.tabs.value;
  const current = model.tab.value;
  const resizes = resized.value;
  useLayoutEffect(() => {
    const element = bar.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      resized.value += 1;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!bar.current) return;
    const fit = fitting(bar.current, current);
    over.value = tabs
      .filter(({ id }) => !fit.has(id))
      .map(({ id }) => id)
      .join();
  }, [tabs, current, resizes, model.summary.value]);
  const hidden = new Set(over.value.split(","));
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.id === current);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (!next) return;
    model.along(() => model.selectTab(next.id));
    requestAnimationFrame(() => document.getElementById(`tab-${next.id}`)?.focus());
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Panels" ref={bar} onKeyDown={onKeyDown} tabIndex={-1}>
        {tabs.map((tab, index) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            data-tab={tab.id}
            type="button"
            role="tab"
            class={hidden.has(tab.id) ? "tab is-over" : "tab"}
            aria-selected={tab.id === current}
            aria-controls={tab.id === current ? `panel-${tab.id}` : undefined}
            tabIndex={tab.id === current ? 0 : -1}
            title={index < 9 ? `${tab.title} ( ${index + 1} )` : `${tab.title} ( g ${tab.key} )`}
            onClick={() => model.selectTab(tab.id)}
          >
            <TabLabel id={tab.id} title={tab.title} />
          </button>
        ))}
      </div>
      {over.value !== "" && (
        <Menu
          label="More panels"
          buttonClass="tab"
          button={
            <>
              More <ChevronDown />
            </>
          }
          items={tabs
            .filter(({ id }) => hidden.has(id))
            .map(({ id, title }) => ({ label: title, run: () => model.selectTab(id) }))}
        />
      )}
    </>
  );
}
