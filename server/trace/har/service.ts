import type { EventFile } from "../../../store/events/types.ts";
import { findTraceBlob } from "../../../store/records/blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { openEvents } from "../events/source.ts";
import { blobLocation } from "../files/locate.ts";
import { readBody } from "../files/read-body.ts";
import type { TraceEvent } from "../format/event.ts";
import { type HarBody, harEntry, harFrame } from "../format/har.ts";

/** Bytes of one body, and of all of them, that an archive holds. */
export const HAR_BODY = 1_000_000;
export const HAR_BODIES = 50_000_000;

/** Characters of the requests that wait for their answers; past it the oldest go out unanswered. */
const WAITING = 16_000_000;
/** Characters that are sent at once. */
const PIECE = 64 * 1024;

/**
 * The requests of a trace as HAR 1.2, made while it is read, so that memory stays flat. A file that turns out damaged
 * ends the stream early.
 * @throws AppError `not_hot`; `unavailable` when the events cannot be opened
 */
export async function harStream(deps: Deps, trace: TraceRow): Promise<ReadableStream<Uint8Array>> {
  const pieces = harPieces(deps, trace, await openEvents(deps, trace));
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        deps.log.error("an HTTP archive was cut short", { trace: trace.id, error });
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return();
    },
  });
}

async function* harPieces(
  deps: Deps,
  trace: TraceRow,
  file: EventFile | null,
): AsyncGenerator<string, void, void> {
  const { start, end } = harFrame({ name: "Tracedeck", version: deps.config.version });
  const bodies = createBodies(deps, trace);
  let piece = start;
  let isFirst = true;
  for await (const [request, response] of exchanges(file)) {
    const entry = harEntry({
      request,
      response,
      requestBody: await bodies.read(request?.body),
      responseBody: await bodies.read(response?.body),
    });
    piece += `${isFirst ? "" : ","}\n${JSON.stringify(entry)}`;
    isFirst = false;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}${end}\n`;
}

type Pair = [request: TraceEvent | null, response: TraceEvent | null];

/** Requests with their answers, when these come; at the end those that got none. */
async function* exchanges(file: EventFile | null): AsyncGenerator<Pair> {
  if (!file) return;
  const waiting = new Map<string, { event: TraceEvent; size: number }>();
  let held = 0;

  function take(id: unknown): TraceEvent | null {
    const found = typeof id === "string" ? waiting.get(id) : undefined;
    if (!found) return null;
    waiting.delete(id as string);
    held -= found.size;
    return found.event;
  }

  for await (const lines of file.lineBatches()) {
    for (const line of lines) {
      if (!line.includes('"network.')) continue;
      const event = JSON.parse(line) as TraceEvent;
      const { request_id: id } = event;
      if (event.kind === "network.response") yield [take(id), event];
      if (event.kind !== "network.request") continue;
      const replaced = take(id);
      if (replaced) yield [replaced, null];
      if (typeof id !== "string") yield [event, null];
      else {
        waiting.set(id, { event, size: line.length });
        held += line.length;
      }
      while (held > WAITING) yield [take(waiting.keys().next().value), null];
    }
  }
  for (const { event } of waiting.values()) yield [event, null];
}

function createBodies(deps: Deps, trace: TraceRow) {
  let room = HAR_BODIES;

  async function read(body: unknown): Promise<HarBody | null> {
    if (typeof body !== "string" || body === "") return null;
    const hash = /^sha256:([0-9a-f]{64})$/.exec(body)?.[1];
    if (!hash) {
      const size = Buffer.byteLength(body);
      return leftOut(size) ?? take(size, { size, text: body });
    }
    const place = await findTraceBlob(deps.store.records, trace.id, hash);
    if (!place) return { size: 0, reason: "The bytes of this body were not recorded." };
    const missing = leftOut(place.size);
    if (missing) return missing;
    const bytes = await readBody(deps, blobLocation(deps, hash, place));
    if (!bytes) return { size: place.size, reason: "The stored bytes of this body are damaged." };
    return take(bytes.length, contentOf(bytes));
  }

  function take(size: number, body: HarBody): HarBody {
    room -= size;
    return body;
  }

  function leftOut(size: number): HarBody | null {
    if (size > HAR_BODY) return { size, reason: `The body of ${size} bytes is too large for this archive.` };
    return size > room ? { size, reason: "The bodies of this archive have no more room." } : null;
  }

  return { read };
}

/** Text where the bytes are UTF-8, else base64. */
function contentOf(bytes: Uint8Array): HarBody {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { size: bytes.length, text };
  } catch {
    return { size: bytes.length, text: Buffer.from(bytes).toString("base64"), encoding: "base64" };
  }
}
