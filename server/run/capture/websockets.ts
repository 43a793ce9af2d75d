import type { Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { Recorder } from "./recorder.ts";
import type { RequestList } from "./request-list.ts";

const LONGEST_MESSAGE = 64 * 1024;
const MOST_MESSAGES = 10_000;
const SWITCHING_PROTOCOLS = 101;

/** Records one message of a WebSocket, as the page sent or received it. */
export type RecordMessage = (direction: "sent" | "received", payload: string | Buffer) => void;

interface RecordedSocket {
  message: RecordMessage;
  end(error?: string): void;
}

export interface SocketCapture {
  /** Records the WebSockets that a page opens from now on. */
  watch(page: Page): void;
  /** Records one that the browser does not tell of. */
  open(url: string): RecordedSocket;
  /** Ends each that has not ended by itself. */
  endAll(): void;
}

/** Records WebSockets as requests with their messages. */
export function captureWebSockets({
  recorder,
  redactor,
  clock,
  list,
}: {
  recorder: Recorder;
  redactor: Redactor;
  clock: Clock;
  list: RequestList;
}): SocketCapture {
  const ends = new Set<() => void>();

  function emitMessage(id: string, direction: "sent" | "received", payload: string | Buffer): void {
    const isText = typeof payload === "string";
    const size = Buffer.byteLength(payload);
    recorder.emit("network.websocket_frame", {
      request_id: id,
      direction,
      opcode: isText ? 1 : 2,
      size,
      ...(isText
        ? { text: redactor.body(payload).slice(0, LONGEST_MESSAGE) }
        : { base64: Buffer.from(redactor.bytes(payload)).subarray(0, LONGEST_MESSAGE).toString("base64") }),
      ...(size > LONGEST_MESSAGE && { is_cut: true }),
    });
  }

  function open(url: string): RecordedSocket {
    if (!list.admits()) return { message: () => {}, end: () => {} };
    const id = list.nextId();
    recorder.emit("network.request", {
      request_id: id,
      method: "GET",
      url: redactor.url(url),
      headers: [],
      resource_type: "websocket",
    });
    const { stepId } = recorder;
    const started = clock.monotonic();
    let count = 0;

    // The browser tells nobody of the handshake: whoever lets messages through has switched protocols (RFC 6455).
    function end(error?: string): void {
      if (!ends.delete(end)) return;
      const took = clock.monotonic() - started;
      const fields = {
        request_id: id,
        method: "GET",
        url: redactor.url(url),
        status: error !== undefined && count === 0 ? 0 : SWITCHING_PROTOCOLS,
        headers: [],
        duration_ms: Math.round(took * 10) / 10,
        resource_type: "websocket",
        ...(error !== undefined && { error }),
      };
      recorder.emit("network.response", fields, { stepId });
    }
    ends.add(end);
    return {
      message(direction, payload) {
        count += 1;
        if (count <= MOST_MESSAGES) emitMessage(id, direction, payload);
      },
      end,
    };
  }

  return {
    open,
    watch(page) {
      page.on("websocket", (socket) => {
        const { message, end } = open(socket.url());
        let problem: string | undefined;
        socket.on("socketerror", (error) => {
          problem = redactor.text(error);
        });
        socket.on("close", () => end(problem));
        socket.on("framesent", ({ payload }) => message("sent", payload));
        socket.on("framereceived", ({ payload }) => message("received", payload));
      });
    },
    endAll() {
      for (const end of ends) end();
    },
  };
}
