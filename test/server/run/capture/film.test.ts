import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createPageSessions, type PageSession } from "../../../../server/run/capture/page-sessions.ts";
import { createRecorder } from "../../../../server/run/capture/recorder.ts";
import { onceShown, startScreencast } from "../../../../server/run/capture/screencast.ts";
import { createRedactor } from "../../../../server/run/redaction/redact.ts";
import { createTypedValues } from "../../../../server/run/redaction/typed.ts";
import { createTestClock } from "../../../helpers/app.ts";
import { NOWHERE } from "../../../helpers/nowhere.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";

setDefaultTimeout(120_000);

let lab: RunLab;
beforeAll(async () => {
  lab = await runLab();
});
afterAll(() => lab.close());

test("the film of a run goes on when pages give way to others, and each picture is another than the one before", async () => {
  // So often that the film begins anew while one page gives way to the next.
  const visit = ['click link "Cart"', 'go to "/"'];
  const visits = Array.from({ length: 10 }, () => visit).flat();
  // The last page is one that was not seen before: else its picture may be the last one that was taken.
  const steps = ['go to "/"', ...visits, 'go to "/signin"', "wait 1s"];
  const { traceId } = await lab.run(steps);
  // The last picture of all is taken when the run is over.
  const film = (await lab.events(traceId, "&kind=screenshot")).slice(0, -1);
  expect(Number(String(film.at(-1)?.step_id).slice(1))).toBeGreaterThanOrEqual(steps.length - 1);
  const blobs = film.map(({ blob }) => String(blob));
  expect(blobs.filter((blob, at) => blob === blobs[at - 1])).toEqual([]);
});

test("the first picture is one of the first page's, and every step that changed something has one", async () => {
  const { traceId, status } = await lab.run([
    'go to "/"',
    "wait 300ms",
    'click link "Cart"',
    'expect url "/cart"',
  ]);
  expect(status).toBe("passed");
  const film = await lab.events(traceId, "&kind=screenshot");
  expect(film[0]?.step_id).toBe("s1");
  expect(film.at(-1)?.step_id).toBe("s4");
  expect(film.every(({ step_id }) => step_id !== undefined)).toBe(true);
});

test("a page is filmed once it has a document, be it navigated to or written into the blank page", async () => {
  const context = await lab.owned.browser.newContext();
  const begun: string[] = [];
  const watch = async (name: string) => {
    const page = await context.newPage();
    onceShown(page, () => void begun.push(name));
    return page;
  };
  const [, written, navigated] = [await watch("blank"), await watch("written"), await watch("navigated")];
  expect(begun).toEqual([]);
  await written.setContent("<h1>Thank you</h1>");
  await navigated.goto("data:text/html,<h1>Thank you</h1>");
  await navigated.reload();
  expect(begun).toEqual(["written", "navigated"]);
  onceShown(navigated, () => void begun.push("opened before"));
  expect(begun).toEqual(["written", "navigated", "opened before"]);
  await context.close();
});

/** A film of a real page, whose first picture comes in so many ms of a clock that the test moves, and no other; resolves when it rests. */
async function resting(tookMs: number) {
  const context = await lab.owned.browser.newContext();
  const page = await context.newPage();
  await page.setContent("<h1>Thank you</h1>");
  const clock = createTestClock();
  const redactor = createRedactor({ headers: [], patterns: [], secrets: {}, typed: createTypedValues() });
  const recorder = createRecorder({ sink: NOWHERE, clock, redactor });
  const real = await createPageSessions(context)(page);
  const rests = Promise.withResolvers<void>();
  let begun = 0;
  let hasCome = false;
  const session = {
    async send(method: string, params?: unknown) {
      if (method === "Page.startScreencast") begun += 1;
      if (method === "Page.stopScreencast") rests.resolve();
      return real.send(method as "Page.startScreencast", params as { format: "jpeg" });
    },
    on(event: string, hear: (frame: unknown) => void) {
      real.on(event as "Page.screencastFrame", (frame) => {
        // The next ones come when the browser likes, and would move the clock under the test.
        if (hasCome) return;
        hasCome = true;
        clock.advance(tookMs);
        hear(frame);
      });
    },
  } as PageSession;
  const { mark } = await startScreencast(page, {
    recorder,
    clock,
    pageName: "page@1",
    sessionOf: async () => session,
  });
  await rests.promise;
  return {
    begun: () => begun,
    mark,
    /** Lets time pass, and whoever waited for it begin. */
    async pass(ms: number) {
      clock.advance(ms);
      await Bun.sleep(0);
    },
    close: () => context.close(),
  };
}

test("a film rests a sixth of a second, and where pictures take long four times as long as one of them", async () => {
  const quick = await resting(10);
  await quick.pass(159);
  expect(quick.begun()).toBe(1);
  await quick.pass(1);
  expect(quick.begun()).toBe(2);
  await quick.close();

  const slow = await resting(150);
  await slow.pass(599);
  expect(slow.begun()).toBe(1);
  await slow.pass(1);
  expect(slow.begun()).toBe(2);
  await slow.close();

  const slowest = await resting(5000);
  await slowest.pass(1000);
  expect(slowest.begun()).toBe(2);
  await slowest.close();
});

test("the end of a step is pictured at once, or a sixth of a second after the last picture, however long the film rests", async () => {
  const later = await resting(150);
  await later.pass(80);
  later.mark();
  expect(later.begun()).toBe(2);
  await later.close();

  const sooner = await resting(150);
  await sooner.pass(79);
  sooner.mark();
  await sooner.pass(80);
  expect(sooner.begun()).toBe(1);
  await sooner.pass(1);
  expect(sooner.begun()).toBe(2);
  await sooner.close();
});
