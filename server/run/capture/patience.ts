import type { Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { PageSessions } from "./page-sessions.ts";

/** What a page may take to answer; one that hangs is not waited for. */
const ANSWER_MS = 1000;
/** What its last picture may take while it answers other questions: on a busy machine drawing comes last. */
const PICTURE_MS = 5000;

/** How long a recording waits for its pages. Both give null when it takes too long, or the page goes away meanwhile. */
export interface Patience {
  /** Waits a second. */
  within<T>(work: Promise<T>): Promise<T | null>;
  /** Waits five seconds, but ends with the first whole second in which the page's scripts answered nothing. */
  whileAnswering<T>(page: Page, work: Promise<T>): Promise<T | null>;
}

export function createPatience(clock: Clock, sessionOf: PageSessions): Patience {
  async function within<T>(work: Promise<T>): Promise<T | null> {
    const ended = new AbortController();
    const late = clock.sleep(ANSWER_MS, ended.signal).then(() => null);
    const value = await Promise.race([work.catch(() => null), late]);
    ended.abort();
    return value;
  }

  return {
    within,
    async whileAnswering(page, work) {
      for (let waited = 0; waited < PICTURE_MS; waited += ANSWER_MS) {
        let isAnswered = false;
        sessionOf(page)
          .then((session) => session.send("Runtime.evaluate", { expression: "0" }))
          .then(
            () => {
              isAnswered = true;
            },
            // A page that went away answers nothing.
            () => {},
          );
        const value = await within(work);
        if (value !== null || !isAnswered) return value;
      }
      return null;
    },
  };
}
