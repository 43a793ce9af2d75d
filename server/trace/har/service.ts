import type { EventFile } from "../../../store/events/types.ts";
import { findTraceBlob } from "../../../store/records/blobs.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import { openEvents } from "../events/source.ts";
import { readBlob } from "../files/read-body.ts";
import { whereItLies } from "../files/where-it-lies.ts";
import { readEvent, type TraceEvent } from "../format/event.ts";
import { type HarBody, harEntry, harFrame, harMessage } from "../format/har.ts";
import { createFrames, FRAME } from "./frames.ts";

/** Bytes of one body, and of all of them, that an archive holds. */
export const HAR_BODY = 1_000_000;
export const HAR_BODIES = 50_000_000;

/** Characters of the requests that wait for their answers; past it the oldest go out unanswered. */
const WAITING = 16_000_000;
/** Connections that wait for their messages, and their characters; later ones go out with those that came before their answer. */
const SOCKETS = 1000;
const SOCKET_TEXT = 16_000_000;
/** Characters that are sent at once. */
const PIECE = 64 * 1024;

/**
 * The requests of a trace as HAR 1.2, made while it is read, so that memory stays flat. A file that turns out damaged
 * ends the stream early.
 * @throws AppError `not_hot`; `unavailable` when the events cannot be opened
 */
export async function harStream(deps: Deps, trace: TraceRow): Promise<ReadableStream<Uint8Array>> {
  // With the first piece the file is open, and may move from then on.
  const { pieces, first } = await whereItLies(deps, trace, async (now) => {
    const made = harPieces(deps, now, await openEvents(deps, now));
    return { pieces: made, first: await made.next() };
  });
  let next: typeof first | null = first;
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = next ?? (await pieces.next());
        next = null;
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
  for await (const { request, response, frames, leftOut } of exchanges(file)) {
    const entry = harEntry({
      request,
      response,
      requestBody: await bodies.read(request?.body),
      responseBody: await bodies.read(response?.body),
      messages: frames && (await Promise.all(frames.map(messageOf))),
      leftOut,
    });
    piece += `${isFirst ? "" : ","}\n${JSON.stringify(entry)}`;
    isFirst = false;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}${end}\n`;

  async function messageOf(frame: TraceEvent) {
    const stored = typeof frame.blob === "string" ? await bodies.read(frame.blob) : null;
    return harMessage(frame, stored?.text ?? null);
  }
}

interface Recorded {
  request: TraceEvent | null;
  response: TraceEvent | null;
  /** Of a WebSocket. */
  frames: TraceEvent[] | null;
  /** Messages that had no room. */
  leftOut: number;
}

const isSocket = (event: TraceEvent | null) => event?.resource_type === "websocket" || event?.status === 101;

/**
 * Requests with their answers, when these come; at the end those that got none, and before them the WebSockets, whose
 * messages come after their answer.
 */
async function* exchanges(file: EventFile | null): AsyncGenerator<Recorded> {
  if (!file) return;
  const waiting = new Map<string, { event: TraceEvent; size: number }>();
  const sockets: { request: TraceEvent | null; response: TraceEvent }[] = [];
  const messages = createFrames();
  let held = 0;
  let socketText = 0;

  function whole(request: TraceEvent | null, response: TraceEvent | null): Recorded {
    const own = messages.of((request ?? response)?.request_id);
    const isOpen = own !== undefined || isSocket(request) || isSocket(response);
    return { request, response, frames: isOpen ? (own?.frames ?? []) : null, leftOut: own?.leftOut ?? 0 };
  }

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
      const event = readEvent(line);
      const { request_id: id } = event;
      if (event.kind === FRAME) messages.add(event, line.length);
      if (event.kind === "network.response") {
        const waited = typeof id === "string" ? (waiting.get(id)?.size ?? 0) : 0;
        const request = take(id);
        const size = waited + line.length;
        const hasRoom = sockets.length < SOCKETS && socketText + size <= SOCKET_TEXT;
        if (hasRoom && (isSocket(request) || isSocket(event))) {
          sockets.push({ request, response: event });
          socketText += size;
        } else yield whole(request, event);
      }
      if (event.kind !== "network.request") continue;
      const replaced = take(id);
      if (replaced) yield whole(replaced, null);
      if (typeof id !== "string") yield whole(event, null);
      else {
        waiting.set(id, { event, size: line.length });
        held += line.length;
      }
      while (held > WAITING) yield whole(take(waiting.keys().next().value), null);
    }
  }
  for (const { request, response } of sockets) yield whole(request, response);
  for (const { event } of waiting.values()) yield whole(event, null);
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
    const bytes = await readBlob(deps, trace.id, hash, HAR_BODY);
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
