import type { ComponentType, JSX } from "preact";
import { DockBottom, DockRight } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { setDock, shownDock } from "../model/dock.ts";
import { useModel } from "../model/model.ts";
import type { TabId } from "../model/tabs.ts";
import { CallPanel } from "./call.tsx";
import { ErrorPanel } from "./error.tsx";
import { TabBar } from "./tab-bar.tsx";

/** The two panels a trace opens with are at hand; the others come when they are first opened. */
const LAZY: Partial<Record<TabId, () => Promise<ComponentType>>> = {
  network: () => import("./network.tsx").then((module) => module.NetworkPanel),
  console: () => import("./console.tsx").then((module) => module.ConsolePanel),
  expects: () => import("./expects.tsx").then((module) => module.ExpectsPanel),
  thoughts: () => import("./thoughts.tsx").then((module) => module.ThoughtsPanel),
  world: () => import("./world.tsx").then((module) => module.WorldPanel),
  storage: () => import("./storage.tsx").then((module) => module.StoragePanel),
  events: () => import("./events.tsx").then((module) => module.EventsPanel),
  metadata: () => import("./metadata.tsx").then((module) => module.MetadataPanel),
  inspect: () => import("../stage/inspect/panel.tsx").then((module) => module.InspectPanel),
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

export function PanelBody(): JSX.Element {
  const id = useModel().tab.value;
  return (
    <div class="panel" role="tabpanel" id={`panel-${id}`} aria-labelledby={`tab-${id}`}>
      <LazyPanel key={id} id={id} />
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
