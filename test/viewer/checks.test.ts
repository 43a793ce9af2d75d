import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, DESKTOP, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";
import { endRuns, recordPreflight, scenarioText, send, syncScenarios, watched } from "../helpers/watch.ts";

setDefaultTimeout(120_000);

const HOUR = 60 * 60_000;

let viewer: ViewerApp;
let busy: string;

beforeAll(async () => {
  const rate_limits = { reads_per_minute: 100_000, writes_per_minute: 100_000 };
  viewer = await viewerApp({ settings: { rate_limits } });
  const ids = await syncScenarios(viewer.app, {
    shop: scenarioText("shop"),
    search: scenarioText("search"),
    fresh: scenarioText("fresh"),
  });
  await recordPreflight(viewer.app, ids.fresh!);
  busy = await watched(viewer.app, "shop", { regions: ["us-east-1", "eu-west-1"] });
  await watched(viewer.app, "search", { cron: "7,37 * * * *", timezone: "Europe/Berlin", enabled: false });
  viewer.app.clock.advance(5 * 60_000);
  await viewer.app.tick();
  await endRuns(viewer.app, busy, "failed");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const open = (path: string, options: Parameters<ViewerApp["open"]>[1] = {}) =>
  viewer.open(path, { now: viewer.app.clock.now(), ...options });

test("a scenario is watched from its page: the next runs are told before it is saved, and what is wrong is said", async () => {
  const { page, context, complaints } = await open("/scenarios/fresh");
  await page.getByRole("button", { name: "Watch" }).click();
  const dialog = page.getByRole("dialog", { name: "Watch this scenario" });
  await eventually(async () =>
    expect(await dialog.getByRole("list", { name: "Next runs" }).innerText()).toContain("2026-03-01 12:10"),
  );
  await dialog.getByLabel("Schedule (cron)").fill("*/30 * * * *");
  await dialog.getByLabel("Time zone").fill("Asia/Kolkata");
  await eventually(async () =>
    expect(await dialog.getByRole("list", { name: "Next runs" }).innerText()).toContain(
      "2026-03-01 18:00 +05:30",
    ),
  );
  await dialog.getByLabel("eu-west-1").check();
  await picture(page, "check-form-light");
  expect(await findings(page)).toEqual([]);
  await dialog.getByLabel("Schedule (cron)").fill("0 3 * * *");
  await eventually(async () => expect(await dialog.innerText()).toContain("comes too seldom"));
  await dialog.getByLabel("Schedule (cron)").fill("*/30 * * * *");
  await dialog.getByRole("button", { name: "Watch" }).click();
  await page.waitForURL(/\/checks\/[0-9a-f-]{36}$/);
  await page.getByText("every 30 min (Asia/Kolkata)").or(page.getByText("every 30 min")).first().waitFor();
  expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
  await context.close();
});

test("a check tells its runs by region; it is paused, resumed, changed, switched off and removed", async () => {
  const { page, context } = await open(`/checks/${busy}`);
  const region = page.getByRole("region", { name: "eu-west-1" });
  await region.getByRole("link", { name: /Failed/ }).waitFor();
  await picture(page, "check-light");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("menuitem", { name: "For 4 hours" }).click();
  await page.getByText(/^Paused until /).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Change the check" });
  await dialog.getByLabel("Schedule (cron)").fill("*/10 * * * *");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("every 10 min").waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Switch off" }).click();
  await page.getByRole("button", { name: "Switch on" }).waitFor();
  await page.getByRole("button", { name: "Switch on" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  const gone = await watched(viewer.app, "shop");
  await page.goto(`${viewer.base}/checks/${gone}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Remove…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await page.waitForURL(/\/checks$/);
  await page.goto(`${viewer.base}/checks/${gone}`);
  await page.getByText("There is no such check.").waitFor();
  await context.close();
});

test("a check tells how long it was up and how long its runs took, by pictures, by keyboard and as a table", async () => {
  const { scenario_id } = await viewer.app.store.records
    .selectFrom("scheduled_checks")
    .select("scenario_id")
    .where("id", "=", busy)
    .executeTakeFirstOrThrow();
  const hour = (region: string, ago: number, down: number) => ({
    ...{
      scenario_id,
      region,
      org_id: viewer.app.orgId,
      hour: Date.parse("2026-03-01T12:00:00Z") - ago * HOUR,
    },
    ...{ up_ms: HOUR - down, down_ms: down, maintenance_ms: 0, passed: 59, failed: 1, errors: 0 },
    durations: '{"349":58,"400":1}',
  });
  const rows = [hour("us-east-1", 3, 0), hour("us-east-1", 1, HOUR / 10), hour("eu-west-1", 3, 0)];
  await viewer.app.store.records.insertInto("result_hours").values(rows).execute();
  const created_at = rows[0]!.hour;
  await viewer.app.store.records
    .updateTable("scheduled_checks")
    .set({ created_at })
    .where("id", "=", busy)
    .execute();
  for (const [name, options] of [
    ["availability-light", {}],
    ["availability-phone", { size: PHONE, theme: "dark" }],
  ] as const) {
    const { page, context, complaints } = await open(`/checks/${busy}?days=1`, options);
    const strips = page.getByRole("list", { name: "Regions" });
    await strips.getByRole("img", { name: /^us-east-1: 95\.00 % up; .*down 6 m 00 s .*no data/ }).waitFor();
    const chart = page.getByRole("slider", { name: "How long passed runs took" });
    await chart.focus();
    await page.keyboard.press("Home");
    expect(await chart.getAttribute("aria-valuetext")).toContain("p50 993 ms");
    await page.keyboard.press("ArrowRight");
    expect(await chart.getAttribute("aria-valuetext")).toContain("no run passed");
    expect(await overflow(page)).toBe(0);
    await picture(page, name);
    expect(await findings(page)).toEqual([]);
    await page.getByText("As a table").click();
    const table = page.getByRole("region", { name: "History" });
    await table.waitFor();
    expect(await table.getByRole("row").count()).toBe(5);
    await page.getByLabel("Region", { exact: true }).selectOption("eu-west-1");
    expect(new URL(page.url()).search).toBe("?days=1&region=eu-west-1");
    const objective = page.getByRole("region", { name: "Objective (SLO)" });
    await objective.getByRole("button").click();
    const dialog = page.getByRole("dialog", { name: "Objective" });
    await dialog.getByLabel("Up, in % of the measured time").fill("90");
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await objective.getByText(/of 18 m 00 s that it may be down are left \(66 %\)/).waitFor();
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await objective.getByRole("button").click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await objective.getByText("None is set.").waitFor();
    await context.close();
  }
});

test("the list tells what is on, off and how each region fared, on a phone as well", async () => {
  for (const [name, options] of [
    ["checks-dark", { theme: "dark" }],
    ["checks-phone", { size: PHONE }],
  ] as const) {
    const { page, context } = await open("/checks", options);
    await page.getByRole("link", { name: "shop" }).waitFor();
    const text = await page.getByRole("main").innerText();
    for (const word of ["On", "Off", "search"]) expect(text).toContain(word);
    await page.getByText("Failed in").first().waitFor({ state: "attached" });
    expect(await overflow(page)).toBe(0);
    await picture(page, name);
    expect(await findings(page)).toEqual([]);
    await page.goto(`${viewer.base}/checks/${busy}`);
    await page.getByRole("region", { name: "Next runs" }).waitFor();
    await eventually(async () =>
      expect(await page.getByRole("main").innerText()).toContain("2026-03-01 12:"),
    );
    expect(await overflow(page)).toBe(0);
    await picture(page, name.replace("checks", "check"));
    await context.close();
  }
});

test("maintenance windows are added, changed and removed", async () => {
  for (const size of [DESKTOP, PHONE]) {
    const { page, context } = await open("/maintenance", { size });
    const suffix = size === PHONE ? "-phone" : "";
    await page.getByRole("button", { name: "Add a window" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Weekly deploy");
    await dialog.getByLabel("Comes").selectOption("again");
    await dialog.getByLabel("Time zone").fill("Europe/Berlin");
    await picture(page, `maintenance-form${suffix}`);
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByText("0 2 * * SUN (Europe/Berlin), for 1 h 00 m · All scenarios").waitFor();
    await picture(page, `maintenance${suffix}`);
    expect(await overflow(page)).toBe(0);
    await page.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Comes").selectOption("once");
    await dialog.getByLabel("Begins").fill("2026-03-29T02:30");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("2026-03-29 02:30 (Europe/Berlin)").waitFor();
    await page.getByRole("button", { name: "Remove…" }).click();
    const question = page.getByRole("dialog", { name: "Remove the window?" });
    await picture(page, `maintenance-removal${suffix}`);
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Remove…" }).click();
    await question.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No maintenance window.").waitFor();
    await context.close();
  }
});

test("a window that is changed stays meant for what it was meant for, also while the scenarios are not known", async () => {
  const { app } = viewer;
  const all = (await (await app.api("/v1/scenarios?limit=200")).json()) as { items: { id: string }[] };
  const ids = all.items.map(({ id }) => id);
  const windows: { id: string }[] = [];
  for (const scenarios of [[ids[1]!], ids.slice(0, 2)]) {
    const body = { name: "Deploy", cron: "0 2 * * SUN", duration_minutes: 60, scenarios };
    windows.push((await (await send(app, "POST", "/v1/maintenance-windows", body)).json()) as { id: string });
  }
  const meant = async (index: number) => {
    const kept = (await (await app.api(`/v1/maintenance-windows/${windows[index]!.id}`)).json()) as {
      scenarios: string[] | null;
    };
    return kept.scenarios;
  };
  const { page, context } = await open("/maintenance");
  const dialog = page.getByRole("dialog");
  const save = async (index: number, name: string) => {
    await page.getByRole("button", { name: "Edit" }).nth(index).click();
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText(name, { exact: true }).waitFor();
  };
  const first = (await meant(0))![0] === ids[1] ? 0 : 1;
  await save(first, "One");
  expect(await meant(first)).toEqual([ids[1]!]);
  await save(1 - first, "Two");
  expect((await meant(1 - first))!.toSorted()).toEqual(ids.slice(0, 2).toSorted());
  await page.route("**/v1/scenarios?**", (route) =>
    route.fulfill({ status: 503, json: { error: "internal", message: "Not now." } }),
  );
  await page.reload();
  await page.getByText("The scenarios could not be listed: Not now.").waitFor();
  await save(first, "Once more");
  expect(await meant(first)).toEqual([ids[1]!]);
  await page.getByRole("button", { name: "Edit" }).nth(first).click();
  await dialog.getByLabel("Meant for").selectOption("All scenarios");
  await dialog.getByRole("button", { name: "Save" }).click();
  await eventually(async () => expect(await meant(first)).toBeNull());
  await context.close();
});

test("a window is added once, however often the button is pressed; text that is selected in its form stays", async () => {
  const { page, context } = await open("/maintenance");
  await page.getByRole("button", { name: "Add a window" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Pressed twice");
  await dialog.getByLabel("Comes").selectOption("again");
  // The pointer is let go outside of the dialog, as when text is selected with a quick hand.
  const field = (await dialog.getByLabel("Name").boundingBox())!;
  await page.mouse.move(field.x + 60, field.y + field.height / 2);
  await page.mouse.down();
  await page.mouse.move(5, field.y + field.height / 2, { steps: 4 });
  await page.mouse.up();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("Pressed twice");
  let asked = 0;
  await page.route("**/v1/maintenance-windows", async (route) => {
    if (route.request().method() === "POST") asked += 1;
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Add" }).dblclick();
  await page.getByText("Pressed twice").waitFor();
  expect(asked).toBe(1);
  await page.getByRole("button", { name: "Add a window" }).click();
  await dialog.waitFor();
  await page.mouse.click(5, 400);
  await dialog.waitFor({ state: "detached" });
  await context.close();
});
