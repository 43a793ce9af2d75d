import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { updateTrace } from "../../store/records/traces.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { bundle, eventLines, events, manifest, uploadForm, zstd } from "../helpers/bundles.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let passed: string;
let failed: string;

beforeAll(async () => {
  viewer = await viewerApp();
  passed = (await viewer.ingest("v10-runner-passing", { scenario_slug: "order" })).id;
  failed = (await viewer.ingest("v10-runner-failing", { scenario_slug: "order" })).id;
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const both = (more = "") => `/compare?a=${passed}&b=${failed}${more}`;

test("a failed trace leads to its last pass by a key", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failed}`);
  await page.getByRole("link", { name: "Compare with the last pass" }).waitFor();
  await page.keyboard.press("c");
  await page.waitForURL(
    ({ searchParams }) => searchParams.get("a") === passed && searchParams.get("b") === failed,
  );
  await page
    .locator(".compare-verdict")
    .getByText("Where A has the step “Navigate /”, B has “Navigate /?mode=broken”.")
    .waitFor();
  const heads = page.getByRole("region", { name: /^Trace [AB]$/ });
  await eventually(async () =>
    expect(await heads.allInnerTexts()).toEqual([
      expect.stringContaining("Passed"),
      expect.stringContaining("Failed"),
    ]),
  );
  await page.goBack();
  await page.waitForURL(`**/traces/${failed}*`);
  expect(complaints).toEqual([]);
  await context.close();
});

test("j walks the differences: the assertion that failed, its values and both pages side by side", async () => {
  const { page, context, complaints } = await viewer.open(both());
  const list = page.getByRole("listbox", { name: "Steps: what differs" });
  await list.getByText("8 the same").waitFor();
  await page.keyboard.press("j");
  await list.getByRole("option", { selected: true }).getByText("cart.json").waitFor();
  await page.keyboard.press("j");
  const item = page.getByRole("group", { name: "The chosen difference" });
  await item.getByText("passed in A and failed in B").waitFor();
  await item.getByRole("region", { name: "In B" }).getByText("Received").waitFor();
  // It was given to the one and is read from the message of the other, which has it in quotes.
  await eventually(async () =>
    expect(await item.locator(".is-wanted dd").allInnerTexts()).toEqual([
      "Order confirmed",
      "Order confirmed",
    ]),
  );
  await item.getByRole("img", { name: "A", exact: true }).waitFor();
  await eventually(async () => expect(await item.locator(".shot-pair img").count()).toBe(2));
  await item.getByRole("button", { name: "Difference" }).click();
  await item.getByText("pixels differ").waitFor();
  await page.keyboard.press("v");
  await item.locator('iframe[title="The page, B"]').waitFor();
  await page.reload();
  await item.getByText("passed in A and failed in B").waitFor();
  await item.getByRole("link", { name: "Open in B", exact: true }).click();
  await page.waitForURL(`**/traces/${failed}?step=*&tab=error`);
  await page.goBack();
  await item.getByText("passed in A and failed in B").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("what is the same is folded, opened by a key, and filtered by text", async () => {
  const { page, context } = await viewer.open(both("&dimension=network"));
  const list = page.getByRole("listbox", { name: "Network: what differs" });
  await list.getByText("7 the same").waitFor();
  const folded = await list.getByRole("option").count();
  await page.keyboard.press("s");
  await list.getByText("7 the same").waitFor({ state: "detached" });
  await eventually(async () => expect(await list.getByRole("option").count()).toBeGreaterThan(folded));
  await page.keyboard.press("/");
  await page.keyboard.type("checkout");
  await page.waitForURL(/q=checkout/);
  await list.getByText("/api/recommendations").waitFor({ state: "detached" });
  await list.getByText("POST /api/checkout").click();
  await page.getByText("POST /api/checkout answered 200 in A and 500 in B.").waitFor();
  const link = page.getByRole("link", { name: "Open in A", exact: true });
  await eventually(async () =>
    expect(await link.getAttribute("href")).toMatch(
      /^\/traces\/[0-9a-f-]+\?step=[^&]+&tab=network&event=\d+$/,
    ),
  );
  await page.getByRole("searchbox", { name: "Filter what is compared" }).fill("");
  await page.getByRole("button", { name: /^Only in A/ }).click();
  await page.waitForURL(/change=removed/);
  await list.getByText("POST /api/checkout").waitFor({ state: "detached" });
  await context.close();
});

test("raw tells of ids and ports too, and the tabs are one key away", async () => {
  const { page, context } = await viewer.open(both("&dimension=network"));
  const count = page.getByRole("button", { name: /^Changed \d/ });
  await page.getByRole("button", { name: "Changed 3" }).waitFor();
  await page.getByRole("heading", { name: "Compare" }).waitFor();
  await page.keyboard.press("r");
  await page.waitForURL(/raw=1/);
  await page.getByRole("button", { name: "Changed 3" }).waitFor({ state: "detached" });
  await count.waitFor();
  await page.keyboard.press("5");
  await page.waitForURL(/dimension=console/);
  await page.getByRole("option").getByText("checkout failed: ledger unavailable (500)").waitFor();
  await page.keyboard.press("4");
  await page.getByText("Neither trace has clones").waitFor();
  await context.close();
});

test("the sides are swapped, and another trace of the scenario takes one of them", async () => {
  const { page, context } = await viewer.open(both());
  await page.getByText("First divergence").waitFor();
  await page.keyboard.press("x");
  await page.waitForURL(`**/compare?a=${failed}&b=${passed}`);
  const third = (await viewer.ingest("v8-runner-failing", { scenario_slug: "order" })).id;
  await page.getByRole("button", { name: "Other… for B" }).click();
  const dialog = page.getByRole("dialog", { name: "Which trace for B?" });
  await dialog
    .getByRole("button", { name: /^Failed/ })
    .first()
    .click();
  await page.waitForURL(`**/compare?a=${failed}&b=${third}`);
  // The same test, recorded by another version of Playwright.
  await page.getByText("No differences.").waitFor();
  await context.close();
});

test("two rows of the list are marked and compared by keys, the earlier one first", async () => {
  const { page, context, complaints } = await viewer.open("/traces?status=passed");
  const rows = page.locator(".list-row:not(.list-head)");
  await rows.first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  const bar = page.getByRole("region", { name: "Marked for comparing" });
  await bar.getByText("Mark one more").waitFor();
  await page.getByRole("button", { name: /^Passed/ }).click();
  await page.waitForURL((url) => !url.search.includes("status"));
  await rows.filter({ hasText: "Failed" }).first().waitFor();
  const failedRow = rows.filter({ hasText: "Failed" }).last();
  await failedRow.hover();
  await failedRow.getByRole("button", { name: "Mark for comparing" }).click();
  await bar.getByRole("button", { name: "Compare" }).click();
  await page.waitForURL(`**${both()}`);
  await page.getByText("First divergence").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("no pass before, one trace twice, none at all and a lost one are told with a way on", async () => {
  const { page, context } = await viewer.open(`/compare?b=${passed}`);
  await page.getByText("passed before this one").waitFor();
  await page.getByRole("list", { name: "Traces of the scenario" }).getByRole("button").first().waitFor();
  await page.goto(`${viewer.base}/compare?a=${failed}&b=${failed}`);
  await page.getByText("Both sides are the same trace.").waitFor();
  await page.goto(`${viewer.base}/compare`);
  await page.getByText("Choose two traces to compare.").waitFor();
  await page.goto(`${viewer.base}/compare?a=01900000-0000-7000-8000-000000000000&b=${failed}`);
  await page.getByText("There is no such trace as A.").waitFor();
  await context.close();
});

test("a cold trace is offered to be restored", async () => {
  const { id } = await viewer.ingest("v10-failing", { scenario_slug: "cold" });
  await updateTrace(viewer.app.store.records, id, { tier: "cold" });
  const { page, context } = await viewer.open(`/compare?a=${passed}&b=${id}`);
  await page.getByText("Trace B is in cold storage").waitFor();
  await page.getByRole("button", { name: "Restore B" }).waitFor();
  await context.close();
});

test("a trace that is still recorded is compared again when asked, and when it ends", async () => {
  const { api } = viewer.app;
  const json = { "content-type": "application/json" };
  const begun = await api("/internal/v1/traces", {
    method: "POST",
    headers: json,
    body: JSON.stringify({ version: 1, scenario: { slug: "order", title: "Order" }, run_id: "r" }),
  });
  const { trace_id: id } = (await begun.json()) as { trace_id: string };
  const send = (n: number, text: string) =>
    api(`/internal/v1/traces/${id}/chunks?n=${n}`, {
      method: "POST",
      body: zstd(
        Buffer.from(`${eventLines(n + 1, () => ({ kind: "console.log", text })).split("\n")[n]}\n`),
      ) as Uint8Array<ArrayBuffer>,
    });
  await send(0, "first line");
  const { page, context } = await viewer.open(`/compare?a=${passed}&b=${id}&dimension=console`);
  await page.getByText("Trace B is still being recorded").waitFor();
  await page.getByRole("option").getByText("first line").waitFor();
  await send(1, "second line");
  await page.getByRole("button", { name: "Compare again" }).click();
  await page.getByRole("option").getByText("second line").waitFor();
  await api(`/internal/v1/traces/${id}/end`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ status: "passed" }),
  });
  await viewer.app.runJobs();
  await page.getByText("is still being recorded").waitFor({ state: "detached" });
  await page.getByRole("option").getByText("second line").waitFor();
  await context.close();
});

test.each([["light"], ["dark"]] as const)("axe finds nothing, %s, wide and narrow", async (theme) => {
  const wide = await viewer.open(both(), { theme });
  await wide.page.getByRole("img", { name: "B", exact: true }).waitFor();
  expect(await findings(wide.page)).toEqual([]);
  await picture(wide.page, `compare-${theme}`);
  await wide.context.close();

  const phone = await viewer.open(both("&dimension=network"), { theme, size: PHONE, isPhone: true });
  await phone.page.getByText("POST /api/checkout").click();
  await phone.page.getByText("POST /api/checkout answered 200 in A").waitFor();
  await eventually(async () => expect(await overflow(phone.page)).toBeLessThanOrEqual(0));
  expect(await findings(phone.page)).toEqual([]);
  await picture(phone.page, `compare-phone-${theme}`);
  await phone.page.getByRole("button", { name: "Back to the list" }).click();
  await phone.page.getByText("GET /api/recommendations").waitFor();
  expect(await findings(phone.page)).toEqual([]);
  await phone.context.close();
});

/** A run of one check, in the order that it came in. */
async function ingestRun(status: "passed" | "failed", steps: Record<string, unknown>[]): Promise<string> {
  const began = { passed: "2026-01-02T03:04:05.000Z", failed: "2026-01-02T04:04:05.000Z" }[status];
  const content = eventLines(steps.length, (seq) => steps[seq]!);
  const run = bundle([manifest({ status, started_at: began, ended_at: null }), events(content)]);
  const form = uploadForm(run, { scenario_slug: "unexplained" });
  const answer = await viewer.app.api("/v1/traces/ingest", { method: "POST", body: form });
  await viewer.app.runJobs();
  return ((await answer.json()) as { trace_id: string }).trace_id;
}

test("where two runs part stands under a failure that its cause does not explain, and only there", async () => {
  const check = { kind: "assertion", step_id: "b", name: "toBe", title: "Expect toBe", expected: "720" };
  await ingestRun("passed", [{ ...check, ok: true }]);
  const message = "expect(received).toBe(expected)";
  const plain = await ingestRun("failed", [{ ...check, ok: false, received: "NaN", message }]);
  const unexplained = await viewer.open(`/traces/${plain}`);
  await unexplained.page.getByText("First divergence: ").waitFor();
  await unexplained.context.close();
  const { page, context } = await viewer.open(`/traces/${failed}`);
  await page.getByRole("link", { name: "Compare with the last pass" }).waitFor();
  await page.getByRole("region", { name: "Cause" }).getByText("not in the last pass").first().waitFor();
  await page.waitForLoadState("networkidle");
  expect(await page.getByText("First divergence").count()).toBe(0);
  await context.close();
});
