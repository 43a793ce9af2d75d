import type { Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { PageSessions } from "./page-sessions.ts";
import type { Recorder } from "./recorder.ts";

/**
 * Six pictures a second, a little more than Playwright's own film has. They are the dearest part of a recording: at twelve a
 * second they took a quarter of the processor time that the whole run takes without any.
 */
const CLOSEST_MS = 160;
const MOST_FRAMES = 1500;
const QUALITY = 60;
const SIZE = { maxWidth: 1280, maxHeight: 800 };

export interface Frame {
  ts: number;
  bytes: Uint8Array;
}

/** Films a page: the browser gives a picture whenever something changed, and the run does not wait for it. */
export interface Screencast {
  /** Every kept picture, for a video. */
  readonly frames: readonly Frame[];
  /** Records the newest picture if it has not been yet: at the end of a step. */
  mark(): void;
  stop(): Promise<void>;
}

/** @throws when the page has gone already */
export async function startScreencast(
  page: Page,
  options: {
    recorder: Recorder;
    clock: Clock;
    pageName: string;
    sessionOf: PageSessions;
    /** Makes calls of Playwright that its own records are not to show. */
    quietly?: (work: () => Promise<unknown>) => Promise<unknown>;
  },
): Promise<Screencast> {
  const { recorder, clock, pageName, quietly = (work) => work() } = options;
  const cdp = await options.sessionOf(page);
  const over = new AbortController();
  const unanswered: number[] = [];
  const frames: Frame[] = [];
  let newest: (Frame & { width: number; height: number; stepId: string | null }) | null = null;
  let recordedAt = Number.NEGATIVE_INFINITY;
  let lastBlob = "";

  function mark(): void {
    if (!newest || frames.length >= MOST_FRAMES) return;
    const { ts, bytes, width, height, stepId } = newest;
    newest = null;
    recordedAt = ts;
    const blob = recorder.blob(bytes);
    // The browser also gives a picture when nothing that can be seen has changed.
    if (blob === lastBlob) return;
    lastBlob = blob;
    frames.push({ ts, bytes });
    const shot = { blob, width, height, page: pageName, media_type: "image/jpeg" };
    recorder.emit("screenshot", shot, { ts, stepId });
  }

  const start = () =>
    cdp.send("Page.startScreencast", { format: "jpeg", quality: QUALITY, everyNthFrame: 1, ...SIZE });

  /**
   * Lets the browser go on. Pictures cost it, so it is answered no sooner than the next one is wanted. It gives few without an
   * answer and then drops what comes: after several, the film begins anew, which gives the page as it is now.
   */
  async function answer(): Promise<void> {
    await clock.sleep(CLOSEST_MS, over.signal);
    const waiting = unanswered.splice(0);
    if (over.signal.aborted) return;
    // A page that closed meanwhile needs no answer.
    await quietly(async () => {
      if (waiting.length > 1) await Promise.all([cdp.send("Page.stopScreencast"), start()]);
      else await cdp.send("Page.screencastFrameAck", { sessionId: waiting[0]! });
    }).catch(() => {});
  }

  cdp.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    if (unanswered.push(sessionId) === 1) void answer();
    const ts = clock.now();
    const width = Math.round(metadata.deviceWidth);
    const height = Math.round(metadata.deviceHeight);
    newest = { ts, bytes: Buffer.from(data, "base64"), width, height, stepId: recorder.stepId };
    if (ts - recordedAt >= CLOSEST_MS) mark();
  });
  await start();
  return {
    frames,
    mark,
    async stop() {
      over.abort();
      mark();
      // The page may be gone, and with it the session.
      await cdp.send("Page.stopScreencast").catch(() => {});
    },
  };
}
