import type { Browser } from "playwright-core";
import { RunnerError } from "../errors.ts";
import type { Paused } from "./paused.ts";

/** Requests of a browser that wait until they are told how to go on. */
export interface HeldRequests {
  /** Why one could not be handled. */
  readonly failure: RunnerError | null;
  /**
   * Lets it reach the network, or its answer the page.
   * @param isAnswerHeld whether the answer is handed over as well, whatever was held when the request was made
   */
  proceed(requestId: string, isAnswerHeld?: boolean): Promise<void>;
  /** @param reason one of CDP's */
  fail(requestId: string, reason: string): Promise<void>;
  fulfil(
    requestId: string,
    answer: { status: number; headers?: { name: string; value: string }[]; body?: Uint8Array },
  ): Promise<void>;
  /** The text of an answer that is held. */
  textOf(requestId: string): Promise<string>;
  /** Holds requests, or answers to requests of these patterns, or nothing more. */
  hold(what: "requests" | { answersOf: readonly string[] }): Promise<void>;
  /** Resolves when what was held so far has been handled. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Hands over each request of a browser that it holds, redirects and those of frames and workers included. One that cannot be
 * handled fails.
 */
export async function holdRequests(
  browser: Browser,
  handle: (paused: Paused) => Promise<void>,
): Promise<HeldRequests> {
  const cdp = await browser.newBrowserCDPSession();
  const work = new Set<Promise<void>>();
  let failure: RunnerError | null = null;

  // A page that goes away takes its requests along; then nobody waits for the answer.
  const send = (method: "fulfillRequest" | "failRequest" | "continueRequest", parameters: object) =>
    cdp.send(`Fetch.${method}`, parameters as never).then(
      () => {},
      () => {},
    );
  const fail = (requestId: string, errorReason: string) => send("failRequest", { requestId, errorReason });

  cdp.on("Fetch.requestPaused", (event) => {
    const doing = handle(event as unknown as Paused)
      .catch((error: unknown) => {
        failure ??=
          error instanceof RunnerError
            ? error
            : new RunnerError("replay_broken", "An answer of the source trace could not be served.", error);
        return fail(event.requestId, "Failed");
      })
      .finally(() => work.delete(doing));
    work.add(doing);
  });

  return {
    get failure() {
      return failure;
    },
    proceed: (requestId, isAnswerHeld) =>
      send("continueRequest", { requestId, ...(isAnswerHeld && { interceptResponse: true }) }),
    fail,
    fulfil: (requestId, { status, headers, body }) =>
      send("fulfillRequest", {
        requestId,
        responseCode: status,
        ...(headers && { responseHeaders: headers }),
        ...(body && { body: Buffer.from(body).toString("base64") }),
      }),
    async textOf(requestId) {
      const { body, base64Encoded } = await cdp.send("Fetch.getResponseBody", { requestId });
      return base64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
    },
    async hold(what) {
      if (what === "requests")
        return void (await cdp.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }));
      if (what.answersOf.length === 0) return void (await cdp.send("Fetch.disable"));
      const patterns = what.answersOf.map((urlPattern) => ({
        urlPattern,
        requestStage: "Response" as const,
      }));
      await cdp.send("Fetch.enable", { patterns });
    },
    async settled() {
      await Promise.all(work);
    },
    async close() {
      // The browser may have gone already.
      await cdp.send("Fetch.disable").catch(() => {});
      await cdp.detach().catch(() => {});
    },
  };
}
