import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { failed, past } from "../helpers/past.ts";
import { begin, end, failure, result, send } from "../helpers/test-runs.ts";
import { overflow, picture, recorded, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(180_000);

let v: ViewerApp;
let shortId = "";
let runId = "";
let firstShortId = "";
let traceId = "";

beforeAll(async () => {
  v = await viewerApp();
  const t = v.app;
  [traceId] = (await past(t, "paying", [
    failed("sig_till", { failure_message: "Error: expect(locator).toHaveText(expected) failed" }),
  ])) as [string];
  const frame = {
    name: "e2e",
    branch: "main",
    commit_sha: "4d07b3f1c2a95e8d6b7f0a1c3e5d7f9b2a4c6e80",
    pr_number: 482,
    ci: { provider: "github", run_id: "77", url: "https://ci.example/runs/77" },
  };
  const passing = Array.from({ length: 40 }, (_, at) =>
    result(`keeps its promise number ${at}`, {
      file: `e2e/${["search", "account", "help"][at % 3]}.spec.ts`,
      duration_ms: 300 + ((at * 137) % 900),
      project: at % 2 ? "chromium" : "firefox",
    }),
  );
  const first = await begin(t, {
    ...frame,
    ci: { provider: "github", run_id: "76" },
    started_at: "2026-03-01T09:00:00Z",
  });
  firstShortId = first.short_id;
  await send(t, first.id, [...passing, failure("ships", { file: "e2e/checkout.spec.ts" })]);
  await end(t, first.id, { ended_at: "2026-03-01T09:01:00Z" });
  const { id, short_id } = await begin(t, {
    ...frame,
    started_at: "2026-03-01T11:00:00Z",
    shard: { index: 1, total: 2 },
  });
  [shortId, runId] = [short_id, id];
  const till = { error: { message: "Error: the till is closed" }, file: "e2e/checkout.spec.ts" };
  await send(t, id, [
    ...passing,
    failure("pays by card", { ...till, trace_id: traceId, tags: ["@smoke"], duration_ms: 5300 }),
    failure("pays by card", { ...till, attempt: 2, trace_id: traceId, tags: ["@smoke"], duration_ms: 5100 }),
    failure("pays by gift card", { ...till, line: 20 }),
    failure("pays by invoice", { ...till, line: 30, project: "firefox" }),
    result("ships", { file: "e2e/checkout.spec.ts", line: 40 }),
    failure("is flaky", { file: "e2e/account.spec.ts", line: 50 }),
    result("is flaky", { file: "e2e/account.spec.ts", line: 50, attempt: 2 }),
    result("waits for the printer", {
      status: "skipped",
      expected: "skipped",
      annotations: [{ type: "skip", description: "no printer here" }],
    }),
    result("never began", { status: "skipped" }),
    failure("is known to break", {
      expected: "failed",
      annotations: [{ type: "issue", description: "https://bugs.example/7" }],
    }),
  ]);
});
afterAll(async () => {
  await closeBrowser();
  await v.close();
});

test("the list says how each run did and leads to it", async () => {
  const { page, context } = await v.open("/test-runs");
  await page.locator(".test-runs-row").nth(1).waitFor();
  const rows = await page.locator("[role=row].test-runs-row").allInnerTexts();
  expect(rows[1]).toContain("3 failed, 1 flaky, 42 passed, 1 skipped, 1 not run");
  expect(rows[1]).toContain("#482");
  expect(await overflow(page)).toBe(0);
  await picture(page, "test-runs-list");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.locator(".causes").waitFor();
  expect(new URL(page.url()).pathname).toBe(`/test-runs/${shortId}`);
  await context.close();
});

test("a run shows first what failed and whether it is new, then every test by its file", async () => {
  const { page, context, complaints } = await v.open(`/test-runs/${shortId}`);
  const causes = page.locator(".cause");
  await causes.first().waitFor();
  expect(await causes.locator("h3 .captured").allInnerTexts()).toEqual([
    "Error: the till is closed",
    "Error: expect(locator).toHaveText(expected) failed",
  ]);
  expect(await causes.first().locator(".cause-head").innerText()).toContain("2 tests");
  expect(await causes.first().locator(".cause-head .run-badge").innerText()).toBe("new");
  const chips = await page.locator(".totals-chip").allInnerTexts();
  expect(chips).toEqual([
    "3 failed",
    "1 flaky",
    "42 passed",
    "1 skipped",
    "1 not run",
    "3 new",
    "1 fixed",
    "1 new flaky",
  ]);
  expect(await page.locator(".shards li").allInnerTexts()).toEqual([
    expect.stringContaining("Running"),
    expect.stringContaining("not heard of yet"),
  ]);
  await picture(page, "test-run-light");
  await page.getByRole("button", { name: "1 fixed" }).click();
  expect(await page.locator(".run-tests .test-row").allInnerTexts()).toEqual([
    expect.stringContaining("ships"),
  ]);
  expect(new URL(page.url()).search).toBe("?change=fixed");
  await page.getByRole("button", { name: "Show all" }).click();
  await page.keyboard.press("f");
  expect(await page.locator(".run-tests .test-row").count()).toBe(3);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/traces/${traceId}*`);
  expect(complaints.filter((one) => !one.includes(traceId))).toEqual([]);
  await context.close();
});

test("a run is followed while it goes on, on a phone and in the dark", async () => {
  const { page, context } = await v.open(`/test-runs/${runId}`, {
    size: PHONE,
    theme: "dark",
    isPhone: true,
  });
  await page.locator(".causes").waitFor();
  await picture(page, "test-run-phone");
  expect(await overflow(page)).toBe(0);
  await send(v.app, runId, [result("comes late", { file: "e2e/late.spec.ts" })]);
  await page.getByText("comes late").waitFor();
  await end(v.app, runId, { shard: { index: 2, total: 2 }, ended_at: "2026-03-01T11:02:00Z" });
  await end(v.app, runId, { shard: { index: 1, total: 2 }, ended_at: "2026-03-01T11:03:00Z" });
  await page.locator(".run-title .status.is-failed").waitFor();
  await page.keyboard.press("b");
  await page.waitForURL("**/test-runs/*");
  await page.getByRole("button", { name: "1 failed", exact: true }).waitFor();
  await context.close();
});

test("an address of no run is a page that says so, with its status", async () => {
  const { page, context } = await v.open("/test-runs");
  const answer = await page.goto(`${v.base}/test-runs/1nosuchrun11`);
  expect(answer!.status()).toBe(404);
  await page.getByText("There is no such test run").waitFor();
  expect((await page.goto(`${v.base}/test-runs/${firstShortId}`))!.status()).toBe(200);
  await context.close();
});

test.each([
  ["", "a folder with a trace that nobody has packed"],
  ["traces", "the folder of an agent's browser, which has the trace in another one,"],
])("dropped on the list, it opens with its pictures: “%s”, %s", async (inner) => {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-drop-"));
  try {
    await Bun.$`unzip -q ${recorded("v10-passing")} -d ${join(folder, inner)}`.quiet();
    const { page, context, complaints } = await v.open("/traces");
    await page.getByText("paying").first().waitFor();
    const session = await context.newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await session.send("Input.dispatchDragEvent", { type, x: 300, y: 400, data });
    await page.getByRole("dialog").waitFor();
    const stored = page.waitForResponse((response) => response.url().endsWith("/v1/traces/ingest"));
    await page.getByRole("dialog").getByRole("button", { name: "Upload", exact: true }).click();
    const answer = await stored;
    expect(answer.status()).toBe(200);
    await v.app.runJobs();
    await page.waitForURL("**/traces/*");
    const { trace_id } = (await answer.json()) as { trace_id: string };
    const trace = (await (await v.app.api(`/v1/traces/${trace_id}`)).json()) as { final_screenshot: unknown };
    expect(trace.final_screenshot).toStartWith("sha256:");
    expect(complaints).toEqual([]);
    await context.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("both pages meet WCAG, by day and by night", async () => {
  for (const theme of ["light", "dark"] as const)
    for (const path of ["/test-runs", `/test-runs/${shortId}`]) {
      const { page, context } = await v.open(path, { theme });
      await page.locator(".test-runs-row, .test-row").nth(1).waitFor();
      if (theme === "dark") await picture(page, `dark${path.split("/").length}`);
      expect([theme, path, await findings(page)]).toEqual([theme, path, []]);
      await context.close();
    }
});
