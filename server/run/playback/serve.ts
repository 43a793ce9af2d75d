import type { Browser } from "playwright-core";
import { counted } from "../../trace/format/words.ts";
import type { Recorder } from "../capture/recorder.ts";
import type { RunnerError } from "../errors.ts";
import { createRedactor, type RedactionRules } from "../redaction/redact.ts";
import { isOfThePast } from "./catch-up.ts";
import type { Exchange, RecordedResponse } from "./exchanges.ts";
import { holdRequests } from "./held-requests.ts";
import { createMatcher, type Wanted } from "./match.ts";
import { bodyOf, type Paused, preflightOf, reasonOf, servable, typeOf, withoutLength } from "./paused.ts";
import type { RecordedRun } from "./plan.ts";
import { createServedBodies, firstNotes } from "./served-bodies.ts";
import { createSourceDiffs, isTextType } from "./source-diffs.ts";

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
  const requests = await holdRequests(browser, handle);
  const diffs = createSourceDiffs(plan.sourceDiffs);
  const note = firstNotes(recorder);
  const bodies = createServedBodies({ diffs, note, bytesOf: (reference) => playback.bytesOf(reference) });
  const matcher = createMatcher(playback.network.exchanges, {
    redactor: createRedactor(options.rules),
    baseUrl: options.baseUrl,
    textOf: async (reference) => {
      const bytes = await playback.bytesOf(reference);
      return bytes && new TextDecoder().decode(bytes);
    },
  });
  /** Addresses by request. */
  const waiting = new Map<string, string>();
  const telling: PlaybackRequest[] = [];
  let isServing = plan.fromStep > 1;
  let served = 0;

  async function handle(paused: Paused): Promise<void> {
    const { requestId, request } = paused;
    const isAnswered = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined;
    if (isAnswered) return editLive(paused);
    if (!isServing || !/^https?:/.test(request.url)) return toNetwork(requestId, request.url);
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
    if (!response || response.error?.includes("ERR_ABORTED")) return void waiting.set(requestId, request.url);
    if (response.error !== null || response.status < 200)
      return requests.fail(requestId, reasonOf(response.error ?? ""));
    await fulfil(requestId, exchange, response);
  }

  async function fulfil(requestId: string, { url }: Exchange, response: RecordedResponse): Promise<void> {
    await requests.fulfil(requestId, {
      status: response.status,
      headers: servable(response.headers),
      body: await bodies.edited(url, response),
    });
  }

  /** A page of the past may still ask when the replay is live already: what answers is edited like any live answer. */
  const toNetwork = (requestId: string, url: string) => requests.proceed(requestId, diffs.concerns(url));

  /** Before it is live nothing reaches the network. */
  async function unanswered({ requestId, request, resourceType }: Paused): Promise<void> {
    const preflight = preflightOf(request);
    if (preflight) return requests.fulfil(requestId, { status: 204, headers: preflight });
    // The browser asks for icons by itself, and no recording tells of it.
    if (resourceType === "Other" && new URL(request.url).pathname === "/favicon.ico")
      return requests.fulfil(requestId, { status: 204 });
    note(
      `The source trace holds no answer to ${request.method} ${request.url}: before step ${plan.fromStep} nothing is live, so it failed.`,
    );
    await requests.fail(requestId, "Failed");
  }

  /** Live answers that a source diff may concern are held once they begin. */
  async function editLive({ requestId, request, ...answer }: Paused): Promise<void> {
    const headers = answer.responseHeaders ?? [];
    const status = answer.responseStatusCode ?? 0;
    if (status !== 200 || !diffs.concerns(request.url) || !isTextType(typeOf(headers)))
      return requests.proceed(requestId);
    const text = await requests.textOf(requestId);
    await requests.fulfil(requestId, {
      status,
      headers: withoutLength(headers),
      body: Buffer.from(diffs.apply(request.url, text)),
    });
  }

  /** Requests are held while they are served, answers where a diff concerns them. */
  const listen = () =>
    requests.hold(
      isServing
        ? "requests"
        : { answersOf: diffs.paths.map((path) => `*${path.replace(/[\\*?]/g, "\\$&")}*`) },
    );
  await listen();

  return {
    get isServing() {
      return isServing;
    },
    get failure() {
      return requests.failure;
    },
    async answer(wanted) {
      const exchange = await matcher.take(wanted);
      if (!exchange?.response) return null;
      served += 1;
      if (isOfThePast(wanted.method, false)) telling.push({ ...wanted, headers: {} });
      return { response: exchange.response, body: await bodies.recorded(exchange.url, exchange.response) };
    },
    async skip(wanted) {
      if (isServing) await matcher.take(wanted);
    },
    async goLive() {
      await requests.settled();
      isServing = false;
      for (const [requestId, url] of waiting) await toNetwork(requestId, url);
      await requests.settled();
      await listen();
      recorder.note(
        `From here on the replay is live; ${counted(served, "request")} before ${served === 1 ? "was" : "were"} answered from the source trace.`,
      );
      return telling;
    },
    finish() {
      if (requests.failure) throw requests.failure;
      diffs.checkUse();
    },
    close: requests.close,
  };
}
