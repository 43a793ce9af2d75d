import type { ComponentType, JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatCount } from "../../ui/format.ts";
import { DockBottom, DockRight } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { useLoad } from "../../ui/use-load.ts";
import type { TraceModel } from "../model/model.ts";
import { useModel } from "../model/model.ts";
import { TABS, type TabId } from "../model/tabs.ts";
import { setDock, shownDock } from "../view.tsx";
import { CallPanel } from "./call.tsx";
import { ErrorPanel } from "./error.tsx";

/** The two panels a trace opens with are at hand; the others come when they are first opened. */
const LAZY: Partial<Record<TabId, () => Promise<ComponentType>>> = {
  network: () => import("./network.tsx").then((module) => module.NetworkPanel),
  console: () => import("./console.tsx").then((module) => module.ConsolePanel),
  events: () => import("./events.tsx").then((module) => module.EventsPanel),
  metadata: () => import("./metadata.tsx").then((module) => module.MetadataPanel),
  attachments: () => import("./attachments.tsx").then((module) => module.AttachmentsPanel),
};

const loaded = new Map<TabId, ComponentType>([
  ["error", ErrorPanel],
  ["call", CallPanel],
]);

function LazyPanel({ id }: { id: TabId }): JSX.Element {
  const ready = loaded.get(id);
  const load = LAZY[id];
  const { data, error } = useLoad(ready || !load ? null : id, async () => {
    const Panel = await load?.();
    if (Panel) loaded.set(id, Panel);
    return { Panel };
  });
  const Panel = ready ?? data?.Panel;
  if (error)
    return <Failed error={new Error("This panel's script could not be loaded. Reload to try again.")} />;
  return Panel ? <Panel /> : <Loading />;
}

interface TabCount {
  count: number;
  bad: number;
}

function sumKinds(counts: Record<string, number>, prefix: string): number {
  return Object.entries(counts).reduce(
    (sum, [kind, count]) => (kind.startsWith(prefix) ? sum + count : sum),
    0,
  );
}

/** What a tab holds, from the summary alone, so that nothing has to be loaded to know. */
export function tabCount(model: TraceModel, id: TabId): TabCount | null {
  const summary = model.summary.value;
  if (!summary) return null;
  const { counts } = summary;
  if (id === "error") {
    const count = Math.max(model.failedSteps.value.length, summary.failure ? 1 : 0);
    return { count, bad: count };
  }
  if (id === "network") {
    const count = Math.max(counts["network.response"] ?? 0, counts["network.request"] ?? 0);
    return { count, bad: model.steps.value.reduce((sum, step) => sum + step.bad_requests, 0) };
  }
  if (id === "console") return { count: sumKinds(counts, "console."), bad: counts["console.error"] ?? 0 };
  if (id === "events") return { count: summary.event_count, bad: 0 };
  if (id === "attachments")
    return { count: Object.keys(model.detail.value?.signed_urls ?? {}).length, bad: 0 };
  return null;
}

export function TabLabel({ id, title }: { id: TabId; title: string }): JSX.Element {
  const count = tabCount(useModel(), id);
  return (
    <>
      {title}
      {count !== null && count.count > 0 && (
        <span class={count.bad > 0 ? "tab-count is-failed" : "tab-count"}>
          {formatCount(id === "error" ? count.count : count.bad > 0 ? count.bad : count.count)}
          {count.bad > 0 && id !== "error" && <span class="hidden-text"> bad</span>}
        </span>
      )}
    </>
  );
}

export function PanelBody(): JSX.Element {
  const id = useModel().tab.value;
  return (
    <div class="panel" role="tabpanel" id={`panel-${id}`} aria-labelledby={`tab-${id}`}>
      <LazyPanel key={id} id={id} />
    </div>
  );
}

function TabBar(): JSX.Element {
  const model = useModel();
  const bar = useRef<HTMLDivElement>(null);
  const current = model.tab.value;
  useEffect(() => {
    bar.current?.querySelector(`#tab-${current}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = TABS.findIndex((tab) => tab.id === current);
    const next = TABS[(at + by + TABS.length) % TABS.length];
    if (!next) return;
    model.selectTab(next.id);
    bar.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Panels" ref={bar} onKeyDown={onKeyDown} tabIndex={-1}>
      {TABS.map((tab, index) => (
        <button
          key={tab.id}
          id={`tab-${tab.id}`}
          type="button"
          role="tab"
          class="tab"
          aria-selected={tab.id === current}
          aria-controls={tab.id === current ? `panel-${tab.id}` : undefined}
          tabIndex={tab.id === current ? 0 : -1}
          title={`${tab.title} ( ${index + 1} )`}
          onClick={() => model.selectTab(tab.id)}
        >
          <TabLabel id={tab.id} title={tab.title} />
        </button>
      ))}
    </div>
  );
}

/** The panels beside or below the page. */
export function Panels(): JSX.Element {
  const isRight = shownDock() === "right";
  return (
    <section class="pane-body panels" aria-label="Panels">
      <div class="tab-bar">
        <TabBar />
        {!isNarrow.value && (
          <button
            type="button"
            class="icon-button"
            aria-label={isRight ? "Move the panels below the page" : "Move the panels beside the page"}
            title={isRight ? "Move the panels below the page" : "Move the panels beside the page"}
            onClick={() => setDock(isRight ? "bottom" : "right")}
          >
            {isRight ? <DockBottom /> : <DockRight />}
          </button>
        )}
      </div>
      <PanelBody />
    </section>
  );
}
