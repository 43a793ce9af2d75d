import type { BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { Pages } from "../runner/pages.ts";
import type { CoverageCapture } from "./coverage.ts";
import type { DomRecording } from "./dom-recording.ts";
import { pageHtml } from "./page-html.ts";
import type { Recorder } from "./recorder.ts";
import type { Redactor } from "./redact.ts";
import { type Screencast, startScreencast } from "./screencast.ts";
import type { CaptureSink } from "./sink.ts";

/** What a page may take to be looked at when a step is over; a page that hangs is not waited for. */
const LOOK_MS = 1000;

/** What the pages of a run look like, step by step: filmed, photographed and as documents. */
export interface PageCapture {
  /** Records what the page looks like now; `isAskedFor` takes a picture of its own. */
  look(isAskedFor: boolean): Promise<void>;
  finish(sink: CaptureSink): Promise<void>;
}

export async function capturePages(
  context: BrowserContext,
  options: {
    recorder: Recorder;
    redactor: Redactor;
    clock: Clock;
    pages: Pages;
    recording: DomRecording;
    coverage: CoverageCapture;
  },
): Promise<PageCapture> {
  const { recorder, redactor, clock, pages, recording, coverage } = options;
  const casts = new Map<Page, Screencast>();
  const film = async (page: Page): Promise<void> => {
    // A page that closed at once is not filmed.
    const cast = await startScreencast(page, { recorder, clock, pageName: pages.nameOf(page) }).catch(
      () => null,
    );
    if (cast) casts.set(page, cast);
  };
  context.on("page", (page) => void film(page));
  await context.newPage();
  await coverage.ready();

  async function look(isAskedFor: boolean): Promise<void> {
    const page = current();
    if (!page) return;
    coverage.look();
    if (isAskedFor) await shoot(page);
    else casts.get(page)?.mark();
    const html = await within(page.evaluate(pageHtml));
    if (html === null) return;
    const clean = redactor.body(html);
    recorder.emit("dom.snapshot", {
      url: page.url(),
      html: recorder.blob(Buffer.from(clean)),
      page: pages.nameOf(page),
    });
  }

  function current(): Page | null {
    try {
      return pages.current();
    } catch {
      // Every page has closed: there is nothing to look at.
      return null;
    }
  }

  /** A step's picture as it is now, not as it was last filmed. */
  async function shoot(page: Page): Promise<Buffer | null> {
    const bytes = await within(page.screenshot({ type: "jpeg", quality: 80, timeout: LOOK_MS }));
    const size = page.viewportSize();
    if (bytes && size)
      recorder.emit("screenshot", {
        blob: recorder.blob(bytes),
        ...size,
        page: pages.nameOf(page),
        media_type: "image/jpeg",
      });
    return bytes;
  }

  /** Null when it takes too long or the page goes away meanwhile. */
  async function within<T>(work: Promise<T>): Promise<T | null> {
    const ended = new AbortController();
    const late = clock.sleep(LOOK_MS, ended.signal).then(() => null);
    const value = await Promise.race([work.catch(() => null), late]);
    ended.abort();
    return value;
  }

  return {
    look,
    async finish(sink) {
      const page = current();
      const picture = page && (await shoot(page));
      for (const cast of casts.values()) await cast.stop();
      await coverage.finish(within);
      if (picture)
        await sink.artifact(
          "screenshot",
          new Blob([picture as Uint8Array<ArrayBuffer>], { type: "image/jpeg" }),
        );
      const ndjson = recording.ndjson();
      if (ndjson)
        await sink.artifact(
          "rrweb",
          new Blob([Uint8Array.from(await Bun.zstdCompress(await ndjson.bytes()))]),
        );
    },
  };
}
