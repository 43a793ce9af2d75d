import { cut, oneLine } from "../../error-text.ts";
import type { CauseKind, Evidence, Finding } from "../types.ts";

const WAITED = /waiting for event "(\w+)"/;

const WORDS: Record<string, { kind: CauseKind; words: string }> = {
  popup: { kind: "popup", words: "The popup never opened: no new window or tab came" },
  page: { kind: "popup", words: "The popup never opened: no new page, window or tab came" },
  download: { kind: "download", words: "The download never started" },
  dialog: { kind: "dialog", words: "The dialog never opened" },
  filechooser: { kind: "dialog", words: "The file chooser never opened" },
  request: { kind: "request_pending", words: "The request that the test waits for was never sent" },
  response: { kind: "request_pending", words: "The response that the test waits for never came" },
  websocket: { kind: "websocket_closed", words: "The WebSocket that the test waits for was never opened" },
  framesent: {
    kind: "websocket_closed",
    words: "The page never sent the WebSocket message that the test waits for",
  },
  framereceived: {
    kind: "websocket_closed",
    words: "The WebSocket message that the test waits for never came",
  },
};

/** A step that waited for something to happen which never did. */
export function detectWaiting({ failed, run, passes }: Evidence): Finding[] {
  const { step, message } = failed;
  const name = WAITED.exec(
    `${message} ${step?.title ?? ""} ${step?.log.join(" ") ?? ""}`,
  )?.[1]?.toLowerCase();
  const told = name === undefined ? undefined : WORDS[name];
  const seq = step?.seq ?? run.facts.lastSeq;
  if (!told || seq === null) return [];
  return [
    {
      kind: told.kind,
      title: `${told.words} (${cut(oneLine(message), 120)})`,
      detail: null,
      step_id: step?.step_id ?? null,
      events: [seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.52,
    },
  ];
}
