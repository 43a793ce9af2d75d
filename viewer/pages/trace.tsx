import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { TraceDetail } from "../api/answers.ts";
import { takeOpened } from "../api/opened.ts";
import { ApiError } from "../api/request.ts";
import { memberTrace, type Sharing, sharedTrace, type TraceSource } from "../api/trace-source.ts";
import { Ask } from "../trace/ask/ask.tsx";
import { createTraceModel, ModelContext } from "../trace/model/model.ts";
import { TraceView } from "../trace/view.tsx";
import { useSignIn } from "../ui/failing.ts";
import { Failed, Message } from "../ui/message.tsx";
import { oneLine } from "../ui/text.ts";

interface TracePageProps {
  /** Trace id, or the short id of a shared link. */
  id: string;
  sharing: Sharing;
  /** Shown when there is no such trace; else that the link has ended. */
  gone?: JSX.Element | undefined;
}

/** What a link shows that was withdrawn, or has expired. */
const EndedLink = (): JSX.Element => (
  <main class="page-centre">
    <h1 class="hidden-text">Not found</h1>
    <Message title="This link no longer works." />
  </main>
);

/** One trace: of this organisation, or behind a share link. */
export function TracePage({ id, sharing, gone }: TracePageProps): JSX.Element {
  const source = useMemo(() => (sharing === "none" ? memberTrace(id) : sharedTrace(id)), [id]);
  return (
    <OpenTrace source={source} sharing={sharing} gone={gone} beside={sharing === "none" ? <Ask /> : null} />
  );
}

interface OpenTraceProps extends Omit<TracePageProps, "id"> {
  source: TraceSource;
  /** What stands beside the trace. An exported file does not even carry its script. */
  beside?: JSX.Element | null;
}

/** What the browser calls the page of a trace. */
export function pageTitle(detail: Pick<TraceDetail, "scenario_title" | "scenario_slug"> | null): string {
  const name = detail ? oneLine(detail.scenario_title || detail.scenario_slug, 120) : "Trace";
  return `${name} · Tracedeck`;
}

/** A trace wherever it is read from. */
export function OpenTrace({ source, sharing, gone = <EndedLink />, beside = null }: OpenTraceProps): JSX.Element {
  const model = useMemo(() => createTraceModel(source, takeOpened(source.id)), [source]);
  useEffect(() => () => model.dispose(), [model]);
  const detail = model.detail.value;
  const title = pageTitle(detail);
  useEffect(() => {
    document.title = title;
  }, [title]);
  const error = model.loader.error.value;
  const status = error instanceof ApiError ? error.status : null;
  useSignIn(error);

  if (error && !detail) {
    if (status === 404) return gone;
    return (
      <main class="page-centre">
        <h1 class="hidden-text">Trace</h1>
        <Failed error={error} retry={model.loader.reload} />
      </main>
    );
  }
  return (
    <ModelContext.Provider value={model}>
      <TraceView sharing={sharing} beside={beside} />
    </ModelContext.Provider>
  );
}
