import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { TraceEvent } from "../../../../server/trace/format/event.ts";
import { closeBrowser } from "../../../helpers/browser.ts";
import { playwrightProject } from "../../../helpers/playwright-project.ts";
import { eventually } from "../../../helpers/until.ts";
import { picture, type ViewerApp, viewerApp } from "../../../helpers/viewer.ts";

setDefaultTimeout(120_000);

const UNLIMITED = { reads_per_minute: 100_000, writes_per_minute: 100_000, ingests_per_minute: 100_000 };

const SPEC = (shop: string) => `import { expect } from "@playwright/test";
import { test } from "./base";
test("pays", async ({ page }) => {
  await page.goto("${shop}/");
  await test.step("fill in the card", async () => {
    await page.getByLabel("Password").fill("hunter22");
    await page.getByRole("button").click();
  });
  await expect(page.locator("output")).toHaveText("paid");
  await page.request.get("${shop}/hold");
  expect.soft(await page.title()).toBe("Shop");
  await expect(page.locator("output")).toHaveText("refunded", { timeout: 300 });
});
test.skip("is left out", async () => {});
`;
const BASE = `import { test as base } from "@playwright/test";
import { withTracedeck } from "./tracedeck-fixture.cjs";
export const test = withTracedeck(base);
`;

interface Detail {
  id: string;
  status: string;
  scenario_slug: string;
  scenario_title: string;
  run_id: string;
  attempt: number;
  event_count: number;
  signed_urls: Record<string, string>;
  failure_message: string | null;
}

/** A till whose page pays, and which holds a request until the test lets it go. */
function startTill() {
  const hold = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 100,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/hold") {
        held.resolve();
        await hold.promise;
        return new Response("go");
      }
      if (pathname === "/pay") return Response.json({ id: 7, token: "tok_secret", note: "paid in full" });
      return new Response(
        `<title>Till</title><label>Password <input type=password></label><button>Pay</button><output></output>
        <script>document.querySelector("button").onclick = async () => {
          const answer = await fetch("/pay", { method: "POST", body: JSON.stringify({ password: document.querySelector("input").value, amount: 3 }) });
          console.log("answered", answer.status);
          document.querySelector("output").textContent = "paid";
        };</script>`,
        { headers: { "content-type": "text/html" } },
      );
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, hold, held: held.promise, stop: () => server.stop(true) };
}

let viewer: ViewerApp;
beforeAll(async () => {
  viewer = await viewerApp({ settings: { rate_limits: UNLIMITED } });
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

async function listed(): Promise<Detail[]> {
  return ((await (await viewer.app.api("/v1/traces")).json()) as { items: Detail[] }).items;
}
async function only(): Promise<Detail> {
  const items = await listed();
  expect(items).toHaveLength(1);
  return (await (await viewer.app.api(`/v1/traces/${items[0]!.id}`)).json()) as Detail;
}
async function eventsOf(id: string): Promise<TraceEvent[]> {
  const answer = await viewer.app.api(`/v1/traces/${id}/events?limit=1000`);
  return ((await answer.json()) as { events: TraceEvent[] }).events;
}

test("an existing test is followed live, replayed, and stays one trace with its archive", async () => {
  const till = startTill();
  const made = await playwrightProject();
  try {
    made.write("base.ts", BASE);
    made.write("pay.spec.ts", SPEC(till.url));
    const running = made.run([], { TRACEDECK_URL: viewer.base, TRACEDECK_KEY: viewer.app.apiKey });
    await Promise.race([till.held, running.then(({ output }) => Promise.reject(new Error(output)))]);

    // The test stands still in the middle; what it did so far is there.
    await eventually(async () =>
      expect((await eventsOf((await only()).id)).map(({ kind }) => kind)).toContain("assertion"),
    );
    const live = await only();
    expect(live).toMatchObject({ status: "running", scenario_title: "pays", attempt: 1 });
    const { page } = await viewer.open(`/traces/${live.id}`);
    await page.getByText("fill in the card").first().waitFor();
    await picture(page, "playwright-fixture-live");
    till.hold.resolve();
    const { code, output } = await running;
    expect(code).toBe(1);
    expect(output).toContain("tracedeck: 1 trace uploaded");
    await viewer.app.runJobs();

    const trace = await only();
    expect(trace.status).toBe("failed");
    expect(trace.failure_message).toContain("refunded");
    expect(Object.keys(trace.signed_urls)).toContainValues(["ndjson", "playwright", "rrweb"]);
    const events = await eventsOf(trace.id);
    const named = (kind: string) =>
      events.filter((event) => event.kind === kind) as Record<string, unknown>[];

    const step = named("agent.action").find(({ title }) => title === "fill in the card")!;
    const click = named("agent.action").find(({ title }) => String(title).startsWith("Click"))!;
    expect(click.parent_step_id).toBe(step.step_id);
    expect(click.stack).toMatchObject([{ line: 7 }]);
    expect(named("assertion").map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(step.stack).toMatchObject([{ line: 5 }]);
    expect(named("assertion").at(-1)).toMatchObject({ expected: "refunded", received: "paid" });
    // What the capture itself asks of Playwright is no step of the test.
    const titles = named("agent.action").map(({ title }) => title);
    expect(titles.filter((title) => /body|CDP|binding|headers/i.test(String(title)))).toEqual([]);

    const request = named("network.request").find(({ url }) => url === `${till.url}/pay`)!;
    expect(request).toMatchObject({ method: "POST", step_id: click.step_id });
    expect(request.body).toBe('{"password":"[redacted]","amount":3}');
    const answer = named("network.response").find(({ request_id }) => request_id === request.request_id)!;
    expect(answer.body).toBe('{"id":7,"token":"[redacted]","note":"paid in full"}');
    expect(named("console.log").map(({ text }) => text)).toContain("answered 200");
    expect(named("screenshot").length).toBeGreaterThan(0);
    expect(named("dom.mutation").length).toBeGreaterThan(0);
    expect(JSON.stringify(events)).not.toContain("hunter22");

    await page.goto(`${viewer.base}/traces/${trace.id}?view=replay`);
    await page.getByText("refunded").first().waitFor();
    await page
      .frameLocator('iframe[title="The page, replayed"]')
      .frameLocator('iframe[title="Replay"]')
      .frameLocator("iframe")
      .getByText("paid")
      .waitFor();
    await picture(page, "playwright-fixture");
  } finally {
    till.hold.resolve();
    made.remove();
    await till.stop();
  }
});

test("without a reporter the fixture ends its traces itself; without a server, or with a pattern that is none, tests run as ever", async () => {
  const before = (await only()).id;
  const made = await playwrightProject({ use: { trace: "off" } });
  try {
    made.write("base.ts", BASE);
    made.write(
      "tiny.spec.ts",
      `import { test } from "./base"; test("tiny", async ({ page }) => { await page.setContent("<p>1"); });`,
    );
    const env = { TRACEDECK_URL: viewer.base, TRACEDECK_KEY: viewer.app.apiKey };
    const alone = await made.run(["--reporter", "line"], env);
    expect(alone.output).toContain("1 passed");
    await viewer.app.runJobs();
    const items = await listed();
    expect(items.filter(({ id }) => id !== before)).toMatchObject([
      { scenario_title: "tiny", status: "passed" },
    ]);

    const down = await made.run(["--reporter", "json"], {
      TRACEDECK_URL: "http://127.0.0.1:9",
      TRACEDECK_KEY: "k",
    });
    expect(down.code).toBe(0);
    expect(down.output).toContain("No native capture: The recording cannot be kept");

    made.write("base.ts", BASE.replace("(base)", `(base, { redactPatterns: ["("] })`));
    const unclear = await made.run(["--reporter", "json"], env);
    expect(unclear.code).toBe(0);
    expect(unclear.output).toContain("No native capture: Invalid regular expression");
  } finally {
    made.remove();
  }
});

test("with onlyFailed the trace of a test that passed, or skipped itself, ends with it and not by a timeout", async () => {
  const before = new Set((await listed()).map(({ id }) => id));
  const made = await playwrightProject({ reporter: { onlyFailed: true } });
  try {
    made.write("base.ts", BASE);
    made.write(
      "ends.spec.ts",
      `import { test } from "./base";
      test("ends well", async ({ page }) => { await page.setContent("<p>1"); });
      test("ends early", async ({ page }) => { await page.setContent("<p>2"); test.skip(); });`,
    );
    const env = { TRACEDECK_URL: viewer.base, TRACEDECK_KEY: viewer.app.apiKey };
    const { code, output } = await made.run([], env);
    expect([code, output]).toEqual([0, expect.stringContaining("1 passed")]);
    // Nobody asked for an upload.
    expect(output).not.toMatch(/traces? uploaded/);
    await viewer.app.runJobs();
    const ended = (await listed()).filter(({ id }) => !before.has(id));
    expect(ended.map(({ scenario_title, status }) => [scenario_title, status]).sort()).toEqual([
      ["ends early", "passed"],
      ["ends well", "passed"],
    ]);
    const details = await Promise.all(
      ended.map(async ({ id }) => (await viewer.app.api(`/v1/traces/${id}`)).json()),
    );
    for (const { signed_urls } of details as Detail[]) expect(signed_urls).not.toContainKey("playwright");
  } finally {
    made.remove();
  }
});

test("a test's pages close while its recording is sent, and the test is over when all of it has arrived", async () => {
  const before = new Set((await listed()).map(({ id }) => id));
  const closed = Promise.withResolvers<void>();
  const site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 100,
    fetch(request) {
      if (new URL(request.url).pathname !== "/open")
        return new Response(`<h1>Open</h1><script>fetch("/open")</script>`, {
          headers: { "content-type": "text/html" },
        });
      request.signal.addEventListener("abort", () => closed.resolve(), { once: true });
      return new Promise<Response>(() => {});
    },
  });
  // The server takes the recording of the page only when that is no more.
  const slow = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 100,
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      if (pathname.endsWith("/artifacts/rrweb")) await closed.promise;
      return fetch(new URL(pathname + search, viewer.base), {
        method,
        headers: { ...Object.fromEntries(headers), host: new URL(viewer.base).host },
        body,
      });
    },
  });
  const made = await playwrightProject({ use: { trace: "off" } });
  try {
    made.write("base.ts", BASE);
    made.write(
      "open.spec.ts",
      `import { expect } from "@playwright/test";
      import { test } from "./base";
      test("leaves a page open", async ({ page }) => {
        await page.goto("${site.url}", { waitUntil: "commit" });
        await expect(page.getByRole("heading")).toBeVisible();
      });`,
    );
    const env = { TRACEDECK_URL: slow.url.origin, TRACEDECK_KEY: viewer.app.apiKey };
    const { code, output } = await made.run(["--reporter", "json"], env);
    expect([code, output]).toEqual([0, expect.not.stringContaining("No native capture")]);
    await viewer.app.runJobs();
    const [trace] = (await listed()).filter(({ id }) => !before.has(id));
    const detail = (await (await viewer.app.api(`/v1/traces/${trace!.id}`)).json()) as Detail;
    expect(detail).toMatchObject({ scenario_title: "leaves a page open", status: "passed" });
    expect(Object.keys(detail.signed_urls)).toContainValues(["ndjson", "rrweb"]);
  } finally {
    made.remove();
    await Promise.all([site.stop(true), slow.stop(true)]);
  }
});
