import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rangesThatRan } from "../../../../server/run/capture/coverage.ts";
import { coverageOf } from "../../../../store/records/coverage.ts";
import { type RunLab, runLab } from "../../../helpers/runs.ts";
import { startSite } from "../../../helpers/site.ts";

setDefaultTimeout(120_000);

const NEVER = "function never() { return 1; }";
const SCRIPT = `function used() { document.title = 'Used'; }\n${NEVER}`;

let lab: RunLab;
let site: Bun.Server<undefined>;
beforeAll(async () => {
  lab = await runLab();
  site = startSite({
    "/": [
      "text/html",
      `<link rel=stylesheet href=/a.css><script src=/used.js></script><button onclick="used()">Use</button><a href=/next>Next</a>`,
    ],
    "/next": ["text/html", "<script src=/next.js></script><p>Next page"],
    "/a.css": ["text/css", "button { color: red }"],
    "/used.js": ["text/javascript", SCRIPT],
    "/next.js": ["text/javascript", "document.title = 'Next';"],
  });
});
afterAll(async () => {
  await site.stop(true);
  await lab.close();
});

describe("coverage of scripts", () => {
  test("tells what pages used, and is kept by scenario until a run that passes used it no more", async () => {
    const baseUrl = site.url.origin;
    const outcome = await lab.run(
      ['go to "/"', 'click button "Use"', 'expect title "Used"', 'click link "Next"', 'expect title "Next"'],
      { baseUrl },
    );
    expect(outcome.status).toBe("passed");
    const [event] = await lab.events(outcome.traceId, "&kind=script.coverage");
    const entries = event?.entries as { url: string; type: string; total: number; used: number }[];
    expect(entries.map(({ url, type }) => [url.slice(baseUrl.length), type])).toEqual(
      expect.arrayContaining([
        ["/used.js", "script"],
        ["/next.js", "script"],
        ["/a.css", "stylesheet"],
      ]),
    );
    const next = entries.find(({ url }) => url.endsWith("/next.js"));
    expect(next).toMatchObject({ total: 24, used: 24 });

    const { records } = lab.app.store;
    const { id } = await records.selectFrom("scenarios").select("id").executeTakeFirstOrThrow();
    const paths = async () => (await coverageOf(records, id)).map(({ path }) => path);
    expect(await paths()).toEqual(expect.arrayContaining(["/a.css", "/next.js", "/used.js"]));
    await lab.run(['go to "/next"', 'expect title "No" within 1ms'], { baseUrl });
    expect(await paths()).toContain("/used.js");
    await lab.run(['go to "/next"'], { baseUrl });
    expect(await paths()).toEqual(["/next.js"]);
  });

  test("tells which functions ran, also of a page that was left after a while", async () => {
    const steps = ['go to "/"', 'click button "Use"', "wait 1100ms", 'go to "/next"'];
    for (const some of [steps.slice(0, 2), steps]) {
      const { traceId } = await lab.run(some, { baseUrl: site.url.origin });
      const [event] = await lab.events(traceId, "&kind=script.coverage");
      const entries = event?.entries as { url: string }[];
      expect(entries.find(({ url }) => url.endsWith("/used.js"))).toMatchObject({
        total: SCRIPT.length,
        used: SCRIPT.length - NEVER.length,
      });
    }
  });

  test("a script that the page has nearly forgotten is told of as loaded, never with half of its length", async () => {
    const forget = async () => {
      const [context] = lab.owned.browser.contexts();
      const session = await context!.newCDPSession(context!.pages()[0]!);
      await session.send("HeapProfiler.collectGarbage");
      await session.send("HeapProfiler.collectGarbage");
      await session.send("Runtime.evaluate", { expression: "document.title = 'Forgotten'" });
    };
    let forgotten = Promise.resolve();
    const steps = ['go to "/"', 'click button "Use"', 'expect title "Forgotten" within 60s'];
    const { traceId, status } = await lab.run(steps, {
      baseUrl: site.url.origin,
      onProgress(progress) {
        if (progress.type === "step" && progress.step.action.verb === "expect") forgotten = forget();
      },
    });
    await forgotten;
    expect(status).toBe("passed");
    const [event] = await lab.events(traceId, "&kind=script.coverage");
    const entries = event?.entries as { url: string; total?: number }[];
    const { total = SCRIPT.length } = entries.find(({ url }) => url.endsWith("/used.js"))!;
    expect(total).toBe(SCRIPT.length);
  });

  test("counts what ran by the innermost function around it", () => {
    const fn = (from: number, to: number, ran: boolean) => ({ from, to, ran });
    expect(rangesThatRan([fn(0, 100, true), fn(10, 50, false), fn(20, 30, true), fn(60, 70, true)])).toEqual([
      [0, 10],
      [20, 30],
      [50, 100],
    ]);
    expect(rangesThatRan([fn(0, 10, false)])).toEqual([]);
    expect(rangesThatRan([fn(0, 10, true), fn(0, 10, true)])).toEqual([[0, 10]]);
  });
});
