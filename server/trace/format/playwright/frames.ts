import type { Context } from "./context.ts";
import { parseLine } from "./parse-line.ts";
import { list, number, type Raw, record, text } from "./shape.ts";
import type { PlaywrightSource } from "./source.ts";
import type { Spool } from "./spool.ts";

/** A WebSocket connection whose messages lie apart from its exchange. */
export interface Socket {
  requestId: string;
  page?: string;
  /** Member of the archive with one message a line; null when the exchange holds them itself. */
  file: string | null;
  messages: unknown[];
  /** Monotonic ms when it began. */
  startedAt: number;
  /** Monotonic ms by which it had closed; unset while it is not known to have. */
  closedBy?: number;
}

/** What one connection may say; the rest is left out and told. */
const MOST_FRAMES = 100_000;
/** Characters of text, or of base64. */
const LONGEST_DATA = 64 * 1024;
const LATEST_EPOCH = 8_640_000_000_000_000;
const BINARY = 2;
/** RFC 6455: the connection closes. Playwright records neither code nor reason. */
const CLOSE = 8;

/** The connection that a HAR entry tells of; null for every other kind of entry. */
export function socketOf(entry: Raw, requestId: string, startedAt: number): Socket | null {
  if (entry._resourceType !== "websocket") return null;
  const page = text(entry.pageref, 200);
  return {
    requestId,
    startedAt,
    ...(page && { page }),
    file: text(record(record(entry.response).content)._file, 1000) ?? null,
    messages: list(entry._webSocketMessages),
  };
}

/** Spools every message of a context's connections as `network.websocket_frame`. */
export async function readFrames(
  source: PlaywrightSource,
  folder: string,
  sockets: Iterable<Socket>,
  context: Context,
  spool: Spool,
  warn: (sentence: string) => void,
): Promise<void> {
  for (const socket of sockets) {
    let told = 0;
    let broken = 0;
    const take = (message: Raw | null) => {
      const frame = message && frameOf(message, socket);
      if (!frame) broken += 1;
      else if (told++ < MOST_FRAMES) spool.add(context.index, frame.time, true, frame.event);
    };
    for (const message of socket.messages) take(record(message));
    if (socket.closedBy !== undefined)
      spool.add(context.index, socket.closedBy, false, {
        kind: "network.websocket_frame",
        request_id: socket.requestId,
        direction: "received",
        opcode: CLOSE,
        size: 0,
        ...(socket.page && { page: socket.page }),
      });
    const file = [folder + (socket.file ?? ""), socket.file ?? ""].find((name) => source.has(name));
    if (socket.file !== null && file !== undefined)
      for await (const line of source.lines(file)) {
        if (line === "") continue;
        take(parseLine(line));
        if (told > MOST_FRAMES) break;
      }
    if (told > MOST_FRAMES)
      warn(
        `${socket.requestId} has more than ${MOST_FRAMES} WebSocket messages; the first of them are kept.`,
      );
    if (broken > 0)
      warn(
        `${broken === 1 ? "One WebSocket message is" : `${broken} WebSocket messages are`} unreadable and left out.`,
      );
  }
}

function frameOf(message: Raw, socket: Socket): { time: number; event: Raw } | null {
  const time = number(message.time);
  const opcode = number(message.opcode);
  if (time === undefined || time < 0 || time > LATEST_EPOCH || opcode === undefined) return null;
  const data = typeof message.data === "string" ? message.data : "";
  const isBinary = opcode === BINARY;
  const size = isBinary ? base64Size(data) : Buffer.byteLength(data);
  // Cut base64 stays base64: four characters are three bytes.
  const kept = isBinary ? data.slice(0, LONGEST_DATA) : (text(data, LONGEST_DATA) ?? "");
  return {
    time,
    event: {
      kind: "network.websocket_frame",
      request_id: socket.requestId,
      direction: message.type === "send" ? "sent" : "received",
      opcode,
      size,
      ...(isBinary ? { base64: kept } : { text: kept }),
      ...(data.length > LONGEST_DATA && { is_cut: true }),
      ...(socket.page && { page: socket.page }),
    },
  };
}

function base64Size(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
