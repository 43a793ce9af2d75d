import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createTestClock } from "../helpers/app.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { failed, past } from "../helpers/past.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const HOUR = 3_600_000;
const ROWS = "[role=rowgroup] > .virtual > [role=row]";
const HOSTILE = `<img src=x onerror="document.title='owned'">\u202Egnp.exe ${"long ".repeat(200)}`;

let viewer: ViewerApp;
let attempts: { id: string }[] = [];
let steady: string[] = [];

beforeAll(async () => {
  viewer = await viewerApp({ clock: createTestClock(Date.now() - 20 * 24 * HOUR) });
  const { app } = viewer;
  const hours = (apartMs: number) => ({ apartMs: apartMs * HOUR });
  steady = await past(
    app,
    "guest-checkout",
    [
      { code_sha: "aaaa1111", duration_ms: 3000, source: "schedule" },
      failed("sig_flaky", { code_sha: "bbbb2222", duration_ms: 9000, failure_message: HOSTILE }),
      { code_sha: "bbbb2222", duration_ms: 3200, pr_number: 7 },
      { status: "error", code_sha: "bbbb2222", duration_ms: 100 },
      { status: "aborted", code_sha: "bbbb2222", duration_ms: 50 },
    ],
    hours(20),
  );
  await past(
    app,
    "member-signs-in",
    [{ code_sha: "cccc3333" }, failed("sig_down"), failed("sig_down")],
    hours(30),
  );
  app.clock.set(Date.now());
  const run = { scenario_slug: "guest-checkout", commit_sha: "dddd4444", run_id: "ci-71" };
  attempts = [
    await viewer.ingest("v10-runner-failing", { ...run, attempt: "1" }),
    await viewer.ingest("v10-runner-failing", { ...run, attempt: "2" }),
    await viewer.ingest("v10-runner-passing", { ...run, attempt: "3" }),
  ];
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("failures are grouped, searched and opened by keyboard, and their traces listed", async () => {
  const { page, context, complaints } = await viewer.open("/failures");
  await page.locator(ROWS).nth(2).waitFor();
  await eventually(async () => {
    const rows = await page.locator(ROWS).allInnerTexts();
    expect(rows.map((row) => row.split("\n")[0])).toEqual(["Resolved", "New", "Resolved"]);
    expect(rows[0]).toContain('expected "Order confirmed"');
    // Where it failed, since another step may fail with the same words.
    expect(rows[0]).toContain('Expect "toHaveText"');
    expect(rows[0]).toContain("\nPOST /api/checkout was answered with 500: ledger unavailable\n");
  });
  await eventually(async () => expect(await page.title()).toBe("Failures · Tracedeck"));
  expect(await page.locator("img[src=x]").count()).toBe(0);
  await picture(page, "failures-light");
  await page.getByRole("combobox", { name: "Period" }).selectOption("24h");
  await page.waitForURL(/since=24h/);
  await page.locator(ROWS).nth(1).waitFor({ state: "detached" });
  await page.goBack();
  await page.locator(ROWS).nth(2).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("member");
  await page.waitForURL(/q=member/);
  await page.locator(ROWS).nth(1).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("l");
  await page.waitForURL(/\/traces\?signature=sig_down/);
  await page.getByRole("heading", { name: "Traces", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Failures", exact: true }).waitFor();
  await page.locator(ROWS).first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}/);
  expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
  await context.close();
});

test("scenarios show their last runs, and one of them its figures, where it broke, and its failures", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.getByRole("link", { name: "Scenarios" }).click();
  await page.locator(ROWS).nth(1).waitFor();
  await eventually(async () =>
    expect(await page.getByRole("link", { name: "Scenarios" }).getAttribute("aria-current")).toBe("page"),
  );
  const checkout = page.locator(ROWS, { hasText: "guest-checkout" });
  await eventually(async () =>
    expect(await checkout.getByRole("img", { name: /^Last/ }).getAttribute("aria-label")).toBe(
      "Last 8 runs: 3 passed, 3 failed",
    ),
  );
  await eventually(async () => expect(await checkout.innerText()).toContain("67%"));
  await picture(page, "scenarios-light");
  await page.getByRole("combobox", { name: "Last run" }).selectOption("failed");
  await page.waitForURL(/status=failed/);
  await page.locator(ROWS).nth(1).waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/scenarios\/member-signs-in/);
  await page.getByText("First failed at").waitFor();
  await eventually(async () =>
    expect(await page.locator(".regression").innerText()).toMatch(
      /First failed at .*\n?.*Last passed at cccc3333/s,
    ),
  );
  await page.goto(`${viewer.base}/scenarios/guest-checkout`);
  await page.locator(ROWS).nth(7).waitFor();
  await eventually(async () => {
    const figures = await page.locator(".figures").innerText();
    expect(figures).toContain("50%");
    expect(figures).toContain("67%");
  });
  await eventually(async () => expect(await page.getByText("First failed at").count()).toBe(0));
  await page
    .getByRole("region", { name: /^Failures/ })
    .getByRole("link")
    .nth(1)
    .waitFor();
  await picture(page, "scenario-light");
  await page.getByRole("link", { name: /^Failed, commit bbbb2222.*, 9.00 s$/ }).click();
  await page.waitForURL(new RegExp(`/traces/${steady[1]}`));
  expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
  await context.close();
});

test("in a window of a tablet's width the header of a trace stays within it, and the choices of a list on one line", async () => {
  const size = { width: 1024, height: 768 };
  const { page, context } = await viewer.open(`/traces/${attempts[0]!.id}`, { size });
  await page.locator(".attempts").waitFor();
  await page.getByRole("button", { name: "Hand over" }).waitFor();
  await eventually(async () => expect(await overflow(page)).toBe(0));
  await page.goto(`${viewer.base}/failures`);
  const choices = page.locator(".period > .select");
  await choices.nth(2).waitFor();
  await eventually(async () => {
    const tops = await choices.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
  });
  await context.close();
});

test("the attempts of a run are switched in place: panel and step stay", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${attempts[0]!.id}`);
  const nav = page.getByRole("navigation", { name: "Attempts of this run" });
  await nav.getByRole("link", { name: "Attempt 3, passed" }).waitFor();
  await eventually(async () => expect(await nav.locator("[aria-current]").innerText()).toContain("1"));
  await page.getByRole("treeitem", { name: /Fill "ada@example.com"/ }).click();
  await page.getByRole("tab", { name: /^Call/ }).click();
  await page.waitForURL(/tab=call/);
  const step = () => page.locator("[role=treeitem][aria-selected=true]").innerText();
  const before = (await step()).split("\n")[0]!;
  await nav.getByRole("link", { name: "Attempt 2, failed" }).click();
  await page.waitForURL(new RegExp(`${attempts[1]!.id}\\?.*tab=call`));
  const second = nav.locator("[aria-current]", { hasText: "2" });
  await second.waitFor();
  await eventually(async () => expect((await step()).split("\n")[0]).toBe(before));
  await page.keyboard.press("(");
  await page.waitForURL(new RegExp(attempts[0]!.id));
  await page.goBack();
  await page.waitForURL(new RegExp(attempts[1]!.id));
  await second.waitFor();
  await page.keyboard.press(")");
  await page.waitForURL(new RegExp(attempts[2]!.id));
  expect(complaints).toEqual([]);
  await context.close();
});

test("a failed trace says since when its scenario fails, and its Info has the history", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${attempts[1]!.id}?tab=error`);
  const since = page.locator(".section", { hasText: "Since when" });
  await since.waitFor();
  await eventually(async () => expect(await since.innerText()).toContain("First failed at dddd4444"));
  await eventually(async () => expect(await since.innerText()).toContain("Last passed at bbbb2222"));
  await eventually(async () =>
    expect(await page.locator(".header-history").getAttribute("href")).toBe("/scenarios/guest-checkout"),
  );
  await page.goto(`${viewer.base}/traces/${attempts[1]!.id}?tab=metadata`);
  await page.getByRole("heading", { name: "Scenario over time" }).waitFor();
  await page.getByRole("link", { name: "All runs" }).click();
  await page.waitForURL(/\/scenarios\/guest-checkout/);
  expect(complaints).toEqual([]);
  await context.close();
});

test("without failures and without scenarios the pages say what they would show", async () => {
  const empty = await viewerApp({ clock: createTestClock(Date.now()) });
  const { page, context, complaints } = await empty.open("/failures");
  await page.getByText("Nothing failed in the last 30 days.").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("link", { name: "Scenarios" }).click();
  await page.getByText("No scenario has run yet.").waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "scenarios-empty");
  expect(complaints).toEqual([]);
  await page.goto(`${empty.base}/scenarios/nobody-knows-it`);
  await page.getByText("There is no such scenario.").waitFor();
  await context.close();
  await empty.close();
});

test("on a phone, a scenario whose last run failed says why", async () => {
  const { page, context } = await viewer.open("/scenarios?status=failed", { size: PHONE, isPhone: true });
  await eventually(async () =>
    expect(await page.locator(ROWS, { hasText: "member-signs-in" }).innerText()).toContain(
      "33% passed\nError: sig_down happened",
    ),
  );
  await context.close();
});

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on failures, scenarios and one of them, and they fit a phone, ${theme}`, async () => {
    for (const options of [{ theme }, { theme, size: PHONE, isPhone: true }]) {
      const { page, context } = await viewer.open("/failures", options);
      await page.locator(ROWS).first().waitFor();
      expect(await findings(page)).toEqual([]);
      await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
      for (const path of ["/scenarios", "/scenarios/guest-checkout"]) {
        await page.goto(viewer.base + path);
        await page.locator(ROWS).first().waitFor();
        expect(await findings(page)).toEqual([]);
        await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
        await picture(
          page,
          `${path.slice(1).replace("/", "-")}-${theme}${"size" in options ? "-phone" : ""}`,
        );
      }
      await context.close();
    }
  });
}

test("what comes between the answer of a list and the opening of its stream is shown too", async () => {
  const slug = "between-list-and-stream";
  const { page, context, complaints } = await viewer.open("/signin");
  const held = Promise.withResolvers<void>();
  await page.route("**/v1/traces/live", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${viewer.base}/scenarios`);
  await page.locator(ROWS).nth(1).waitFor();
  await viewer.ingest("v3-failing", { scenario_slug: slug });
  held.resolve();
  await page.locator(ROWS).filter({ hasText: slug }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("failures and scenarios follow what comes in; a failure's state narrows the list and stands in the address", async () => {
  const slug = "comes-while-watched";
  const failures = await viewer.open("/failures?sort=count");
  const scenarios = await viewer.open("/scenarios");
  await failures.page.locator(ROWS).nth(2).waitFor();
  await scenarios.page.locator(ROWS).nth(1).waitFor();
  await failures.page.keyboard.press("j");
  // Its place in the list and its age change meanwhile.
  const active = failures.page.locator(".row.is-active").getByRole("link").first();
  const chosen = await active.getAttribute("href");
  await viewer.ingest("v3-failing", { scenario_slug: slug });
  await failures.page.locator(ROWS).filter({ hasText: slug }).waitFor();
  await scenarios.page.locator(ROWS).filter({ hasText: slug }).waitFor();
  await eventually(async () => expect(await active.getAttribute("href")).toBe(chosen));

  const { page } = failures;
  await page.getByLabel("State").selectOption("resolved");
  await page.waitForURL(/state=resolved/);
  await page.locator(ROWS).filter({ hasText: slug }).waitFor({ state: "detached" });
  await eventually(async () => {
    const rows = await page.locator(ROWS).allInnerTexts();
    expect(rows).not.toBeEmpty();
    for (const row of rows) expect(row).toStartWith("Resolved");
  });
  await page.goBack();
  await page.locator(ROWS).filter({ hasText: slug }).waitFor();
  await eventually(async () => expect(await page.getByLabel("State").inputValue()).toBe(""));

  await viewer.ingest("v3-failing", { scenario_slug: `${slug}-twice` });
  const more = page.getByRole("link", { name: /the traces of all 2 scenarios with this failure/ });
  await more.click();
  await page.waitForURL(/\/traces\?signature=/);
  await page.getByText(`${slug}-twice`).first().waitFor();

  const one = await viewer.open(`/scenarios/${slug}`);
  await one.page.locator(".figures").waitFor();
  await viewer.ingest("v3-passing", { scenario_slug: slug });
  await one.page.locator(".figures").getByText("50%").first().waitFor();
  for (const { complaints, context } of [failures, scenarios, one]) {
    expect(complaints).toEqual([]);
    await context.close();
  }
});
