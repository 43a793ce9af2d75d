import { isRecord, jsonOf } from "../values/json-leaves.ts";
import type { SocketCall, SocketFrame } from "./run-facts.ts";

/** What a frame of a WebSocket asks by name, or answers, where its protocol numbers questions. */
export interface Numbered {
  /** As the frame writes it. */
  id: string;
  /** What is asked; null in an answer. */
  name: string | null;
}

const LONGEST = 64 * 1024;
/** By which fields protocols name what is asked: JSON-RPC, DDP, Home Assistant and such. */
const NAMES = ["method", "type", "action", "event", "op", "cmd"];
const ANSWERS = ["result", "error", "success", "ok", "payload", "data"];

/**
 * Reads the number of a question or of its answer off a frame; null where it has none. Socket.IO writes `42` with the number
 * before the event's name, and `43` before the answer; of JSON it is the field `id`.
 *
 * @see https://github.com/socketio/socket.io-protocol#packet-encoding
 * @see https://www.jsonrpc.org/specification
 */
export function numberedIn(text: string, isSent: boolean): Numbered | null {
  const packet = /^4([23])(?:\/[^,[]{0,200},)?(\d{1,15})\[(?:"((?:[^"\\]|\\.){1,100})")?/.exec(text);
  if (packet) {
    const [, kind, id, name] = packet;
    if (isSent) return kind === "2" && name !== undefined ? { id: id!, name } : null;
    return kind === "3" ? { id: id!, name: null } : null;
  }
  if (text.length > LONGEST || !/^\s*\{/.test(text) || !text.includes('"id"')) return null;
  const value = jsonOf(text) as Record<string, unknown> | undefined;
  const id = value?.id;
  if (value === undefined || (typeof id !== "number" && typeof id !== "string")) return null;
  if (!isSent) return ANSWERS.some((field) => field in value) ? { id: String(id), name: null } : null;
  if (isStanding(value)) return null;
  const name = NAMES.map((field) => value[field]).find((one) => typeof one === "string");
  return typeof name === "string" && name !== "" ? { id: String(id), name: name.slice(0, 100) } : null;
}

/**
 * Whether GraphQL is asked for what happens from now on: nothing answers that until something happens. Of what names its document by a
 * hash alone it is not known.
 *
 * @see https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
 */
function isStanding({ type, payload }: Record<string, unknown>): boolean {
  if ((type !== "subscribe" && type !== "start") || !isRecord(payload)) return false;
  return typeof payload.query !== "string" || /(?:^|[}\n])\s{0,50}subscription\b/.test(payload.query);
}

/** The value that an answer over a WebSocket brought; undefined where it is no JSON or was cut. */
export function answerOf(text: string): unknown {
  const value = jsonOf(text.replace(/^43(?:\/[^,[]{0,200},)?\d{1,15}(?=\[)/, ""));
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

const MOST_CALLS = 500;

/**
 * Folds the frames of WebSockets into questions and their answers; at most `MOST_CALLS`, and what `hasRoom` lets in.
 *
 * @param keep the text of an answer as far as it may be kept; null where there is no room for it
 */
export function createSocketCalls({
  hasRoom,
  keep,
}: {
  hasRoom: (frame: SocketFrame) => boolean;
  keep: (text: string) => string | null;
}) {
  const list: SocketCall[] = [];
  const open = new Map<string, SocketCall>();
  const add = (frame: SocketFrame, text: string) => {
    const numbered = numberedIn(text, frame.direction === "sent");
    if (numbered === null) return;
    const id = `${frame.request_id} ${numbered.id}`;
    if (numbered.name !== null) {
      if (list.length >= MOST_CALLS || !hasRoom(frame)) return;
      const { seq, ts, step_id, page, request_id } = frame;
      const call = { seq, ts, step_id, page, request_id, name: numbered.name, answer: null };
      open.set(id, call);
      list.push(call);
      return;
    }
    const call = open.get(id);
    if (!call || !hasRoom(frame)) return;
    open.delete(id);
    call.answer = { ...frame, text: keep(text) ?? frame.text };
  };
  return { list, add };
}
