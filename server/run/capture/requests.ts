import type { BrowserContext, Request, Response } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import { mayBeShown } from "../addresses.ts";
import { type OpenAnswer, openAnswer } from "../browsers/internals.ts";
import type { Redactor } from "../redaction/redact.ts";
import { createExchangeEvents, headersOf } from "./exchange-events.ts";
import type { Recorder } from "./recorder.ts";
import type { RequestList } from "./request-list.ts";
import { mediaOf, readBody } from "./response-body.ts";

/** In the words of Chromium, Firefox and WebKit. */
const GIVEN_UP = /^(net::ERR_ABORTED|NS_BINDING_ABORTED|.*cancelled)$/i;

/** What a scenario may ask about: every request of the run, in order. */
export interface SeenRequest {
  method: string;
  url: string;
  /** Null before the answer, 0 when there was none. */
  status: number | null;
}

interface Known {
  id: string;
  isListed: boolean;
  stepId: string | null;
  seen: SeenRequest;
  /** On the monotonic clock, ms. */
  started: number;
  /** Null before the answer begins, and where it is not listed. */
  answer: OpenAnswer | null;
}

export interface RequestCapture {
  readonly seen: readonly SeenRequest[];
  /** Resolves when every body that is being read now has been read. */
  bodiesRead(): Promise<unknown>;
  /** Records the answers that have begun and not ended, as far as they came. */
  emitUnfinished(): void;
}

/** Records the requests that pages of a context make, and their answers with their bodies. */
export function captureRequests(
  context: BrowserContext,
  {
    recorder,
    redactor,
    clock,
    list,
    untraced,
    onChange,
  }: {
    recorder: Recorder;
    redactor: Redactor;
    clock: Clock;
    list: RequestList;
    /** Makes calls of Playwright that its own records are not to show. */
    untraced: (work: () => Promise<void>) => Promise<void>;
    /** Is called after each request and each answer. */
    onChange: () => void;
  },
): RequestCapture {
  const events = createExchangeEvents({ recorder, redactor });
  const knowns = new WeakMap<Request, Known>();
  /** Those without an end so far, with the beginning of their answer. */
  const unfinished = new Map<Request, Response | null>();
  const seen: SeenRequest[] = [];
  const reading = new Set<Promise<void>>();

  context.on("request", (request) => {
    // The run ends by it, and may take a moment to.
    if (!mayBeShown(request.url())) return;
    const entry: SeenRequest = { method: request.method(), url: request.url(), status: null };
    seen.push(entry);
    unfinished.set(request, null);
    const id = list.nextId();
    const isListed = list.admits();
    const { stepId } = recorder;
    knowns.set(request, { id, isListed, stepId, seen: entry, started: clock.monotonic(), answer: null });
    if (isListed) events.request(id, request);
    onChange();
  });

  context.on("response", (response) => {
    const request = response.request();
    const known = knowns.get(request);
    if (!known || !unfinished.has(request)) return;
    unfinished.set(request, response);
    known.seen.status = response.status();
    // Before anybody reads its body, which is when it has ended.
    if (known.isListed) known.answer = openAnswer(response);
    onChange();
  });

  context.on("requestfinished", (request) => {
    const known = knowns.get(request);
    const begun = unfinished.get(request);
    // What has been recorded as far as it came is not recorded again.
    if (!unfinished.delete(request) || !known?.isListed) return;
    const ended = { ts: clock.now(), took: clock.monotonic() - known.started };
    const work = untraced(() => recordFinished(known, request, begun ?? null, ended));
    reading.add(work);
    void work.finally(() => reading.delete(work));
  });

  context.on("requestfailed", (request) => {
    const response = unfinished.get(request);
    const known = knowns.get(request);
    if (!unfinished.delete(request) || !known) return;
    const error = request.failure()?.errorText ?? "The request failed.";
    // A page that does not read an answer gives it up: that is no failure, and it was answered all the same.
    if (response) return recordCut(known, request, response, GIVEN_UP.test(error) ? {} : { error });
    known.seen.status = 0;
    if (known.isListed) events.failure(known, request, { took: clock.monotonic() - known.started, error });
    onChange();
  });

  /**
   * @param begun its answer, if the browser told of it
   * @param ended when its last byte had come, which is before its body is read here
   */
  async function recordFinished(
    known: Known,
    request: Request,
    begun: Response | null,
    ended: { ts: number; took: number },
  ): Promise<void> {
    const response = begun ?? (await request.response().catch(() => null));
    if (!response) return;
    known.seen.status = response.status();
    onChange();
    const answer = known.answer ?? openAnswer(response);
    const [headers, body] = await Promise.all([
      answer.headers().catch(() => []),
      readBody(request, response, answer, { recorder, redactor }),
    ]);
    answer.release();
    events.response(known, request, response, { ...ended, headers, more: body });
  }

  /** An answer as far as it came. */
  function recordCut(
    known: Known,
    request: Request,
    response: Response,
    more: Record<string, unknown>,
  ): void {
    if (!known.isListed) return;
    events.response(known, request, response, {
      ts: clock.now(),
      took: clock.monotonic() - known.started,
      headers: headersOf(response),
      more: { ...mediaOf(response), is_cut: true, ...more },
    });
  }

  return {
    seen,
    bodiesRead: () => Promise.allSettled(reading),
    emitUnfinished() {
      for (const [request, response] of unfinished) {
        const known = knowns.get(request);
        if (!response || !known) continue;
        recordCut(known, request, response, {});
        unfinished.delete(request);
      }
    },
  };
}
