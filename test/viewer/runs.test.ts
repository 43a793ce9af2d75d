import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import { changeRun } from "../../store/records/runs.ts";
import { createTestClock } from "../helpers/app.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { post } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, setVisible, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let shop: Shop;
let failed: string;

const FILES = {
  buys: ['go to "/"', 'click testid "add-beans" within 1s', 'expect text "Cart (1)"'],
  fails: ['go to "/"', 'click testid "add-kettle"', 'expect text "Sold out" within 200ms', 'go to "/cart"'],
  waits: ['go to "/"', "wait 1h"],
};

beforeAll(async () => {
  // The pages ask for the last 90 days of their own clock.
  viewer = await viewerApp({
    clock: createTestClock(Date.now()),
    settings: { regions: { "eu-west-1": { locale: "en-IE", timezone: "Europe/Dublin" }, lab: {} } },
  });
  shop = startShop();
  await sync(FILES);
  await begin("buys");
  failed = await begin("fails");
  await viewer.app.runJobs();
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  await shop.stop();
});

async function sync(scenarios: Record<string, string[]>): Promise<void> {
  const files = Object.entries(scenarios).map(([slug, steps]) => ({
    path: `${slug}.scenario.md`,
    text: `---\nslug: ${slug}\ntitle: The shop ${slug}\nbase_url: ${shop.url}\ncovers: ["src/**"]\n---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}\n`,
  }));
  await viewer.app.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files }) });
}

async function begin(slug: string): Promise<string> {
  const answer = await viewer.app.api("/v1/runs/manual", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scenarioId: slug }),
  });
  return ((await answer.json()) as { id: string }).id;
}

test("runs are listed as they come, filtered by address, and lead to what each of them did", async () => {
  const { page, context, complaints } = await viewer.open("/runs");
  const rows = page.getByRole("table", { name: "Runs" }).getByRole("link");
  await rows.nth(1).waitFor();
  await eventually(async () => expect(await rows.allInnerTexts()).toEqual(["fails", "buys"]));
  await page.getByRole("img", { name: "Live" }).waitFor();
  await picture(page, "runs-light");
  expect(await findings(page)).toEqual([]);
  const queued = await begin("waits");
  await page.getByRole("row", { name: /Queued waits/ }).waitFor();
  await viewer.app.api(`/v1/runs/${queued}/cancel`, { method: "POST" });
  await page.getByRole("row", { name: /Aborted waits/ }).waitFor();
  await page.getByLabel("Status").selectOption("failed");
  await page.waitForURL(/status=failed/);
  await page.getByRole("row", { name: /Aborted/ }).waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/runs/${failed}$`));
  const steps = page.getByRole("region", { name: "Steps" }).getByRole("listitem");
  await steps.nth(3).waitFor();
  await steps.nth(2).getByText("Expected the text").waitFor();
  await eventually(async () => expect(await steps.nth(3).innerText()).toContain('go to "/cart"'));
  await page.getByRole("img", { name: "The page at the end" }).waitFor();
  await page.getByRole("link", { name: "Report" }).waitFor();
  await page.getByRole("region", { name: "Log" }).getByText("error: Expected").waitFor();
  await picture(page, "run-failed-light");
  expect(await findings(page)).toEqual([]);
  const [report] = await Promise.all([
    page.waitForEvent("download").then((download) => download.suggestedFilename()),
    page.getByRole("link", { name: "Report" }).evaluate((link: HTMLAnchorElement) => {
      link.target = "";
      link.click();
    }),
  ]);
  expect(report).toBe("report.md");
  await page.keyboard.press("t");
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}$/);
  expect(complaints).toEqual([]);
  await context.close();
});

test("the chosen run stays chosen when newer ones come, and rows that cannot be had leave the others where they are", async () => {
  const { page, context } = await viewer.open("/runs");
  await page.getByRole("link", { name: "fails" }).waitFor();
  await page.keyboard.press("j");
  const chosen = page.locator(".row.is-active").getByRole("link");
  await chosen.waitFor();
  const address = await chosen.getAttribute("href");
  const newer = await begin("waits");
  await page.getByRole("row", { name: /Queued waits/ }).waitFor();
  await eventually(async () => expect(await chosen.getAttribute("href")).toBe(address));
  await page.route(
    (url) => url.pathname === "/v1/runs",
    (route) => route.fulfill({ status: 500, body: "{}" }),
  );
  await viewer.app.api(`/v1/runs/${newer}/cancel`, { method: "POST" });
  await page.getByRole("status").getByText("The server answered 500.").waitFor();
  expect(await chosen.getAttribute("href")).toBe(address);
  await context.close();
});

test("a scenario is run from its page, followed while it goes on, and cancelled", async () => {
  const listeners = () => viewer.app.deps.hub.subscriberCount();
  const untilNobodyListens = () => eventually(async () => expect(listeners()).toBe(0));
  // The server may not have noticed yet that the pages of the test before are gone.
  await untilNobodyListens();
  const { page, context, complaints } = await viewer.open("/scenarios/waits", { theme: "dark" });
  await page.getByText("wait 1h").waitFor();
  await picture(page, "scenario-steps-dark");
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("r");
  const dialog = page.getByRole("dialog", { name: "Run now" });
  const region = dialog.getByLabel("Region");
  await eventually(async () => expect(await region.inputValue()).toBe("us-east-1"));
  expect(await region.getByRole("option").allInnerTexts()).toEqual([
    "us-east-1",
    "eu-west-1 (en-IE, Europe/Dublin)",
    "ap-south-1",
    "lab",
  ]);
  // By the keyboard alone: from the address, which has the focus, to the region, and down to the last one.
  await page.keyboard.press("Tab");
  await page.keyboard.press("l");
  await eventually(async () => expect(await region.inputValue()).toBe("lab"));
  await picture(page, "run-now-dark");
  expect(await findings(page)).toEqual([]);
  const streams: string[] = [];
  page.on(
    "request",
    (one) => one.resourceType() === "eventsource" && streams.push(new URL(one.url()).pathname),
  );
  await dialog.getByRole("button", { name: "Run" }).click();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  await page.getByRole("definition").getByText("lab", { exact: true }).waitFor();
  const work = viewer.app.runJobs();
  const current = page.locator("li[aria-current=step]");
  await current.getByText("wait 1h").waitFor();
  await page.getByRole("img", { name: "The page as it is now" }).waitFor();
  await picture(page, "run-live-dark");
  // A browser has six connections to a server: a window of a run takes one.
  expect(streams).toEqual([`/v1${new URL(page.url()).pathname}/live`]);
  expect(await findings(page)).toEqual([]);
  // Nobody sees a window that is hidden: it holds no connection.
  const seen = listeners();
  await setVisible(page, false);
  await untilNobodyListens();
  await setVisible(page, true);
  await eventually(async () => expect(listeners()).toBe(seen));
  await page.getByRole("button", { name: "Cancel" }).click();
  await work;
  await page.locator(".run-title").getByText("Aborted").waitFor();
  await page.getByRole("button", { name: "Run again" }).waitFor();
  // A run that is over tells nothing more: its stream is not opened anew.
  await untilNobodyListens();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a run whose region is gone is not run again somewhere else unseen", async () => {
  const id = await begin("buys");
  await changeRun(viewer.app.deps.store.records, id, ["queued"], { status: "passed", region: "gone-1" });
  const { page, context } = await viewer.open(`/runs/${id}`);
  await page.getByRole("button", { name: "Run again" }).click();
  const dialog = page.getByRole("dialog", { name: "Run now" });
  const region = dialog.getByLabel("Region");
  await region.getByRole("option", { name: "gone-1 is no region any more" }).waitFor({ state: "attached" });
  const run = dialog.getByRole("button", { name: "Run", exact: true });
  await run.click();
  expect(await region.evaluate((field: HTMLSelectElement) => field.validity.valueMissing)).toBe(true);
  await region.selectOption("eu-west-1");
  await run.click();
  await page.waitForURL((url) => url.pathname.startsWith("/runs/") && !url.pathname.endsWith(id));
  await page.getByRole("definition").getByText("eu-west-1", { exact: true }).waitFor();
  await viewer.app.runJobs();
  await context.close();
});

test("a run that took another element for one that is gone says so: in the list, at its step, and in its trace", async () => {
  await sync({ ...FILES, buys: ['go to "/?mode=renamed"', ...FILES.buys.slice(1)] });
  const id = await begin("buys");
  await viewer.app.runJobs();
  const { page, context, complaints } = await viewer.open("/runs?status=passed");
  const healed = page.getByRole("row", { name: /buys/ }).filter({ hasText: "healed" });
  await healed.waitFor();
  expect(await healed.count()).toBe(1);
  await healed.getByTitle("A target was found by what earlier passes saw").waitFor();
  await picture(page, "runs-healed-light");
  await healed.getByRole("link", { name: "buys" }).click();
  await page.waitForURL(`**/runs/${id}`);
  await page.locator(".run-title").getByText("healed", { exact: true }).waitFor();
  const step = page
    .getByRole("region", { name: "Steps" })
    .getByRole("listitem")
    .filter({ hasText: "healed" });
  await step.getByText('testid "add-beans" was not there; took button "Put in basket"').waitFor();
  await page.keyboard.press("t");
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}/);
  await page.getByRole("treeitem").filter({ hasText: "add-beans" }).first().click();
  await page.getByRole("tab", { name: "Call" }).click();
  const call = page.getByRole("tabpanel");
  await call.getByText("healed", { exact: true }).waitFor();
  await call.getByText('button "Put in basket"').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a failed step stands among its scenario's steps as they were in that run, whatever the file says today", async () => {
  await sync({ ...FILES, fails: ['go to "/today"', ...FILES.fails.slice(1)] });
  const { page, context, complaints } = await viewer.open(`/runs/${failed}`);
  await page.locator(".run-title").getByText("Failed").waitFor();
  await page.keyboard.press("t");
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}/);
  const panel = page.getByRole("tabpanel", { name: /^Error/ });
  const lines = panel.getByRole("list", { name: "The lines around it" }).getByRole("listitem");
  await eventually(async () =>
    expect(await lines.allInnerTexts()).toEqual([
      '7\ngo to "/"',
      '8\nclick testid "add-kettle"',
      '9\nexpect text "Sold out" within 200ms',
    ]),
  );
  await panel.locator("[aria-current]", { hasText: "Sold out" }).waitFor();
  await panel.getByText("fails.scenario.md:9").waitFor();
  expect(await panel.getByText("not recorded").count()).toBe(0);
  await lines.last().scrollIntoViewIfNeeded();
  await picture(page, "panel-source-scenario");
  await page.getByRole("treeitem").filter({ hasText: "add-kettle" }).first().click();
  await page.getByRole("tab", { name: "Call" }).click();
  const call = page.getByRole("tabpanel", { name: "Call" });
  await call.locator("[aria-current]", { hasText: "add-kettle" }).waitFor();
  await eventually(async () =>
    expect(await call.getByRole("list", { name: "The lines around it" }).innerText()).toContain("Sold out"),
  );
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a run that failed tells its cause first, which leads to the failed step; one whose step says all there is does not", async () => {
  const steps = [
    'inject error 503 on "**/api/cart"',
    'go to "/"',
    'click testid "add-beans"',
    'expect text "Cart (1)" within 500ms',
  ];
  await sync({ ...FILES, refused: steps });
  const id = await begin("refused");
  await viewer.app.runJobs();
  const { page, context, complaints } = await viewer.open(`/runs/${id}`);
  const cause = page.getByRole("region", { name: "Cause" });
  await cause.getByText(/cart was answered with 503/).waitFor();
  await picture(page, "run-cause-light");
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize(PHONE);
  await eventually(async () => expect(await overflow(page)).toBe(0));
  await cause.getByRole("link").click();
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}\?step=s4$/);
  // Steps are done one after another: the one that failed tells of those before it.
  await page.route("**/live?**", (route) => route.fulfill({ contentType: "text/event-stream", body: "" }));
  await page.goto(`${viewer.base}/runs/${id}`);
  await page.getByText("3 of 4 passed").waitFor();
  await page.getByText("Nothing was logged.").waitFor();
  await page.unroute("**/live?**");
  await page.goto(`${viewer.base}/runs/${failed}`);
  await page.getByRole("region", { name: "Files" }).getByRole("link").first().waitFor();
  expect(await cause.count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a run that passed has done every step, also when its log is not there; what fails to load is tried again", async () => {
  const { page, context } = await viewer.open("/signin");
  const { items } = (await (await viewer.app.api("/v1/runs?status=passed")).json()) as {
    items: { id: string }[];
  };
  await page.route("**/live?**", (route) => route.fulfill({ contentType: "text/event-stream", body: "" }));
  await page.route(`**/v1/runs/${items[0]!.id}`, (route) =>
    route.fulfill({ status: 503, json: { error: "unavailable", message: "The server is away." } }),
  );
  await page.goto(`${viewer.base}/runs/${items[0]!.id}`);
  const failure = page.getByRole("alert").filter({ hasText: "The server is away." });
  await failure.waitFor();
  await page.unroute(`**/v1/runs/${items[0]!.id}`);
  await failure.getByRole("button", { name: "Try again" }).click();
  await page.getByText("3 of 3 passed").waitFor();
  await page.getByText("Nothing was logged.").waitFor();
  await context.close();
});

test("on a phone a run is one column, nothing sticks out, and what is not there is said", async () => {
  const { page, context, complaints } = await viewer.open(`/runs/${failed}`, {
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  await page.getByRole("img", { name: "The page at the end" }).waitFor();
  await page.getByRole("link", { name: "Report" }).waitFor();
  await picture(page, "run-phone-dark");
  await eventually(async () => expect(await overflow(page)).toBe(0));
  expect(await findings(page)).toEqual([]);
  await page.goto(`${viewer.base}/runs`);
  await page.getByRole("link", { name: "fails" }).waitFor();
  await picture(page, "runs-phone-dark");
  await eventually(async () => expect(await overflow(page)).toBe(0));
  expect(await findings(page)).toEqual([]);
  await page.goto(`${viewer.base}/scenarios/buys?view=steps`);
  await page.getByRole("button", { name: "Run now" }).waitFor();
  await picture(page, "scenario-phone-dark");
  await eventually(async () => expect(await overflow(page)).toBe(0));
  expect(complaints).toEqual([]);
  await page.goto(`${viewer.base}/runs/00000000-0000-7000-8000-000000000000`);
  await page.getByText("There is no such run.").waitFor();
  await context.close();
});

test("a run of more steps than its log shows lines for still says of each how it went", async () => {
  const steps = Array.from({ length: 1_200 }, (_, at) => ({ id: `s${at + 1}`, source: `set v to "${at}"` }));
  const begun = await post(viewer.app, "/internal/v1/runs", {
    scenario: { slug: "many", title: "Many", steps },
    region: "us-east-1",
  });
  const { run } = (await begun.json()) as { run: { id: string } };
  for (let at = 0; at < steps.length; at += 400) {
    const lines = steps
      .slice(at, at + 400)
      .flatMap(({ id, source }) =>
        [source, "done in 1 ms"].map((message) => ({ ts: 1_000, level: "info", message, step_id: id })),
      );
    expect((await post(viewer.app, `/internal/v1/runs/${run.id}/progress`, { lines })).status).toBe(200);
  }
  const end = { status: "passed", error: null, healed: [], fingerprints: {} };
  await post(viewer.app, `/internal/v1/runs/${run.id}/end`, end);
  const { page, context } = await viewer.open("/runs");
  // Drawing all steps anew for each line would keep the page busy for a minute.
  await page.addInitScript(() => {
    const drawn = { count: 0 };
    Object.assign(window, { drawn });
    new MutationObserver((records) => {
      const isCount = ({ target }: MutationRecord) => !!target.parentElement?.closest(".run-steps > h2");
      if (records.some(isCount)) drawn.count += 1;
    }).observe(document, { subtree: true, characterData: true });
  });
  await page.goto(`${viewer.base}/runs/${run.id}`);
  const part = page.getByRole("region", { name: "Steps", exact: true }).first();
  await part.getByText("1200 of 1200 passed").waitFor();
  const drawn = await page.evaluate(() => (window as unknown as { drawn: { count: number } }).drawn.count);
  expect(drawn).toBeLessThan(300);
  await context.close();
});

test("a scenario that was synced and has not run is found on the page of scenarios, and run from its own", async () => {
  await sync({ ...FILES, idle: ['go to "/"'] });
  const { page, context, complaints } = await viewer.open("/scenarios", { size: PHONE, theme: "dark" });
  await page.getByText("1 scenario not run yet").waitFor();
  const link = page.getByRole("link", { name: "The shop idle" });
  expect(await link.isVisible()).toBe(false);
  await page.getByText("1 scenario not run yet").focus();
  await page.keyboard.press("Enter");
  await link.waitFor();
  await picture(page, "scenarios-idle-phone-dark");
  expect(await overflow(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await picture(page, "scenarios-idle-light");
  expect(await findings(page)).toEqual([]);
  await link.click();
  await page.waitForURL(/\/scenarios\/idle$/);
  await page.getByRole("button", { name: "Run now" }).click();
  const dialog = page.getByRole("dialog", { name: "Run now" });
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  await page.goto(`${viewer.base}/scenarios`);
  await page.getByRole("link", { name: "The shop buys" }).waitFor();
  await viewer.app.runJobs();
  await page.getByRole("link", { name: "The shop idle" }).waitFor();
  await page.getByText("not run yet").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await context.close();
});

test("scenarios that have not run and cannot be listed are told of, and leave the table where it is", async () => {
  const { page, context } = await viewer.open("/runs");
  await page.route(/\/v1\/scenarios\?has_run=false/, (route) =>
    route.fulfill({ status: 503, json: { error: "internal", message: "The database is busy." } }),
  );
  await page.goto(`${viewer.base}/scenarios`);
  await page.getByRole("alert").getByText("could not be listed: The database is busy.").waitFor();
  await page.getByRole("link", { name: "The shop buys" }).waitFor();
  await context.close();
});
