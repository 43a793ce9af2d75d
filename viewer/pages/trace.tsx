import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError, memberTrace, type Sharing, sharedTrace, type TraceSource } from "../api.ts";
import { goSignIn } from "../router.ts";
import { createTraceModel, ModelContext } from "../trace/model/model.ts";
import { TraceView } from "../trace/view.tsx";
import { Failed, Message } from "../ui/message.tsx";
import { oneLine } from "../ui/text.ts";

interface TracePageProps {
  /** Trace id, or the short id of a shared link. */
  id: string;
  sharing: Sharing;
}

function Gone({ isShared }: { isShared: boolean }): JSX.Element {
  return (
    <main class="page-centre">
      <h1 class="hidden-text">Not found</h1>
      {isShared ? (
        <Message title="This link no longer works." />
      ) : (
        <Message title="There is no such trace. It may have been removed.">
          <a href="/traces">All traces</a>
        </Message>
      )}
    </main>
  );
}

/** One trace: of this organisation, or behind a share link. */
export function TracePage({ id, sharing }: TracePageProps): JSX.Element {
  const isShared = sharing !== "none";
  const source = useMemo(() => (isShared ? sharedTrace(id) : memberTrace(id)), [id]);
  return <OpenTrace source={source} sharing={sharing} />;
}

/** A trace wherever it is read from. */
export function OpenTrace({ source, sharing }: { source: TraceSource; sharing: Sharing }): JSX.Element {
  const { isShared } = source;
  const model = useMemo(() => createTraceModel(source), [source]);
  useEffect(() => () => model.dispose(), [model]);
  const detail = model.detail.value;
  const title = detail ? oneLine(detail.scenario_title || detail.scenario_slug, 120) : "Trace";
  useEffect(() => {
    document.title = `${title} · Tracedeck`;
  }, [title]);
  const error = model.loader.error.value;
  const status = error instanceof ApiError ? error.status : null;
  useEffect(() => {
    if (status === 401) goSignIn();
  }, [status]);

  if (error && !detail) {
    if (status === 404) return <Gone isShared={isShared} />;
    return (
      <main class="page-centre">
        <h1 class="hidden-text">Trace</h1>
        <Failed error={error} retry={model.loader.reload} />
      </main>
    );
  }
  return (
    <ModelContext.Provider value={model}>
      <TraceView sharing={sharing} />
    </ModelContext.Provider>
  );
}
