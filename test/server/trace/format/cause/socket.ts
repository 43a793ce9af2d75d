import { exchange } from "./run.ts";

const ID = "ws";

/** The WebSocket /live, which opened a second after the run began. */
export const socket = exchange("ws://shop.example/live", {
  resource_type: "websocket",
  ts: 1_000,
  status: 101,
}).map((event) => ({ ...event, request_id: ID }));

/** A message over it. @param ts ms since the run began */
export const message = (direction: "sent" | "received", content: object, ts: number) => ({
  kind: "network.websocket_frame",
  request_id: ID,
  direction,
  opcode: 1,
  text: JSON.stringify(content),
  ts,
});

/** Its end, by the server. @param ts ms since the run began */
export const closed = (ts: number) => ({
  kind: "network.websocket_frame",
  request_id: ID,
  direction: "received",
  opcode: 8,
  ts,
});
