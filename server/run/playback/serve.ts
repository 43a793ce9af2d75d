import type { Browser, CDPSession } from "playwright-core";
import { counted } from "../../trace/format/words.ts";
import type { Recorder } from "../capture/recorder.ts";
import { RunnerError } from "../errors.ts";
import { createRedactor, MASK, type RedactionRules } from "../redaction/redact.ts";
import { isOfThePast } from "./catch-up.ts";
import type { Exchange, RecordedResponse } from "./exchanges.ts";
import { createMatcher, type Wanted } from "./match.ts";
import type { RecordedRun } from "./plan.ts";
import { createSourceDiffs, isTextType } from "./source-diffs.ts";

/** What Chromium tells of a request that it holds (CDP `Fetch.requestPaused`). */
interface Paused {
  requestId: string;
  request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    postData?: string;
    hasPostData?: boolean;
    postDataEntries?: { bytes?: string }[];
  };
  resourceType: string;
  responseStatusCode?: number;
  responseHeaders?: { name: string; value: string }[];
  responseErrorReason?: string;
}

/** The network of a replay: what was recorded, until it goes live. */
export interface PlaybackNetwork {
  readonly isServing: boolean;
  /** Why an answer could not be made: the replay is to end with the step that is under way. */
  readonly failure: RunnerError | null;
  /** What was recorded for a request that no page makes. Null when there is nothing. */
  answer(wanted: Wanted & { body: string | null }): Promise<ServedAnswer | null>;
  /** Something else answered this request: its recorded answer is not the next one's. */
  skip(wanted: Wanted): Promise<void>;
  /**
   * From here on requests reach the network.
   * @returns of those that were served, in order, what made the session and state of then: pages, and what changes something
   */
  goLive(): Promise<PlaybackRequest[]>;
  /** @throws RunnerError for a source diff that was never used */
  finish(): void;
  close(): Promise<void>;
}

export interface ServedAnswer {
  response: RecordedResponse;
  body: Uint8Array;
}

/** A request as the page made it, nothing masked. */
export interface PlaybackRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** What is said of requests without a recorded answer; more of them say nothing new. */
const MOST_TOLD = 20;
/** The body was unpacked and is sent whole, and cookies are masked in recordings. */
const LEFT_OUT = new Set(["content-length", "content-encoding", "transfer-encoding", "connection"]);
const REASONS: Record<string, string> = {
  ERR_ABORTED: "Aborted",
  ERR_TIMED_OUT: "TimedOut",
  ERR_ACCESS_DENIED: "AccessDenied",
  ERR_CONNECTION_CLOSED: "ConnectionClosed",
  ERR_CONNECTION_RESET: "ConnectionReset",
  ERR_CONNECTION_REFUSED: "ConnectionRefused",
  ERR_CONNECTION_ABORTED: "ConnectionAborted",
  ERR_CONNECTION_FAILED: "ConnectionFailed",
  ERR_NAME_NOT_RESOLVED: "NameNotResolved",
  ERR_INTERNET_DISCONNECTED: "InternetDisconnected",
  ERR_ADDRESS_UNREACHABLE: "AddressUnreachable",
  ERR_BLOCKED_BY_CLIENT: "BlockedByClient",
  ERR_BLOCKED_BY_RESPONSE: "BlockedByResponse",
};

/**
 * Stands between a browser and the network. It holds every request of the browser, redirects and those of frames and
 * workers included, so one replay has the browser for itself. Call it before the replay's context is made.
 */
export async function servePlayback(
  browser: Browser,
  playback: RecordedRun,
  options: {
    recorder: Recorder;
    rules: RedactionRules;
    baseUrl: string | null;
  },
): Promise<PlaybackNetwork> {
  const { recorder } = options;
  const { plan } = playback;
  const cdp: CDPSession = await browser.newBrowserCDPSession();
  const diffs = createSourceDiffs(plan.sourceDiffs);
  const matcher = createMatcher(playback.network.exchanges, {
    redactor: createRedactor(options.rules),
    baseUrl: options.baseUrl,
    textOf: async (reference) => {
      const bytes = await playback.bytesOf(reference);
      return bytes && new TextDecoder().decode(bytes);
    },
  });
  const work = new Set<Promise<void>>();
  const held = new Set<string>();
  const telling: PlaybackRequest[] = [];
  let isServing = plan.fromStep > 1;
  let failure: RunnerError | null = null;
  let served = 0;
  let told = 0;

  // A page that goes away takes its requests along; then nobody waits for the answer.
  const send = (method: "fulfillRequest" | "failRequest" | "continueRequest", parameters: object) =>
    cdp.send(`Fetch.${method}`, parameters as never).then(
      () => {},
      () => {},
    );

  cdp.on("Fetch.requestPaused", (event) => {
    const doing = handle(event as unknown as Paused)
      .catch((error: unknown) => {
        failure ??=
          error instanceof RunnerError
            ? error
            : new RunnerError("replay_broken", "An answer of the source trace could not be served.", error);
        return send("failRequest", { requestId: event.requestId, errorReason: "Failed" });
      })
      .finally(() => work.delete(doing));
    work.add(doing);
  });

  async function handle(paused: Paused): Promise<void> {
    const { requestId, request } = paused;
    const isAnswered = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined;
    if (isAnswered) return editLive(paused);
    if (!isServing || !/^https?:/.test(request.url)) return send("continueRequest", { requestId });
    const body = bodyOf(request);
    const exchange = await matcher.take({ method: request.method, url: request.url, body });
    if (!exchange) return unanswered(paused);
    served += 1;
    // Pages too: sessions begin with them, and often the state of a session.
    if (isOfThePast(request.method, paused.resourceType === "Document"))
      telling.push({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: body ?? null,
      });
    const { response } = exchange;
    // Its page went away, or the recording ended, before it was answered: as then, it waits.
    if (!response || response.error?.includes("ERR_ABORTED")) return void held.add(requestId);
    if (response.error !== null || response.status < 200)
      return send("failRequest", { requestId, errorReason: reasonOf(response.error ?? "") });
    await fulfil(requestId, exchange, response);
  }

  async function fulfil(requestId: string, { url }: Exchange, response: RecordedResponse): Promise<void> {
    let bytes = await bytesOf(url, response);
    if (diffs.concerns(url) && isTextType(typeOf(response.headers)))
      bytes = Buffer.from(diffs.apply(url, new TextDecoder().decode(bytes)));
    await send("fulfillRequest", {
      requestId,
      responseCode: response.status,
      responseHeaders: response.headers.filter(
        ({ name, value }) => !LEFT_OUT.has(name.toLowerCase()) && !value.includes(MASK),
      ),
      body: Buffer.from(bytes).toString("base64"),
    });
  }

  async function bytesOf(url: string, response: RecordedResponse): Promise<Uint8Array> {
    const { body, headers } = response;
    if (body !== null) {
      const bytes = body.startsWith("sha256:") ? await playback.bytesOf(body) : Buffer.from(body);
      if (bytes) return bytes;
    }
    const size = response.bodySize || Number(headerValue(headers, "content-length") ?? 0);
    if (body !== null || size > 0)
      tell(
        `The source trace did not keep the ${counted(size, "byte")} that ${url} was answered with: it was served empty.`,
      );
    return new Uint8Array();
  }

  /** Before it is live nothing reaches the network. */
  async function unanswered({ requestId, request, resourceType }: Paused): Promise<void> {
    const asked = headerOf(request.headers, "access-control-request-method");
    if (request.method === "OPTIONS" && asked !== null) {
      // Recordings tell no preflights (Fetch standard, CORS preflight).
      const origin = headerOf(request.headers, "origin") ?? "*";
      const headers = headerOf(request.headers, "access-control-request-headers") ?? "";
      return send("fulfillRequest", {
        requestId,
        responseCode: 204,
        responseHeaders: [
          { name: "access-control-allow-origin", value: origin },
          { name: "access-control-allow-methods", value: asked },
          { name: "access-control-allow-headers", value: headers },
          { name: "access-control-allow-credentials", value: "true" },
        ],
      });
    }
    // The browser asks for icons by itself, and no recording tells of it.
    if (resourceType === "Other" && new URL(request.url).pathname === "/favicon.ico")
      return send("fulfillRequest", { requestId, responseCode: 204 });
    tell(
      `The source trace holds no answer to ${request.method} ${request.url}: before step ${plan.fromStep} nothing is live, so it failed.`,
    );
    await send("failRequest", { requestId, errorReason: "Failed" });
  }

  /** Live answers that a source diff may concern are held once they begin. */
  async function editLive({ requestId, request, ...answer }: Paused): Promise<void> {
    const headers = answer.responseHeaders ?? [];
    const status = answer.responseStatusCode ?? 0;
    if (status !== 200 || !diffs.concerns(request.url) || !isTextType(typeOf(headers)))
      return send("continueRequest", { requestId });
    const { body, base64Encoded } = await cdp.send("Fetch.getResponseBody", { requestId });
    const text = base64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
    await send("fulfillRequest", {
      requestId,
      responseCode: status,
      responseHeaders: headers.filter(({ name }) => !LEFT_OUT.has(name.toLowerCase())),
      body: Buffer.from(diffs.apply(request.url, text)).toString("base64"),
    });
  }

  function tell(text: string): void {
    told += 1;
    if (told <= MOST_TOLD) recorder.note(text);
  }

  /** Requests are held while they are served, answers where a diff concerns them. */
  async function listen(): Promise<void> {
    if (!isServing && diffs.paths.length === 0) return void (await cdp.send("Fetch.disable"));
    const edited = diffs.paths.map((path) => ({
      urlPattern: `*${path.replace(/[\\*?]/g, "\\$&")}*`,
      requestStage: "Response" as const,
    }));
    await cdp.send("Fetch.enable", { patterns: isServing ? [{ urlPattern: "*" }] : edited });
  }
  await listen();

  return {
    get isServing() {
      return isServing;
    },
    get failure() {
      return failure;
    },
    async answer(wanted) {
      const exchange = await matcher.take(wanted);
      if (!exchange?.response) return null;
      served += 1;
      if (isOfThePast(wanted.method, false)) telling.push({ ...wanted, headers: {} });
      return { response: exchange.response, body: await bytesOf(exchange.url, exchange.response) };
    },
    async skip(wanted) {
      if (isServing) await matcher.take(wanted);
    },
    async goLive() {
      await Promise.all(work);
      isServing = false;
      for (const requestId of held) await send("continueRequest", { requestId });
      await Promise.all(work);
      await listen();
      recorder.note(
        `From here on the replay is live; ${counted(served, "request")} before ${served === 1 ? "was" : "were"} answered from the source trace.`,
      );
      return telling;
    },
    finish() {
      if (failure) throw failure;
      diffs.checkUse();
    },
    async close() {
      // The browser may have gone already.
      await cdp.send("Fetch.disable").catch(() => {});
      await cdp.detach().catch(() => {});
    },
  };
}

/** Undefined when there is a body that the browser does not tell. */
function bodyOf({ postData, hasPostData, postDataEntries }: Paused["request"]): string | null | undefined {
  if (postDataEntries?.some(({ bytes }) => bytes !== undefined))
    return Buffer.concat(postDataEntries.map(({ bytes }) => Buffer.from(bytes ?? "", "base64"))).toString(
      "utf8",
    );
  return postData ?? (hasPostData ? undefined : null);
}

function headerOf(headers: Record<string, string>, name: string): string | null {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
}

type Headers = readonly { name: string; value: string }[];

const headerValue = (headers: Headers, wanted: string): string | undefined =>
  headers.find(({ name }) => name.toLowerCase() === wanted)?.value;

const typeOf = (headers: Headers): string => headerValue(headers, "content-type") ?? "";

/** CDP's name of what a recording calls `net::ERR_…`. */
const reasonOf = (error: string): string => REASONS[/ERR_[A-Z_]+/.exec(error)?.[0] ?? ""] ?? "Failed";
