import type { Page } from "playwright-core";
import type { Clock } from "../../platform/clock.ts";
import type { PageSessions } from "./page-sessions.ts";
import type { Recorder } from "./recorder.ts";

/** Six pictures a second, a little more than Playwright's own film has: they are the dearest part of a recording. */
const CLOSEST_MS = 160;
/**
 * Where a picture takes long, the machine has no time to spare: the film rests for so many times as long then, and no longer than this.
 */
const RESTS_A_PICTURE = 4;
const LONGEST_REST_MS = 1000;
/** The end of a step is worth one sooner. */
const CLOSEST_AT_END_MS = 80;
const MOST_FRAMES = 1500;
const QUALITY = 60;
const SIZE = { maxWidth: 1280, maxHeight: 800 };

export interface Frame {
  ts: number;
  bytes: Uint8Array;
}

/** Films a page: it gets a picture whenever something changed, and the run does not wait for it. */
export interface Screencast {
  /** Every kept picture, for a video. */
  readonly frames: readonly Frame[];
  /** Asks for a picture of the step that has just ended. */
  mark(): void;
  stop(): Promise<void>;
}

/**
 * Calls back once, when the page has a document: one that shows nothing yet needs no film. For the page that a run begins with; into one
 * that another page opens that other may write at any time.
 */
export function onceShown(page: Page, film: () => void): void {
  if (page.url() !== "about:blank") {
    film();
    return;
  }
  // A document that is written into the blank page is navigated to by nobody.
  const signs = ["framenavigated", "domcontentloaded"] as const;
  const begin = () => {
    for (const sign of signs) page.off(sign as "framenavigated", begin);
    film();
  };
  for (const sign of signs) page.on(sign as "framenavigated", begin);
}

/** @throws when the page has gone already, or is none of Chromium's */
export async function startScreencast(
  page: Page,
  options: {
    recorder: Recorder;
    clock: Clock;
    pageName: string;
    sessionOf: PageSessions;
    /** Makes calls of Playwright that its own records are not to show. */
    untraced?: (work: () => Promise<unknown>) => Promise<unknown>;
  },
): Promise<Screencast> {
  const { recorder, clock, pageName, untraced = (work) => work() } = options;
  const cdp = await options.sessionOf(page);
  const over = new AbortController();
  const frames: Frame[] = [];
  let isOn = true;
  /** Whether the picture that every film begins with is still to come. */
  let isBeginning = true;
  /** On the monotonic clock, ms. */
  let askedAt = 0;
  let pauseMs = CLOSEST_MS;
  let rests = 0;
  let recordedAt = Number.NEGATIVE_INFINITY;
  let lastBlob = "";
  /** Of the step whose end is to be seen in the next picture. */
  let endedStep: { id: string | null } | null = null;

  // A page that closed meanwhile is filmed no more.
  const say = (work: () => Promise<unknown>) => void untraced(work).catch(() => {});
  const start = () => {
    isOn = true;
    isBeginning = true;
    askedAt = clock.monotonic();
    return cdp.send("Page.startScreencast", { format: "jpeg", quality: QUALITY, everyNthFrame: 1, ...SIZE });
  };

  /** Whether it shows something new. */
  function record(bytes: Uint8Array, size: { width: number; height: number }): boolean {
    const ts = clock.now();
    const stepId = endedStep ? endedStep.id : recorder.stepId;
    endedStep = null;
    const blob = recorder.blob(bytes);
    if (blob === lastBlob) return false;
    lastBlob = blob;
    recordedAt = ts;
    frames.push({ ts, bytes });
    recorder.emit("screenshot", { blob, ...size, page: pageName, media_type: "image/jpeg" }, { ts, stepId });
    return true;
  }

  /**
   * The browser takes a picture of every change as long as it films at all, whether it is told to send it or not. So it films
   * until the next change only, and then not for a while.
   */
  async function rest(ms: number): Promise<void> {
    isOn = false;
    say(() => cdp.send("Page.stopScreencast"));
    await resumeIn(ms);
  }

  /** Whoever says it last, counts. */
  async function resumeIn(ms: number): Promise<void> {
    rests += 1;
    const thisRest = rests;
    await clock.sleep(ms, over.signal);
    if (!isOn && thisRest === rests && !over.signal.aborted && frames.length < MOST_FRAMES) await resume();
  }

  async function resume(): Promise<void> {
    try {
      await untraced(start);
    } catch {
      // A page that is giving way to the next one is not filmed for a moment; one that has closed, never again.
      isOn = false;
      if (!page.isClosed()) void rest(CLOSEST_MS);
    }
  }

  cdp.on("Page.screencastFrame", ({ data, metadata, sessionId }) => {
    // One that was under way when the film was stopped.
    if (!isOn || over.signal.aborted) return;
    // It takes the first one as the page is; others wait for a change.
    if (isBeginning) pauseMs = pauseAfter(clock.monotonic() - askedAt);
    isBeginning = false;
    const size = { width: Math.round(metadata.deviceWidth), height: Math.round(metadata.deviceHeight) };
    if (record(Buffer.from(data, "base64"), size)) void rest(pauseMs);
    else say(() => cdp.send("Page.screencastFrameAck", { sessionId }));
  });
  await resume();
  return {
    frames,
    mark() {
      if (over.signal.aborted || frames.length >= MOST_FRAMES) return;
      // While it films, the newest picture is how the page looks, unless there is none yet.
      if (isOn && !isBeginning) return;
      const since = clock.now() - recordedAt;
      if (since < CLOSEST_AT_END_MS) {
        // What the step did last is not to wait for a long rest.
        if (!isOn) void resumeIn(CLOSEST_MS - since);
        return;
      }
      endedStep = { id: recorder.stepId };
      if (!isOn) void resume();
    },
    async stop() {
      over.abort();
      // The page may be gone, and with it the session.
      await cdp.send("Page.stopScreencast").catch(() => {});
    },
  };
}

/** @param took of a picture, ms */
const pauseAfter = (took: number): number =>
  Math.min(Math.max(CLOSEST_MS, RESTS_A_PICTURE * took), LONGEST_REST_MS);
