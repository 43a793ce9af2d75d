import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PageSnapshot } from "../../api/answers.ts";
import { eventsBetween } from "../../api/trace-source.ts";
import { External, Picture } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { type Loaded, useLoad } from "../../ui/use-load.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { type PageRow, pageAt, toPageRow } from "../model/pages.ts";
import type { Moment } from "../model/views.ts";
import { AddressBar } from "./address-bar.tsx";
import { ClickPoint } from "./click-point.tsx";
import { recordedViewport, USUAL_VIEWPORT } from "./frame.ts";
import { attach, detach, inspectState, pageUrl, sandboxOf } from "./inspect/state.ts";
import { LaidOver } from "./overlay.tsx";
import { PageFrames } from "./page-frames.tsx";
import { hasPages } from "./view-switch.tsx";

/** What is shown of a step that lacks the wanted moment. */
const NEAREST: Record<Moment, readonly Moment[]> = {
  before: ["before", "action", "after"],
  action: ["action", "after", "before"],
  after: ["after", "action", "before"],
};

/** The pages that one may be chosen from: the step's of an archive, else all that the trace has. */
function usePages(model: TraceModel): Loaded<readonly PageRow[]> {
  const isArchive = hasPages(model);
  const step = model.step.value;
  const ofStep = useLoad(isArchive && step ? `pages ${step.step_id}` : null, async (signal) => {
    const query = { step: step?.step_id ?? "", kind: "dom.snapshot" };
    const { events } = await eventsBetween(model.source, query, { offset: 0, limit: 200 }, signal);
    return events.flatMap((event) => toPageRow(event) ?? []).sort((a, b) => a.ts - b.ts);
  });
  useEffect(() => {
    if (!isArchive && !model.loader.isLive.value) model.pages.ensure();
  }, [isArchive, model.loader.isLive.value]);
  if (isArchive) return ofStep;
  const { rows, state, error } = model.pages;
  const isLoading = state.value === "loading" || (state.value === "idle" && rows.value.length === 0);
  return { data: isLoading ? null : rows.value, error: error.value, isLoading };
}

/** The page of the instant: by the moment of the step, or by the time of the playhead. */
function chosenPage(model: TraceModel, pages: readonly PageRow[]): PageRow | null {
  const ts = model.playhead.value;
  if (model.hasOwnTime.value) return pageAt(pages, ts);
  if (!hasPages(model)) {
    // What a step left behind is recorded a little after it has ended.
    const id = model.moment.value === "before" ? null : model.step.value?.step_id;
    return (id && pages.findLast((page) => page.stepId === id)) || pageAt(pages, ts);
  }
  for (const phase of NEAREST[model.moment.value ?? "action"]) {
    const ofPhase = pages.filter((page) => page.phase === phase);
    // Of a step of several calls: from before the first to after the last.
    const found = phase === "before" ? ofPhase[0] : ofPhase.at(-1);
    if (found) return found;
  }
  return null;
}

/** A recorded page, found: as the server's snapshot, or as markup of its own. */
interface Found {
  snapshot: PageSnapshot | null;
  html: string | null;
  phase: string | null;
  /** Of the page when it was recorded. */
  address: string;
}

/** Where the server shows a page without its scripts. */
function useFound(model: TraceModel, row: PageRow | null): Loaded<Found> {
  return useLoad(row ? `page ${row.seq}` : null, async (signal) => {
    const named = row?.snapshot;
    const snapshot = named ? await model.source.snapshot(named.name, named.page, signal) : null;
    return {
      snapshot,
      html: row?.html ? model.source.pageUrl(row.html) : null,
      phase: row?.phase ?? null,
      address: snapshot?.url ?? row?.url ?? "",
    };
  });
}

/** The recorded page at the instant, rendered by the server without its scripts. */
export function RecordedPage(): JSX.Element {
  const model = useModel();
  const pages = usePages(model);
  const row = pages.data && chosenPage(model, pages.data);
  const found = useFound(model, row);
  // While the next page is asked for, the present one stays.
  const last = useRef<Found | null>(null);
  last.current = found.data ?? last.current;
  const { isMissing } = inspectState(model);
  useEffect(() => () => detach(model), []);
  const error = pages.error ?? found.error;
  const isEmpty = pages.data !== null && !row;
  useEffect(() => {
    isMissing.value = isEmpty;
  }, [isEmpty]);
  if (error || isEmpty) last.current = null;
  const shown = last.current;
  const url = shown?.snapshot ? pageUrl(model, shown.snapshot) : (shown?.html ?? undefined);
  const size = shown?.snapshot?.viewport ?? recordedViewport(model) ?? USUAL_VIEWPORT;
  return (
    <div class="screen" aria-busy={pages.isLoading || found.isLoading}>
      {shown && (
        <AddressBar address={shown.address}>
          <a
            href={shown.snapshot?.html_url ?? url}
            target="_blank"
            rel="noopener"
            class="icon-link"
            title="Open the page in a new tab"
          >
            <External label="Open the page in a new tab" />
          </a>
        </AddressBar>
      )}
      {error ? (
        <Failed error={error} />
      ) : isEmpty ? (
        <Message icon={<Picture />} title="No page was recorded at this step." />
      ) : url ? (
        <PageFrames
          page={{ url, title: `The page, ${shown?.phase ?? "as it was"}`, size, sandbox: sandboxOf(url) }}
          onShown={(frame) => attach(model, frame)}
        >
          <LaidOver />
          <ClickPoint size={size} />
        </PageFrames>
      ) : (
        <Loading label="The page" />
      )}
    </div>
  );
}
