import { cut } from "./error-text.ts";
import type { TraceEvent } from "./event.ts";

const MAX_OPEN = 10_000;
/** A longer id is nobody's: thousands of them are held at once. */
const LONGEST_ID = 1_024;
/** They stay open as long as the page does: that is no waiting. */
const LASTING = new Set(["websocket", "eventsource"]);

interface OpenRequest {
  method: string | null;
  isDocument: boolean;
  isLasting: boolean;
}

/**
 * The requests that have not been answered yet, the youngest ten thousand of them.
 * @param onChange told of each that begins (1) and ends (−1) to wait for its answer
 */
export function createOpenRequests(onChange: (ts: number, isDocument: boolean, by: 1 | -1) => void) {
  const open = new Map<string, OpenRequest>();

  function close(id: string, ts: number) {
    const request = open.get(id);
    open.delete(id);
    if (request && !request.isLasting) onChange(ts, request.isDocument, -1);
  }

  return {
    begin({ request_id: id, method, resource_type: type, ts }: TraceEvent) {
      if (!isId(id)) return;
      close(id, ts);
      const request: OpenRequest = {
        method: typeof method === "string" ? cut(method, 32) : null,
        isDocument: type === "document",
        isLasting: typeof type === "string" && LASTING.has(type),
      };
      open.set(id, request);
      if (!request.isLasting) onChange(ts, request.isDocument, 1);
      if (open.size > MAX_OPEN) close(open.keys().next().value as string, ts);
    },
    end({ request_id: id, ts }: TraceEvent) {
      if (isId(id)) close(id, ts);
    },
    /** The method of the request that an answer belongs to, while that is open. */
    methodOf({ request_id: id }: TraceEvent): string | null {
      return typeof id === "string" ? (open.get(id)?.method ?? null) : null;
    },
  };
}

function isId(id: unknown): id is string {
  return typeof id === "string" && id.length <= LONGEST_ID;
}
