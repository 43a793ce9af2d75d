import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { createCaptureService } from "../../trace/capture/service.ts";
import type { SinkCall } from "./protocol.ts";

/** Who a server's own runs are: they act for their org, with no person behind them. */
export const runnerOf = (orgId: string): Actor => ({
  type: "internal",
  id: "runner",
  orgId,
  userId: null,
  role: null,
  scopes: new Set(["traces:write"]),
  ip: null,
});

/**
 * Keeps what a runner process records, in the way that recordings from outside are kept.
 * @param of whose it is, whether a check had it made, and whether strangers wrote what makes it
 * @param onBegin is told the trace before anything else of it is kept
 */
export function createLocalSink(
  deps: Deps,
  { orgId, ...made }: { orgId: string; isByClock: boolean; isOfStrangers: boolean },
  onBegin: (traceId: string) => Promise<void>,
): (what: SinkCall) => Promise<unknown> {
  const capture = createCaptureService(deps);
  const actor = runnerOf(orgId);
  let id = "";

  return async (what) => {
    switch (what.method) {
      case "begin": {
        const { trace_id, short_id } = await capture.begin(actor, what.manifest, "", made);
        id = trace_id;
        await onBegin(id);
        return { traceId: trace_id, shortId: short_id };
      }
      case "chunk":
        await capture.chunk(actor, id, what.n, what.bytes);
        return null;
      case "blobs":
        await capture.blobs(actor, id, what.blobs);
        return null;
      case "artifact":
        await capture.artifact(actor, id, what.kind, what.bytes, null);
        return null;
      case "end":
        await capture.end(actor, id, { status: what.status, ended_at: what.endedAt });
        return null;
    }
  };
}
