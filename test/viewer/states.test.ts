import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page, Route } from "playwright-core";
import { findings } from "../helpers/axe.ts";
import { closeBrowser } from "../helpers/browser.ts";
import { eventLines, events, zstd } from "../helpers/bundles.ts";
import { post, runPeriodic, uploadTrace } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { picture, recorded, setVisible, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const DAY = 86_400_000;
const START = 1_767_323_045_000;

let viewer: ViewerApp;

beforeAll(async () => {
  viewer = await viewerApp({ settings: { auto_pin_failed: false } });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const steps = (from: number, count: number, more: (seq: number) => Record<string, unknown> = () => ({})) =>
  Array.from({ length: count }, (_, index) => {
    const seq = from + index;
    const event = {
      seq,
      ts: START + seq * 100,
      kind: "agent.action",
      step_id: `s${seq}`,
      name: `page.click ${seq}`,
      params: {},
      duration_ms: 90,
      ...more(seq),
    };
    return `${JSON.stringify(event)}\n`;
  }).join("");

async function startCapture(): Promise<string> {
  const manifest = {
    version: 1,
    scenario: { slug: "live", title: "Live run" },
    started_at: new Date(START).toISOString(),
  };
  const response = await post(viewer.app, "/internal/v1/traces", manifest);
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as { trace_id: string }).trace_id;
}

const sendChunk = (id: string, n: number, lines: string) =>
  viewer.app.api(`/internal/v1/traces/${id}/chunks?n=${n}`, {
    method: "POST",
    body: zstd(Buffer.from(lines)) as Uint8Array<ArrayBuffer>,
    headers: { "content-type": "application/zstd" },
  });

test("a running trace grows as it is watched, follows its newest step, and settles when it ends", async () => {
  const id = await startCapture();
  await sendChunk(id, 0, steps(0, 3));
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  await page.getByRole("img", { name: "Live" }).waitFor();
  const selected = page.getByRole("treeitem", { selected: true });
  await selected.getByText("page.click 2").waitFor();
  await sendChunk(id, 1, steps(3, 2));
  await selected.getByText("page.click 4").waitFor();
  await page.getByRole("tab", { name: /^Console/ }).click();
  const error = { kind: "console.error", text: "the ledger is away" };
  await sendChunk(
    id,
    2,
    steps(5, 2, (seq) => (seq === 6 ? error : {})),
  );
  await page.locator(".console-row").getByText("the ledger is away").waitFor();
  await picture(page, "trace-live");
  // Who picked a step is left there.
  await page.getByRole("treeitem").first().click();
  await sendChunk(id, 3, steps(7, 2));
  await page.getByRole("treeitem").nth(7).waitFor();
  await eventually(async () => expect(await selected.innerText()).toContain("page.click 0"));
  await post(viewer.app, `/internal/v1/traces/${id}/end`, { status: "failed" });
  await viewer.app.runJobs();
  await page.getByRole("img", { name: "Live" }).waitFor({ state: "detached" });
  await page.locator(".trace-bar").getByText("Failed").waitFor();
  await eventually(async () => expect(await selected.innerText()).toContain("page.click 0"));
  // The summary is asked for before it is known that a running trace has none.
  expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
  await context.close();
});

test("a running trace whose server is away is called old until the server is back", async () => {
  const id = await startCapture();
  await sendChunk(id, 0, steps(0, 3));
  const { page, context } = await viewer.open(`/traces/${id}`);
  await page.getByRole("treeitem", { selected: true }).getByText("page.click 2").waitFor();
  const away = (route: Route) =>
    route.fulfill({ status: 503, json: { error: "unavailable", message: "The server is away." } });
  await page.route(`**/v1/traces/${id}**`, away);
  await page.route(`**/v1/traces/${id}/stream**`, away);
  await setVisible(page, false);
  await setVisible(page, true);
  const strip = page.getByRole("status").filter({ hasText: /Shown as it was at .*: The server is away\./ });
  await strip.waitFor();
  expect(await page.getByRole("treeitem").count()).toBe(3);
  await picture(page, "trace-old");
  expect(await findings(page)).toEqual([]);
  await page.unrouteAll();
  await strip.waitFor({ state: "detached" });
  await sendChunk(id, 1, steps(3, 1));
  await page.getByRole("treeitem").nth(3).waitFor();
  await context.close();
});

test("a trace that ends between two answers while it is opened is shown as it ended", async () => {
  const { id } = await viewer.ingest("v10-failing");
  const { page, context } = await viewer.open("/traces");
  await page.route(
    `**/v1/traces/${id}/summary`,
    // As a trace that runs has none.
    (route) => route.fulfill({ status: 404, body: "{}" }),
    { times: 1 },
  );
  await page.locator(`a[href="/traces/${id}"]`).click();
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await context.close();
});

test("a trace that is still being read says so and opens by itself", async () => {
  const form = new FormData();
  form.set("scenario_slug", "queued");
  form.set("bundle", Bun.file(recorded("v10-failing")), "trace.zip");
  const response = await viewer.app.api("/v1/traces/ingest", { method: "POST", body: form });
  const { trace_id: id } = (await response.json()) as { trace_id: string };
  const { page, context } = await viewer.open(`/traces/${id}`);
  await page.getByText("The trace is stored and is being read.").waitFor();
  await picture(page, "trace-queued");
  await viewer.app.runJobs();
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await context.close();
});

test("a salvaged archive says what was lost", async () => {
  const whole = readFileSync(recorded("v10-failing"));
  const form = new FormData();
  form.set("scenario_slug", "cut-short");
  form.set("bundle", new File([whole.subarray(0, whole.length - 5000)], "trace.zip"));
  const response = await viewer.app.api("/v1/traces/ingest", { method: "POST", body: form });
  const { trace_id: id } = (await response.json()) as { trace_id: string };
  await viewer.app.runJobs();
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  await page.getByRole("treeitem").first().waitFor();
  expect(await page.locator(".banner").innerText()).not.toBe("");
  await picture(page, "trace-salvaged");
  expect(complaints).toEqual([]);
  await context.close();
});

test("a cold trace shows its summary and last screenshot, and comes back with one press", async () => {
  const { id } = await viewer.ingest("v10-runner-failing");
  viewer.app.clock.advance(31 * DAY);
  await runPeriodic(viewer.app, "tiers");
  viewer.app.clock.advance(100 * DAY);
  await runPeriodic(viewer.app, "tiers");
  const { page, context } = await viewer.open(`/traces/${id}`);
  await page.getByText("This trace is in cold storage").waitFor();
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await page.getByRole("img", { name: /^The page/ }).waitFor();
  await page.getByText("The text of these files is in cold storage.").waitFor();
  expect(await page.locator("main, body").first().innerText()).not.toContain("/v1/");
  await picture(page, "trace-cold");
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "Restoring…" }).waitFor();
  await viewer.app.runJobs();
  await page.getByText("This trace is in cold storage").waitFor({ state: "detached" });
  await page.getByRole("tab", { name: /^Network/ }).click();
  await page.getByRole("button", { name: /^\/api\/checkout/ }).waitFor();
  await context.close();
});

test("a trace without events says so", async () => {
  const { id } = await uploadTrace(viewer.app, { entries: [events("")] });
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  await page.getByText("This trace has no events.").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

/** How long a step forward takes until it is drawn, in the middle of 20, ms. */
const stepTime = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const times: number[] = [];
    for (let step = 0; step < 20; step++) {
      const started = performance.now();
      window.dispatchEvent(new KeyboardEvent("keydown", { key: "k", bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[10] ?? 0;
  });

test("with 100,000 events only what is on screen is in the document, and a step change stays quick", async () => {
  const kinds = ["console.log", "dom.mutation", "agent.thought"];
  const lines = eventLines(100_000, (seq) => {
    if (seq % 10 === 0) {
      return {
        kind: "agent.action",
        step_id: `s${seq}`,
        name: `page.click ${seq}`,
        params: {},
        duration_ms: 1,
        ...(seq === 90_000 ? { error: { message: "the last straw" } } : {}),
      };
    }
    if (seq % 10 === 1) {
      return {
        kind: "network.response",
        request_id: `r${seq}`,
        url: `https://shop.invalid/api/items/${seq}`,
        status: 200,
        headers: [],
        duration_ms: 3,
      };
    }
    return { kind: kinds[seq % kinds.length] };
  });
  const { id } = await uploadTrace(viewer.app, { entries: [events(lines)], manifest: { status: "failed" } });
  const few = steps(0, 200, (seq) => (seq === 199 ? { error: { message: "the last straw" } } : {}));
  const { id: small } = await uploadTrace(viewer.app, {
    entries: [events(few)],
    manifest: { status: "failed" },
  });
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  const failure = page.getByRole("group", { name: "Failure" });
  await failure.getByText("the last straw", { exact: true }).waitFor();
  await page.getByText("10,000 steps").waitFor();
  await page.getByRole("tab", { name: /^Network/ }).click();
  await page.getByText("10000 of 10000").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.locator(".event-row .row-link").first().waitFor();
  await page.locator(".panel .scroll").evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await page.locator(".event-row").getByText("99999", { exact: true }).waitFor();
  await eventually(async () =>
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(2000),
  );
  const took = await stepTime(page);
  await page.goto(`${viewer.base}/traces/${small}`);
  await page.getByRole("treeitem", { selected: true }).waitFor();
  expect(took).toBeLessThan(10 * (await stepTime(page)));
  expect(complaints).toEqual([]);
  await context.close();
});

test("of a long failure the box shows where the values differ, and more on request, while the page keeps its room", async () => {
  const same = "the same words again and again, ".repeat(12);
  const message = `The order is not what was asked for\n${"Reason: a line\n".repeat(9)}Expected: "${same}kettle"\nReceived: "${same}teapot"`;
  const last = steps(0, 3, (seq) => (seq === 2 ? { error: { message } } : {}));
  const { id } = await uploadTrace(viewer.app, {
    entries: [events(last)],
    manifest: { status: "failed" },
  });
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  const failure = page.getByRole("group", { name: "Failure" });
  const marked = failure.locator("mark");
  await eventually(async () => expect(await marked.allInnerTexts()).toEqual(["kettle", "teapot"]));
  for (const row of await failure.locator(".expected-row").allInnerTexts()) {
    expect(row).toContain("…");
    expect(row.length).toBeLessThan(200);
  }
  const heightOf = async (): Promise<number> => (await failure.boundingBox())?.height ?? 0;
  const before = await heightOf();
  expect(await failure.getByText("Reason: a line").count()).toBe(3);
  await failure.getByRole("button", { name: "More of the failure" }).click();
  const less = failure.getByRole("button", { name: "Less of the failure" });
  await less.waitFor();
  expect(await failure.innerText()).toContain("Reason: a line\n".repeat(9).trim());
  expect(await failure.innerText()).toContain(`${same}kettle`);
  expect(await heightOf()).toBeGreaterThan(before);
  await less.click();
  await eventually(async () => expect(await heightOf()).toBe(before));
  expect(complaints).toEqual([]);
  await context.close();
});
