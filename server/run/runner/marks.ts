import type { BrowserContext, Frame, Page, Request, Response } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import { SYNTHETIC_HEADER, SYNTHETIC_SOURCE } from "../browsers/context.ts";

/** Whether the target met what marks a synthetic user (specification, section 2.7). */
export interface MarksSeen {
  /** A request to it went out with the header, as the browser's network layer sent it, and was answered. */
  header: boolean;
  /** A page that came of it had the flag. */
  flag: boolean;
}

export interface MarkWatch {
  /** What was seen, when everything that was asked is answered, or after a while. */
  seen(): Promise<MarksSeen>;
}

const WAIT_MS = 2000;

/** Looks at what the target is sent and what its pages see. @param target the address that is watched */
export function watchMarks(context: BrowserContext, target: string, clock: Pick<Clock, "sleep">): MarkWatch {
  const origin = URL.parse(target)?.origin;
  const seen: MarksSeen = { header: false, flag: false };
  const asked: Promise<void>[] = [];

  async function lookAtHeader(request: Request) {
    const sent = await request.allHeaders();
    if (sent[SYNTHETIC_HEADER.toLowerCase()] === SYNTHETIC_SOURCE) seen.header = true;
  }

  async function lookAtFlag(frame: Frame) {
    if (!/^https?:/.test(frame.url())) return;
    if ((await frame.evaluate("self.__PRODUCT_SYNTHETIC__")) === true) seen.flag = true;
  }

  const ask = (work: Promise<void>) => {
    // A page that has gone says nothing any more.
    asked.push(work.catch(() => {}));
  };
  const onResponse = (response: Response) => {
    if (!seen.header && URL.parse(response.url())?.origin === origin) ask(lookAtHeader(response.request()));
  };
  const onLoaded = (page: Page) => {
    if (!seen.flag) ask(lookAtFlag(page.mainFrame()));
  };
  context.on("response", onResponse);
  context.on("page", (page) => page.on("domcontentloaded", onLoaded));

  return {
    async seen() {
      const given = new AbortController();
      await Promise.race([Promise.all(asked), clock.sleep(WAIT_MS, given.signal)]);
      given.abort();
      return { ...seen };
    },
  };
}
