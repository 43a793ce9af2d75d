import type { BrowserContext, Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import { mayBeShown, NEVER_SHOWN } from "../addresses.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { CoverageCapture } from "./coverage.ts";
import type { DomRecording } from "./dom-recording.ts";
import { pageHtml } from "./page-html.ts";
import type { PageSessions } from "./page-sessions.ts";
import { pageWorldOf, runInPageWorld } from "./page-world.ts";
import type { Pages } from "./pages.ts";
import { createPatience, type Patience } from "./patience.ts";
import type { Recorder } from "./recorder.ts";
import { onceShown, type Screencast, startScreencast } from "./screencast.ts";
import type { CaptureSink, Keeping } from "./sink.ts";
import { captureStorage, type LocalStorage, READ_STORAGE } from "./storage.ts";
import { encodeVideo } from "./video.ts";

const LARGEST_HTML = 16 * 1024 * 1024;

/** The page that was shown last, and its picture. */
interface Ending {
  page: Page | null;
  picture: Buffer | null;
  /** Resolves when the sink has the picture. */
  sent: Promise<void>;
  ts: number;
}

/** Of what no scenario may open nothing is kept: the run ends by it. */
const IS_RECORDED = `!/^${NEVER_SHOWN}/.test(location.protocol)`;
const READ_PAGE = `{ html: (${pageHtml})(), storage: ${READ_STORAGE} }`;

/** What the pages of a run look like, step by step: filmed, photographed and as documents. */
export interface PageCapture {
  /** Records what the page looks like at the end of a step; `isAskedFor` takes a picture of its own. */
  look(options: { isAskedFor: boolean; isLast: boolean }): Promise<void>;
  /**
   * Takes the picture of the last step, and sends each part as soon as it is there. Resolves when the pages are needed no more.
   */
  finish(sink: CaptureSink): Promise<Keeping>;
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
    sessionOf: PageSessions;
  },
): Promise<PageCapture> {
  const { recorder, redactor, clock, pages, recording, coverage, sessionOf } = options;
  // The next step may leave the page, and with it what was not handed over yet.
  const readPage = `(${recording.last}, ${IS_RECORDED} ? ${READ_PAGE} : null)`;
  const { within, whileAnswering } = createPatience(clock, sessionOf);
  const storage = captureStorage({ recorder, redactor });
  const casts = new Map<Page, Screencast>();
  const reading = new Map<Page, Promise<void>>();
  const film = async (page: Page): Promise<void> => {
    const pageName = pages.nameOf(page);
    // A page that closed at once is not filmed.
    const cast = await startScreencast(page, { recorder, clock, pageName, sessionOf }).catch(() => null);
    if (cast) casts.set(page, cast);
  };
  const first = await context.newPage();
  // Only of the first page is the DOM recorded.
  const world = pageWorldOf(first);
  await runInPageWorld(first, { ...recording, said: (batch) => recording.take(first, batch) });
  onceShown(first, () => void film(first));
  context.on("page", (page) => void film(page));

  let lastStepId: string | null = null;

  async function look({ isAskedFor, isLast }: { isAskedFor: boolean; isLast: boolean }): Promise<void> {
    const page = current();
    if (!page) return;
    coverage.look();
    if (isLast) lastStepId = recorder.stepId;
    else if (isAskedFor) await shoot(page, recorder.stepId, within);
    else casts.get(page)?.mark();
    // The browser answers in order: what the next step asks for comes after this, without anybody waiting for it.
    // A page that has not answered yet hangs, and is not asked again.
    if (reading.has(page)) return;
    reading.set(
      page,
      read(page).then(() => void reading.delete(page)),
    );
  }

  /** The page as a document, and what it keeps. */
  async function read(page: Page): Promise<void> {
    const at = { ts: clock.now(), stepId: recorder.stepId };
    // Not by Playwright, which would note down the question and the page before and after it.
    const asked = sessionOf(page).then((session) =>
      Promise.all([session.send("Network.getCookies"), pageWorldOf(page).evaluate(readPage)]),
    );
    const answer = await within(asked);
    if (!answer) return;
    const [{ cookies }, value] = answer;
    const { html, storage: kept } = (value ?? {}) as { html?: string; storage?: LocalStorage | null };
    storage.note({ cookies, storage: kept ?? null }, at);
    if (html === undefined) return;
    if (html.length > LARGEST_HTML) {
      recorder.note(`The page's document is not kept: it has more than ${LARGEST_HTML >> 20} MiB.`);
      return;
    }
    const blob = recorder.blob(Buffer.from(redactor.body(html)));
    recorder.emit(
      "dom.snapshot",
      { url: redactor.url(page.url()), html: blob, page: pages.nameOf(page) },
      at,
    );
  }

  function current(): Page | null {
    try {
      return pages.current();
    } catch {
      // Every page has closed: there is nothing to look at.
      return null;
    }
  }

  /** A step's picture as it is now, not as it was last filmed. @param send for one that does not go with the others */
  async function shoot(
    page: Page,
    stepId: string | null,
    wait: Patience["within"],
    send?: (picture: Buffer) => Promise<void>,
  ): Promise<Buffer | null> {
    if (!mayBeShown(page.url())) return null;
    const size = page.viewportSize();
    const take = async () =>
      (await sessionOf(page)).send("Page.captureScreenshot", {
        format: "jpeg",
        quality: 80,
        optimizeForSpeed: true,
      });
    // The browser refuses now and then while a page gets another surface to draw on.
    const answer = await wait(take().catch(take));
    if (!answer || !size) return null;
    const bytes = Buffer.from(answer.data, "base64");
    const blob = recorder.blob(bytes, send?.(bytes));
    const picture = { blob, ...size, page: pages.nameOf(page), media_type: "image/jpeg" };
    recorder.emit("screenshot", picture, { stepId });
    return bytes;
  }

  async function takeLast(page: Page | null, sink: CaptureSink): Promise<Ending> {
    let sent: Promise<void> = Promise.resolve();
    const send = (bytes: Buffer) => {
      sent = sink.artifact("screenshot", new Blob([Uint8Array.from(bytes)], { type: "image/jpeg" }));
      return sent;
    };
    const picture = page && (await shoot(page, lastStepId, (taken) => whileAnswering(page, taken), send));
    return { page, picture, sent, ts: clock.now() };
  }

  async function keepRecording(sink: CaptureSink): Promise<void> {
    const ndjson = recording.ndjson();
    if (ndjson)
      await sink.artifact("rrweb", new Blob([Uint8Array.from(await Bun.zstdCompress(await ndjson.bytes()))]));
  }

  /** Of the first page; pages that opened later are filmed, but a video shows one. */
  async function keepVideo(sink: CaptureSink, end: Ending): Promise<void> {
    const [[page, cast] = [null, null]] = casts;
    // The film may have rested when the last step ended.
    const last = end.picture && end.page === page ? [{ ts: end.ts, bytes: end.picture }] : [];
    try {
      const frames = [...(cast?.frames ?? []), ...last];
      const video = await encodeVideo(frames, recorder.firstTs ?? clock.now());
      if (video) await sink.artifact("video", new Blob([video.bytes], { type: video.mediaType }));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      recorder.note(`No video was made: ${why}`);
    }
  }

  return {
    look,
    async finish(sink) {
      const page = current();
      // The browser ends the film first: while it goes on, a busy one now and then draws no picture.
      const filmed = Promise.all([...casts.values()].map((cast) => within(cast.stop())));
      const taken = takeLast(page, sink);
      const handedOver = within(world.evaluate(recording.last));
      const kept = [taken.then(({ sent }) => sent), handedOver.then(() => keepRecording(sink))];
      const recorded = [Promise.all([taken, filmed]).then(([end]) => keepVideo(sink, end))];
      // Told by whoever waits for them, which is later.
      for (const work of [...kept, ...recorded]) work.catch(() => {});
      await Promise.all([taken, handedOver, filmed, coverage.finish(within), ...reading.values()]);
      return { recorded, kept };
    },
  };
}
