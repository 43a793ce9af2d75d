import type { BrowserContext } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { PageSessions } from "./page-sessions.ts";
import type { Recorder } from "./recorder.ts";
import { createRequestList } from "./request-list.ts";
import { captureRequests, type SeenRequest } from "./requests.ts";
import { keepBodies } from "./response-body.ts";
import { captureWebSockets, type RecordMessage } from "./websockets.ts";

/** How long a body is waited for when the run is over. */
const LAST_BODY_MS = 2000;

export interface NetworkCapture {
  readonly seen: readonly SeenRequest[];
  /** Resolves at the next request or answer. */
  change(signal: AbortSignal): Promise<void>;
  /** Records a WebSocket that the browser does not tell of; call it with each message. */
  socket(url: string): RecordMessage;
  /** Waits for what is still being read, a little. */
  settle(): Promise<void>;
}

/** Records the requests of every page of a context, with their bodies, and the messages of their WebSockets. */
export function captureNetwork(
  context: BrowserContext,
  {
    recorder,
    redactor,
    clock,
    sessionOf,
    untraced = (work) => work(),
    isEdited = false,
  }: {
    recorder: Recorder;
    redactor: Redactor;
    clock: Clock;
    sessionOf: PageSessions;
    /** Makes calls of Playwright that its own records are not to show. */
    untraced?: (work: () => Promise<void>) => Promise<void>;
    /** Whether answers are changed on their way: what the network brought is then not what pages got. */
    isEdited?: boolean;
  },
): NetworkCapture {
  const waiting = new Set<() => void>();
  const onChange = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const list = createRequestList({ clock, recorder });
  const requests = captureRequests(context, { recorder, redactor, clock, list, untraced, onChange });
  const sockets = captureWebSockets({ recorder, redactor, clock, list });

  context.on("page", (page) => {
    sockets.watch(page);
    if (!isEdited) void untraced(() => keepBodies(sessionOf, page));
  });
  for (const page of context.pages()) sockets.watch(page);

  return {
    seen: requests.seen,
    socket: (url) => sockets.open(url).message,
    change: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        waiting.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
    async settle() {
      const ended = AbortSignal.timeout(LAST_BODY_MS);
      await Promise.race([
        requests.bodiesRead(),
        new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true })),
      ]);
      requests.emitUnfinished();
      sockets.endAll();
      list.noteUnlisted();
    },
  };
}
