import type { ComponentType, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { SigninPage } from "./pages/signin.tsx";
import { route } from "./router.ts";
import { Failed, Loading } from "./ui/message.tsx";
import { EverywhereKeys, Overlays } from "./ui/overlays.tsx";

/** Each page is a script of its own: whoever opens a trace does not wait for the list. */
const loadList = () => import("./pages/list/page.tsx").then((module) => module.ListPage);
const loadFailures = () => import("./pages/failures/page.tsx").then((module) => module.FailuresPage);
const loadScenarios = () => import("./pages/scenarios/page.tsx").then((module) => module.ScenariosPage);
const loadScenario = () => import("./pages/scenarios/scenario.tsx").then((module) => module.ScenarioPage);
const loadRuns = () => import("./pages/runs/page.tsx").then((module) => module.RunsPage);
const loadRun = () => import("./pages/runs/run.tsx").then((module) => module.RunPage);
const loadStorage = () => import("./pages/storage/page.tsx").then((module) => module.StoragePage);
const loadShadow = () => import("./pages/shadow/page.tsx").then((module) => module.ShadowPage);
const loadTrace = () => import("./pages/trace.tsx").then((module) => module.TracePage);
const loadNotFound = () => import("./pages/not-found.tsx").then((module) => module.NotFoundPage);
const loadCompare = () => import("./pages/compare/page.tsx").then((module) => module.ComparePage);

/** Pages that are there from the first render on. */
const loaded = new Map<unknown, unknown>();

/** Loads what shows a trace, so that it takes the place of its own picture at once. */
export async function loadTracePage(): Promise<void> {
  loaded.set(loadTrace, await loadTrace());
}

function Lazy<P extends object>({
  load,
  props,
}: {
  load: () => Promise<ComponentType<P>>;
  props: P;
}): JSX.Element {
  const here = loaded.get(load) as ComponentType<P> | undefined;
  const [page, setPage] = useState(here ? { Page: here } : null);
  const [error, setError] = useState<unknown>(null);
  // Not in an effect, which would wait for the first frame.
  useMemo(() => {
    if (!here) load().then((Page) => setPage({ Page }), setError);
  }, [load]);
  if (error)
    return <Failed error={new Error("This page's script could not be loaded. Reload to try again.")} />;
  if (!page) return <Loading />;
  return <page.Page {...props} />;
}

const NotFound = (): JSX.Element => <Lazy load={loadNotFound} props={{}} />;

function Page(): JSX.Element {
  const at = route.value;
  switch (at.page) {
    case "list":
      return <Lazy key="list" load={loadList} props={{}} />;
    case "failures":
      return <Lazy key="failures" load={loadFailures} props={{}} />;
    case "runs":
      return <Lazy key="runs" load={loadRuns} props={{}} />;
    case "run":
      return <Lazy key={`run ${at.id}`} load={loadRun} props={{ id: at.id }} />;
    case "scenarios":
      return <Lazy key="scenarios" load={loadScenarios} props={{}} />;
    case "scenario":
      return <Lazy key={`scenario ${at.slug}`} load={loadScenario} props={{ slug: at.slug }} />;
    case "storage":
      return <Lazy key="storage" load={loadStorage} props={{}} />;
    case "trace":
      return (
        <Lazy
          key={at.id}
          load={loadTrace}
          props={{ id: at.id, sharing: "none" as const, gone: <NotFound /> }}
        />
      );
    case "shared":
      return (
        <Lazy
          key={at.shortId}
          load={loadTrace}
          props={{ id: at.shortId, sharing: at.isEmbed ? ("embed" as const) : ("page" as const) }}
        />
      );
    case "shadow":
      return <Lazy key={`shadow ${at.id}`} load={loadShadow} props={{ id: at.id }} />;
    case "compare":
      return <Lazy key="compare" load={loadCompare} props={{}} />;
    case "signin":
      return <SigninPage />;
    case "not-found":
      return <NotFound />;
  }
}

export function App(): JSX.Element {
  return (
    <>
      <EverywhereKeys />
      <Page />
      <Overlays />
    </>
  );
}
