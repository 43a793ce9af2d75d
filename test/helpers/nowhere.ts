import type { CaptureSink } from "../../server/run/capture/sink.ts";

/** Takes what a recording brings and keeps none of it. */
export const NOWHERE: CaptureSink = {
  pace: { eventsMs: 60_000, blobsMs: 60_000 },
  begin: async () => ({ traceId: "", shortId: "" }),
  chunk: async () => {},
  blobs: async () => {},
  artifact: async () => {},
  end: async () => {},
};
