import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { closeBrowser } from "../helpers/browser.ts";
import { zstd } from "../helpers/bundles.ts";
import { post } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const START = 1_767_323_045_000;

const dataDir = mkdtempSync(join(tmpdir(), "tracedeck-live-"));
let viewer: ViewerApp | null = null;

afterEach(async () => {
  await closeBrowser();
  await viewer?.close();
  viewer = null;
  rmSync(dataDir, { recursive: true, force: true });
});

async function startCapture(at: ViewerApp): Promise<string> {
  const manifest = {
    version: 1,
    scenario: { slug: "live", title: "Live run" },
    started_at: new Date(START).toISOString(),
  };
  const response = await post(at.app, "/internal/v1/traces", manifest);
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as { trace_id: string }).trace_id;
}

async function send(at: ViewerApp, id: string, chunk: number, from: number, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => {
    const seq = from + index;
    return `${JSON.stringify({
      seq,
      ts: START + seq * 100,
      kind: "agent.action",
      step_id: `s${seq}`,
      name: `page.click ${seq}`,
      params: {},
      duration_ms: 90,
    })}\n`;
  });
  const body = zstd(Buffer.from(lines.join(""))) as Uint8Array<ArrayBuffer>;
  const headers = { "content-type": "application/zstd" };
  const path = `/internal/v1/traces/${id}/chunks?n=${chunk}`;
  const response = await at.app.api(path, { method: "POST", body, headers });
  if (response.status !== 200) throw new Error(await response.text());
}

/** What the page asks the server for, from now on: paths with their queries. */
function watch(page: Page, part: string): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.includes(part)) asked.push(pathname.slice(pathname.lastIndexOf("/")) + search);
  });
  return asked;
}

test("following is begun and ended by button, key and scrolling back, and nothing is read twice", async () => {
  const own = await viewerApp();
  viewer = own;
  const id = await startCapture(own);
  await send(own, id, 0, 0, 60);
  const { page, context } = await own.open("/traces");
  const asked = watch(page, id);
  await page.goto(`${own.base}/traces/${id}`);
  const selected = page.getByRole("treeitem", { selected: true });
  const follow = page.getByRole("button", { name: "Follow", exact: true });
  const steps = page.getByRole("region", { name: "Steps" });
  await selected.getByText("page.click 59").waitFor();
  await eventually(async () => expect(await follow.getAttribute("aria-pressed")).toBe("true"));
  const slider = page.getByRole("slider", { name: /^Position in the trace/ });
  const lengthOf = async () => Number(await slider.getAttribute("aria-valuemax"));
  await eventually(async () => expect(await lengthOf()).toBeGreaterThanOrEqual(5900));
  const length = await lengthOf();

  await steps.getByRole("tree").hover();
  await page.mouse.wheel(0, -200);
  await page.locator(".follow[aria-pressed=false]").waitFor();
  await send(own, id, 1, 60, 20);
  await steps.getByText("80 steps").waitFor();
  await eventually(async () => expect(await lengthOf()).toBe(length + 2000));
  await eventually(async () => expect(await selected.getByText("page.click 79").count()).toBe(0));

  await follow.click();
  await selected.getByText("page.click 79").waitFor();
  await page.keyboard.press("t");
  await page.keyboard.press("f");
  await page.locator(".follow[aria-pressed=false]").waitFor();
  await page.keyboard.press("t");
  await page.keyboard.press("f");
  await page.locator(".follow[aria-pressed=true]").waitFor();
  // Close up, the view goes along with the end.
  await page.keyboard.press("+");
  await page.locator(".minimap-thumb").waitFor();
  await send(own, id, 2, 80, 5);
  await selected.getByText("page.click 84").waitFor();
  await eventually(async () => {
    const [needle, track] = [await page.locator(".playhead").boundingBox(), await slider.boundingBox()];
    expect(needle?.x ?? Number.NaN).toBeLessThanOrEqual((track?.x ?? 0) + (track?.width ?? 0) + 8);
  });

  await post(own.app, `/internal/v1/traces/${id}/end`, { status: "passed" });
  await own.app.runJobs();
  await page.getByRole("img", { name: "Live" }).waitFor({ state: "detached" });
  await steps.getByText("85 steps").waitFor();
  expect(asked.filter((path) => path.startsWith("/stream"))).toEqual(["/stream"]);
  // The whole of a step that is looked at is asked for; lists are never read again.
  expect(asked.filter((path) => path.startsWith("/events") && !path.includes("step="))).toEqual([]);
  await context.close();
});

test("after a restart of the server the page goes on where it was", async () => {
  let at = await viewerApp({ dataDir });
  viewer = at;
  const { port } = new URL(at.base);
  const id = await startCapture(at);
  await send(at, id, 0, 0, 5);
  const { page, context } = await at.open(`/traces/${id}`);
  const selected = page.getByRole("treeitem", { selected: true });
  await selected.getByText("page.click 4").waitFor();
  const asked = watch(page, "/stream");
  await at.close();
  viewer = null;
  await page.getByRole("img", { name: "Reconnecting" }).waitFor();
  at = await viewerApp({ dataDir, config: { port: Number(port) } });
  viewer = at;
  await send(at, id, 1, 5, 3);
  await selected.getByText("page.click 7").waitFor();
  await page.getByRole("img", { name: "Live" }).waitFor();
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked)).toEqual(new Set(["/stream?after=4"]));
  await eventually(async () => expect(await page.getByRole("treeitem").count()).toBe(8));
  await context.close();
});

test("a running trace that is removed says so and is not asked for again", async () => {
  const own = await viewerApp();
  viewer = own;
  const id = await startCapture(own);
  await send(own, id, 0, 0, 5);
  const { page, context } = await own.open(`/traces/${id}`);
  await page.getByRole("treeitem").first().waitFor();
  await page.route(`**/v1/traces/${id}`, (route) =>
    route.fulfill({
      status: 404,
      contentType: "application/json",
      body: '{"error":{"code":"not_found","message":"No such trace."}}',
    }),
  );
  await post(own.app, `/internal/v1/traces/${id}/end`, { status: "passed" });
  await own.app.runJobs();
  await page.locator(".banner").getByText("What came last could not be read").waitFor();
  await eventually(async () => expect(await page.getByRole("treeitem").count()).toBe(5));
  await context.close();
});
