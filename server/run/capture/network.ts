import type { BrowserContext, Page, Request, Response } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Header } from "../../trace/format/event.ts";
import { counted } from "../../trace/format/words.ts";
import type { Redactor } from "../redaction/redact.ts";
import { createLimiter } from "./limiter.ts";
import type { PageSessions } from "./page-sessions.ts";
import type { Recorder } from "./recorder.ts";

/** Larger bodies are told of by their size only. */
const LARGEST_BODY = 5 * 1024 * 1024;
/** Bytes of the bodies of one page that wait to be read. */
const MOST_KEPT = 64 * 1024 * 1024;
const LONGEST_MESSAGE = 64 * 1024;
const MOST_MESSAGES = 10_000;
/** Requests that are listed, WebSockets among them; scenarios may ask about all of them. */
const MOST_A_SECOND = 500;
const MOST_OF_RUN = 10_000;
const SWITCHING_PROTOCOLS = 101;
/** In the words of Chromium, Firefox and WebKit. */
const GIVEN_UP = /^(net::ERR_ABORTED|NS_BINDING_ABORTED|.*cancelled)$/i;
const TEXT_TYPE = /^text\/|json|xml|javascript|ecmascript|x-www-form-urlencoded|graphql|svg/i;
/** How long a body is waited for when the run is over. */
const LAST_BODY_MS = 2000;

/** What a scenario may ask about: every request of the run, in order. */
export interface SeenRequest {
  method: string;
  url: string;
  /** Null before the answer, 0 when there was none. */
  status: number | null;
}

export interface NetworkCapture {
  readonly seen: readonly SeenRequest[];
  /** Resolves at the next request or answer. */
  change(signal: AbortSignal): Promise<void>;
  /** Records a WebSocket that the browser does not tell of; call it with each message. */
  socket(url: string): (direction: "sent" | "received", payload: string | Buffer) => void;
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
  const ids = new WeakMap<
    Request,
    { id: string; isListed: boolean; stepId: string | null; seen: SeenRequest; started: number }
  >();
  /** Those without an end so far, with the beginning of their answer. */
  const open = new Map<Request, Response | null>();
  /** Ends each WebSocket that has not ended by itself. */
  const sockets = new Set<() => void>();
  const seen: SeenRequest[] = [];
  const pending = new Set<Promise<void>>();
  const waiting = new Set<() => void>();
  let last = 0;
  let listed = 0;
  let unlisted = 0;
  const limiter = createLimiter(clock, MOST_A_SECOND, (count) => {
    unlisted += count;
  });

  /** Whether one more is listed. What comes of one that is not is not listed either. */
  function admits(): boolean {
    if (listed >= MOST_OF_RUN) {
      unlisted += 1;
      return false;
    }
    const isListed = limiter.admits();
    if (isListed) listed += 1;
    return isListed;
  }

  function tellUnlisted(): void {
    limiter.finish();
    if (unlisted === 0) return;
    recorder.note(
      `${counted(unlisted, "request")} ${unlisted === 1 ? "is" : "are"} not listed: only the first ${MOST_A_SECOND} of a second and ${MOST_OF_RUN} of a run are.`,
    );
    unlisted = 0;
  }

  const told = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const track = (work: Promise<void>) => {
    pending.add(work);
    void work.finally(() => pending.delete(work));
  };

  context.on("request", (request) => {
    last += 1;
    const id = `r${last}`;
    const entry: SeenRequest = { method: request.method(), url: request.url(), status: null };
    seen.push(entry);
    open.set(request, null);
    const isListed = admits();
    ids.set(request, { id, isListed, stepId: recorder.stepId, seen: entry, started: clock.monotonic() });
    if (!isListed) return told();
    const body = request.postData();
    recorder.emit("network.request", {
      request_id: id,
      method: request.method(),
      url: redactor.url(request.url()),
      headers: redactor.headers(Object.entries(request.headers()).map(([name, value]) => ({ name, value }))),
      ...(body !== null && { body: recorder.body(body) }),
      resource_type: request.resourceType(),
    });
    told();
  });
  context.on("response", (response) => {
    const request = response.request();
    const known = ids.get(request);
    if (!known || !open.has(request)) return;
    open.set(request, response);
    known.seen.status = response.status();
    told();
  });
  context.on("requestfinished", (request) => {
    // What has been told of as far as it came is not told again.
    if (!open.delete(request) || !ids.get(request)?.isListed) return;
    const ended = { ts: clock.now(), at: clock.monotonic() };
    track(untraced(() => finished(request, ended)));
  });
  context.on("requestfailed", (request) => {
    const response = open.get(request);
    const isOpen = open.delete(request);
    const known = ids.get(request);
    if (!known || !isOpen) return;
    const error = request.failure()?.errorText ?? "The request failed.";
    if (response) {
      // A page that does not read an answer gives it up: that is no failure, and it was answered all the same.
      tellCut(request, response, GIVEN_UP.test(error) ? {} : { error });
      return;
    }
    known.seen.status = 0;
    if (!known.isListed) return told();
    recorder.emit(
      "network.response",
      {
        request_id: known.id,
        method: request.method(),
        url: redactor.url(request.url()),
        status: 0,
        headers: [],
        duration_ms: Math.round(clock.monotonic() - known.started),
        resource_type: request.resourceType(),
        error,
      },
      { stepId: known.stepId },
    );
    told();
  });
  context.on("page", (page) => {
    captureSockets(page);
    if (!isEdited) void untraced(() => keepBodies(sessionOf, page));
  });
  for (const page of context.pages()) captureSockets(page);

  /** @param ended when its last byte had come, which is before its body is read here */
  async function finished(request: Request, ended: { ts: number; at: number }): Promise<void> {
    const known = ids.get(request);
    const response = await request.response().catch(() => null);
    if (!known || !response) return;
    known.seen.status = response.status();
    told();
    const [headers, body] = await Promise.all([
      response.headersArray().catch(() => []),
      readBody(request, response),
    ]);
    emitResponse(request, response, { ts: ended.ts, took: ended.at - known.started, headers, ...body });
  }

  function emitResponse(
    request: Request,
    response: Response,
    { ts, took, headers, ...more }: { ts: number; took: number; headers: Header[]; [field: string]: unknown },
  ): void {
    const known = ids.get(request);
    if (!known?.isListed) return;
    recorder.emit(
      "network.response",
      {
        request_id: known.id,
        method: request.method(),
        url: redactor.url(request.url()),
        status: response.status(),
        status_text: response.statusText(),
        headers: redactor.headers(headers),
        ...more,
        duration_ms: Math.round(took * 10) / 10,
        timing: phasesOf(request),
        resource_type: request.resourceType(),
      },
      { ts, stepId: known.stepId },
    );
  }

  /** As far as it came. */
  function tellCut(request: Request, response: Response, more: Record<string, unknown> = {}): void {
    const known = ids.get(request);
    if (!known) return;
    const headers = Object.entries(response.headers()).map(([name, value]) => ({ name, value }));
    const took = clock.monotonic() - known.started;
    emitResponse(request, response, {
      ts: clock.now(),
      took,
      headers,
      ...mediaOf(response),
      is_cut: true,
      ...more,
    });
  }

  /** Answers that never end. */
  function tellOpen(): void {
    for (const [request, response] of open) {
      if (!response) continue;
      tellCut(request, response);
      open.delete(request);
    }
  }

  async function readBody(request: Request, response: Response): Promise<Record<string, unknown>> {
    const media = mediaOf(response);
    const announced = Number(response.headers()["content-length"] ?? 0);
    // What came over the wire. The browser keeps no body that unpacks to much more than is wanted here.
    const sent = await request.sizes().then(
      ({ responseBodySize }) => responseBodySize,
      () => 0,
    );
    const least = Math.max(announced, sent);
    if (least > LARGEST_BODY) return { ...media, body_size: least };
    // Redirects, pages that were left and the like have none to give.
    const bytes = await response.body().catch(() => null);
    if (bytes === null || bytes.length === 0) return media;
    if (bytes.length > LARGEST_BODY) return { ...media, body_size: bytes.length };
    const isText = TEXT_TYPE.test(media.media_type ?? "");
    const body = isText ? recorder.body(bytes.toString("utf8")) : recorder.blob(redactor.bytes(bytes));
    return { ...media, body_size: bytes.length, body };
  }

  function captureSocket(url: string) {
    if (!admits()) return { message: () => {}, end: () => {} };
    last += 1;
    const id = `r${last}`;
    let count = 0;
    recorder.emit("network.request", {
      request_id: id,
      method: "GET",
      url: redactor.url(url),
      headers: [],
      resource_type: "websocket",
    });
    const { stepId } = recorder;
    const started = clock.monotonic();
    // The browser tells nobody of the handshake: whoever lets messages through has switched protocols (RFC 6455).
    const end = (error?: string): void => {
      if (!sockets.delete(end)) return;
      const took = clock.monotonic() - started;
      recorder.emit(
        "network.response",
        {
          request_id: id,
          method: "GET",
          url: redactor.url(url),
          status: error !== undefined && count === 0 ? 0 : SWITCHING_PROTOCOLS,
          headers: [],
          duration_ms: Math.round(took * 10) / 10,
          resource_type: "websocket",
          ...(error !== undefined && { error }),
        },
        { stepId },
      );
    };
    sockets.add(end);
    const message = (direction: "sent" | "received", payload: string | Buffer): void => {
      count += 1;
      if (count > MOST_MESSAGES) return;
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
    };
    return { message, end };
  }

  function captureSockets(page: Page): void {
    page.on("websocket", (socket) => {
      const { message, end } = captureSocket(socket.url());
      let problem: string | undefined;
      socket.on("socketerror", (error) => {
        problem = redactor.text(error);
      });
      socket.on("close", () => end(problem));
      socket.on("framesent", ({ payload }) => message("sent", payload));
      socket.on("framereceived", ({ payload }) => message("received", payload));
    });
  }

  return {
    seen,
    socket: (url) => captureSocket(url).message,
    change: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        waiting.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
    async settle() {
      const ended = AbortSignal.timeout(LAST_BODY_MS);
      await Promise.race([
        Promise.allSettled(pending),
        new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true })),
      ]);
      tellOpen();
      for (const end of sockets) end();
      tellUnlisted();
    },
  };
}

function mediaOf(response: Response): { media_type?: string } {
  const type = (response.headers()["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return type === "" ? {} : { media_type: type };
}

/** Bodies of answers that a page has left behind can still be read. Browsers that do not know how lose them. */
async function keepBodies(sessionOf: PageSessions, page: Page): Promise<void> {
  try {
    const session = await sessionOf(page);
    await session.send("Network.configureDurableMessages", {
      maxTotalBufferSize: MOST_KEPT,
      maxResourceBufferSize: LARGEST_BODY,
    });
  } catch {
    // An older browser, or a page that closed at once: its recording says which bodies it lacks.
  }
}

/** HAR's phases in ms; those that did not happen are left out. */
function phasesOf(request: Request): Record<string, number> {
  const at = request.timing();
  const span = (from: number, to: number) =>
    from >= 0 && to >= from ? Math.round((to - from) * 10) / 10 : -1;
  const phases = {
    dns: span(at.domainLookupStart, at.domainLookupEnd),
    connect: span(at.connectStart, at.connectEnd),
    ssl: span(at.secureConnectionStart, at.connectEnd),
    wait: span(at.requestStart, at.responseStart),
    receive: span(at.responseStart, at.responseEnd),
  };
  return Object.fromEntries(Object.entries(phases).filter(([, ms]) => ms >= 0));
}
