import type { TraceEvent } from "../format/event.ts";

export const FRAME = "network.websocket_frame";

/** Characters of the WebSocket messages that wait for the end of their connection; later ones are left out. */
const MESSAGES = 16_000_000;
/** Connections without any message that was kept, of which it is counted how many were left out; and characters of their ids. */
const COUNTED = 1000;
const LONGEST_ID = 1000;

interface Frames {
  frames: TraceEvent[];
  /** Messages that had no room. */
  leftOut: number;
}

/** The messages of all connections by their request, up to a bound. */
export function createFrames() {
  const byRequest = new Map<string, Frames>();
  let held = 0;
  let counted = 0;

  return {
    /** @param size of its line, characters */
    add(event: TraceEvent, size: number): void {
      const { request_id: id } = event;
      if (typeof id !== "string") return;
      held += size;
      const known = byRequest.get(id);
      if (held <= MESSAGES) {
        if (known) known.frames.push(event);
        else byRequest.set(id, { frames: [event], leftOut: 0 });
      } else if (known) known.leftOut += 1;
      else if (counted < COUNTED && id.length <= LONGEST_ID) {
        counted += 1;
        byRequest.set(id, { frames: [], leftOut: 1 });
      }
    },
    of: (id: unknown): Frames | undefined => (typeof id === "string" ? byRequest.get(id) : undefined),
  };
}
