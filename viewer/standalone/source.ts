import type { PageMeta } from "../../server/trace/format/page-data.ts";
import type { TraceDetail } from "../api/answers.ts";
import { blobHash, type TraceSource } from "../api/trace-source.ts";
import { createEvents } from "./events.ts";
import { createPages } from "./pages.ts";
import { partText, partUrl, textUrl } from "./parts.ts";
import { playerUrl } from "./player.ts";

/** What this file says of itself. @throws Error when it is not there */
export function readMeta(): PageMeta {
  const text = partText("meta");
  if (text === null) throw new Error("This file holds no trace.");
  return JSON.parse(text) as PageMeta;
}

/** The trace in this file: nothing is asked of any server. */
export function embeddedTrace(meta: PageMeta): TraceSource {
  const detail = {
    ...meta.detail,
    has_pages: meta.has_pages,
    signed_urls: {
      rrweb: meta.recording?.is_in ? "" : undefined,
      get video() {
        return meta.video?.is_in ? (partUrl("video") ?? undefined) : undefined;
      },
    },
  } as unknown as TraceDetail;
  const snapshot = createPages();
  const blobUrl = (reference: string): string | null => {
    const hash = blobHash(reference);
    return hash ? partUrl(`blob-${hash}`) : null;
  };
  return {
    id: detail.short_id,
    isShared: true,
    file: meta,
    // It is all here.
    askEarly() {},
    detail: async () => detail,
    summary: async () => meta.summary,
    cause: async () => meta.cause,
    events: createEvents(),
    stepTexts: null,
    findInBodies: null,
    snapshot: (name, page) => snapshot(name, page),
    streamUrl: () => "",
    blobUrl,
    pageUrl: blobUrl,
    get reportUrl() {
      return textUrl("report", "text/markdown");
    },
    get promptUrl() {
      return textUrl("prompt", "text/markdown");
    },
    harUrl: null,
    get recordingUrl() {
      return meta.recording?.is_in ? partUrl("recording") : null;
    },
    get playerUrl() {
      return playerUrl();
    },
  };
}
