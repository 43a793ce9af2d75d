import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { createIds } from "../../../../server/platform/ids.ts";
import { launchBrowser, type OwnedBrowser } from "../../../../server/run/browsers/launch.ts";
import { captureCoverage } from "../../../../server/run/capture/coverage.ts";
import { createDomRecording } from "../../../../server/run/capture/dom-recording.ts";
import { capturePages } from "../../../../server/run/capture/page-capture.ts";
import { createPageSessions, type PageSession } from "../../../../server/run/capture/page-sessions.ts";
import { watchPages } from "../../../../server/run/capture/pages.ts";
import { createRecorder } from "../../../../server/run/capture/recorder.ts";
import type { CaptureSink } from "../../../../server/run/capture/sink.ts";
import { loadPageScripts } from "../../../../server/run/page-scripts/build.ts";
import { createRedactor } from "../../../../server/run/redaction/redact.ts";
import { createTypedValues } from "../../../../server/run/redaction/typed.ts";
import { createTestClock } from "../../../helpers/app.ts";
import { NOWHERE } from "../../../helpers/nowhere.ts";

setDefaultTimeout(60_000);

let owned: OwnedBrowser;
beforeAll(async () => {
  owned = await launchBrowser({ executable: null });
});
afterAll(() => owned.close());

/** A real page whose pictures come when the test says so; time stands still but for what the test advances. */
async function watched(options: { isCountedLate?: boolean; refusals?: number; told?: string[] } = {}) {
  const context: BrowserContext = await owned.browser.newContext();
  const clock = createTestClock();
  const redactor = createRedactor({
    headers: [],
    patterns: [],
    secrets: {},
    typed: createTypedValues(),
  });
  const kept: string[] = [];
  const known = Promise.withResolvers<void>();
  const sink: CaptureSink = {
    ...NOWHERE,
    async blobs(batch) {
      options.told?.push(...batch.map(({ hash }) => `sha256:${hash}`));
    },
    async chunk(_, bytes) {
      const text = Buffer.from(await Bun.zstdDecompress(bytes as Uint8Array<ArrayBuffer>)).toString();
      const events = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const pictures = events.filter(({ kind }) => kind === "screenshot");
      options.told?.push(...pictures.slice(-1).map(({ blob }) => `named ${blob}`));
    },
    async artifact(kind) {
      kept.push(kind);
      options.told?.push(kind);
      if (kept.includes("screenshot") && kept.includes("rrweb")) known.resolve();
    },
  };
  const recorder = createRecorder({ sink, clock, redactor });
  const drawn = Promise.withResolvers<void>();
  const counted = Promise.withResolvers<void>();
  let answered = Promise.withResolvers<void>();
  let refusals = options.refusals ?? 0;
  const real = createPageSessions(context);
  const sessionOf = async (page: Page): Promise<PageSession> => {
    const session = await real(page);
    const send = async (method: string, params?: unknown) => {
      // No film: it may have the very picture that is waited for, and the browser may draw for one of the two at a time.
      if (method === "Page.startScreencast") return {};
      if (method === "Page.captureScreenshot") {
        await drawn.promise;
        if (refusals-- > 0)
          throw new Error("Protocol error (Page.captureScreenshot): Unable to capture screenshot");
      }
      if (method === "Profiler.getBestEffortCoverage" && options.isCountedLate) await counted.promise;
      const answer = await session.send(method as "Runtime.evaluate", params as { expression: string });
      if (method === "Runtime.evaluate") answered.resolve();
      return answer;
    };
    return { send: send as PageSession["send"], on: session.on };
  };
  const shared = { recorder, redactor, clock };
  const binding = `_${createIds(clock).secret(16)}`;
  const capture = await capturePages(context, {
    ...shared,
    pages: watchPages(context, recorder),
    recording: createDomRecording({ ...shared, scripts: await loadPageScripts(), binding }),
    coverage: captureCoverage(context, { ...shared, sessionOf }),
    sessionOf,
  });
  const page = context.pages()[0]!;
  let isOver = false;
  return {
    page,
    draw: () => drawn.resolve(),
    /** Lets the page tell what of its scripts ran, where it is to tell that late. */
    count: () => counted.resolve(),
    /** Resolves when picture and recording are kept. */
    known: known.promise,
    isOver: () => isOver,
    /** Lets seconds pass in each of which the page answers. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        await answered.promise;
        // What waited for the answer hears of it before the second is over.
        await Bun.sleep(0);
        answered = Promise.withResolvers();
        clock.advance(1000);
      }
    },
    advance: clock.advance,
    close: () => recorder.close(),
    /** Ends the recording; resolves to what was kept. */
    async finish() {
      const { recorded, kept: sent } = await capture.finish(sink);
      await Promise.all([...recorded, ...sent]);
      isOver = true;
      await context.close();
      return kept;
    },
  };
}

test("the last picture is waited for as long as the page answers, four seconds and more", async () => {
  const it = await watched();
  await it.page.setContent("<h1>Thank you</h1>");
  const finished = it.finish();
  await it.pass(4);
  it.draw();
  expect(await finished).toContain("screenshot");
});

test("a page that answers and is never drawn is given up after five seconds", async () => {
  const it = await watched();
  await it.page.setContent("<h1>Thank you</h1>");
  const finished = it.finish();
  await it.pass(4);
  expect(it.isOver()).toBe(false);
  await it.pass(1);
  expect(await finished).not.toContain("screenshot");
});

test("a page that hangs is waited for no longer than a second", async () => {
  const it = await watched();
  const said = Promise.withResolvers<void>();
  it.page.once("console", () => said.resolve());
  await it.page.setContent("<script>setTimeout(() => { console.log('hangs'); for (;;); })</script>");
  await said.promise;
  const finished = it.finish();
  // Everything that is to be waited for is being waited for.
  await Bun.sleep(0);
  it.advance(1000);
  expect(await finished).not.toContain("screenshot");
});

test.each([
  [1, true],
  [2, false],
])(
  "a last picture that the browser refuses is asked for once more (refused: %d, taken: %p)",
  async (refusals, isTaken) => {
    const it = await watched({ refusals });
    await it.page.setContent("<h1>Thank you</h1>");
    it.draw();
    expect((await it.finish()).includes("screenshot")).toBe(isTaken);
  },
);

test("the last picture goes to the sink once, and the event that names it after it", async () => {
  const told: string[] = [];
  const it = await watched({ told });
  await it.page.setContent("<h1>Thank you</h1>");
  it.draw();
  await it.finish();
  await it.close();
  const [hash, named] = [told.indexOf("screenshot"), told.findIndex((one) => one.startsWith("named "))];
  expect(hash).toBeGreaterThanOrEqual(0);
  expect(named).toBeGreaterThan(hash);
  expect(told).not.toContain(told[named]!.slice("named ".length));
});

test("picture and recording go out while the page still tells what of its scripts ran", async () => {
  const it = await watched({ isCountedLate: true });
  await it.page.setContent("<h1>Thank you</h1>");
  const finished = it.finish();
  it.draw();
  await it.known;
  expect(it.isOver()).toBe(false);
  it.count();
  await finished;
});
