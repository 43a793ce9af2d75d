import type { RunSteps } from "../../server/run/runs/model.ts";
import type { Cause } from "../../server/trace/format/cause/types.ts";
import type { TraceEvent } from "../../server/trace/format/event.ts";
import type { PageMeta } from "../../server/trace/format/page-data.ts";
import type { Summary } from "../../server/trace/format/summary.ts";
import type { EventPage, EventQuery, PageSnapshot, TraceDetail } from "./answers.ts";
import type { FoundBodies } from "./find-answer.ts";
import { askEarly, getJson, withQuery } from "./request.ts";

/** Where a trace page stands: in the app, behind a share link, in another site's frame, or in a file of its own. */
export type Sharing = "none" | "page" | "embed" | "file";

/** Everything the trace page reads, wherever it lies: of a member's trace, of a shared link, or of an exported file. */
export interface TraceSource {
  /** Trace id, or short id on a shared page. */
  readonly id: string;
  /** Read-only, with this one trace and nothing besides. */
  readonly isShared: boolean;
  /** What an exported file says of itself; null on a server's page. */
  readonly file: PageMeta | null;
  /** Asks for what the first screen needs, before the page that shows it is loaded. */
  askEarly(): void;
  detail(signal?: AbortSignal): Promise<TraceDetail>;
  /** How the steps of a run are written, by their ids; null where that is not told. */
  readonly stepTexts: ((runId: string, signal?: AbortSignal) => Promise<ReadonlyMap<string, string>>) | null;
  summary(signal?: AbortSignal): Promise<Summary>;
  /** Why the trace failed. */
  cause(signal?: AbortSignal): Promise<Cause>;
  events(query: EventQuery, signal?: AbortSignal): Promise<EventPage>;
  /** Where bodies that are stored apart hold a text, from the one after so many on; null where nobody looks. */
  readonly findInBodies:
    | ((text: string, after: string | null, signal?: AbortSignal) => Promise<FoundBodies>)
    | null;
  /** A recorded page as `dom.snapshot` events name it. */
  snapshot(name: string, page: string, signal?: AbortSignal): Promise<PageSnapshot>;
  /** Server-sent events of the trace after a sequence number, or from its start. */
  streamUrl(after: number | null): string;
  /** Address of a `sha256:<hex>` reference; null when the text is none. */
  blobUrl(reference: string): string | null;
  /** Where recorded HTML is shown as a page, for a frame. */
  pageUrl(reference: string): string | null;
  readonly reportUrl: string;
  /** The failure as a prompt for an agent; null where that is not offered. */
  readonly promptUrl: string | null;
  /** All requests as an HTTP archive, and the DOM recording as NDJSON; null where that is not offered. */
  readonly harUrl: string | null;
  readonly recordingUrl: string | null;
  /** Of the page that replays recordings. */
  readonly playerUrl: string;
}

/** The events of a query from one place to another, also where they come in several answers. */
export async function eventsBetween(
  source: Pick<TraceSource, "events">,
  query: EventQuery,
  { offset, limit }: { offset: number; limit: number },
  signal?: AbortSignal,
): Promise<{ events: TraceEvent[]; total: number }> {
  const events: TraceEvent[] = [];
  for (let next: number | null = offset, total = 0; ; ) {
    if (next === null || next >= offset + limit) return { events, total };
    const page = await source.events({ ...query, offset: next, limit: offset + limit - next }, signal);
    events.push(...page.events);
    total = page.total;
    next = page.next_offset;
  }
}

const REFERENCE = /^sha256:([0-9a-f]{64})$/;

/** The hex of a blob reference, or null when the text is not one. */
export function blobHash(reference: string): string | null {
  return REFERENCE.exec(reference)?.[1] ?? null;
}

async function readStepTexts(runId: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const { items } = await getJson<RunSteps>(`/v1/runs/${encodeURIComponent(runId)}/steps`, signal);
  return new Map(items.map(({ id, source }) => [id, source]));
}

function traceSource(id: string, base: string, detailPath: string, isShared: boolean): TraceSource {
  return {
    id,
    isShared,
    askEarly() {
      askEarly(detailPath);
      askEarly(`${base}/summary`);
      askEarly(`${base}/cause`);
    },
    detail: (signal) => getJson(detailPath, signal),
    stepTexts: isShared ? null : readStepTexts,
    summary: (signal) => getJson(`${base}/summary`, signal),
    cause: (signal) => getJson(`${base}/cause`, signal),
    events: (eventQuery, signal) => getJson(withQuery(`${base}/events`, eventQuery), signal),
    findInBodies: (text, after, signal) =>
      getJson(withQuery(`${base}/find`, { q: text, after: after ?? undefined }), signal),
    snapshot: (name, page, signal) =>
      getJson(withQuery(`${base}/snapshots/${encodeURIComponent(name)}`, { page }), signal),
    streamUrl: (after) => withQuery(`${base}/stream`, { after: after ?? undefined }),
    blobUrl: (reference) => {
      const hash = blobHash(reference);
      return hash ? `${base}/blob/${hash}` : null;
    },
    pageUrl: (reference) => {
      const hash = blobHash(reference);
      return hash ? `${base}/blob/${hash}?as=page` : null;
    },
    file: null,
    reportUrl: `${base}/report.md`,
    promptUrl: isShared ? null : `${base}/prompt.md`,
    harUrl: isShared ? null : `${base}/har`,
    recordingUrl: `${base}/recording`,
    playerUrl: "/player",
  };
}

/** A trace of the signed-in person's organisation. */
export const memberTrace = (id: string) => traceSource(id, `/v1/traces/${id}`, `/v1/traces/${id}`, false);

/** A trace behind a share link: same answers, GET only. */
export const sharedTrace = (shortId: string) =>
  traceSource(shortId, `/r/${shortId}`, `/r/${shortId}/trace`, true);
