import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findCheck } from "../../store/records/checks.ts";
import { type AlertLab, alertLab } from "../helpers/alerts.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { runPeriodic } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, setVisible, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let lab: AlertLab;
let passed: string;
let failed: string;

beforeAll(async () => {
  viewer = await viewerApp();
  lab = await alertLab({ on: viewer.app });
  passed = (await viewer.ingest("v10-passing", { scenario_slug: "shop" })).id;
  viewer.app.clock.advance(60_000);
  failed = (await viewer.ingest("v10-failing", { scenario_slug: "shop" })).id;
  await lab.run("P");
  // There is no mail server, so that nothing arrives.
  await lab.api("/v1/notification-channels", { type: "email", name: "On call", address: "a@shop.example" });
  for (let count = 0; count < 2; count++) {
    viewer.app.clock.advance(60_000);
    await lab.follow(await lab.ended("F", "a", { trace_id: failed }));
  }
  viewer.app.clock.advance(30_000);
  await runPeriodic(viewer.app, "notices");
  await viewer.app.runJobs();
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("an incident leads with its cause and both pictures, says why, and is acknowledged, suppressed and seen to end", async () => {
  const now = viewer.app.clock.now();
  const { page, context, complaints } = await viewer.open("/incidents", { now });
  await page.getByRole("link", { name: "Shop" }).click();
  await page.waitForURL(/\/incidents\/[0-9a-f-]{36}$/);
  const cause = page.getByRole("region", { name: "Cause" });
  await cause.locator("img").nth(1).waitFor();
  expect(
    await cause
      .locator("figcaption a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
  ).toEqual([`/traces/${passed}`, `/traces/${failed}`]);
  expect(await cause.innerText()).toContain("First failed at");
  expect(await page.getByRole("region", { name: "Why" }).innerText()).toContain("2 runs in a row failed.");
  const told = await page.getByRole("region", { name: "Why" }).locator(".incident-notices").innerText();
  expect(told).toContain("Given up");
  expect(told).toContain("On call: given up. There is no mail server");
  expect(await findings(page)).toEqual([]);
  await picture(page, "incident-light");
  await page.getByRole("button", { name: "Acknowledge" }).click();
  await page.getByRole("region", { name: "Timeline" }).getByText("Somebody looks at it.").waitFor();
  await page.getByRole("button", { name: "Suppress" }).click();
  const dialog = page.getByRole("dialog", { name: "Suppress the incident" });
  await dialog.getByLabel("Reason").fill("Known, see #7");
  await picture(page, "incident-suppress-light");
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Suppress" }).click();
  await page.getByRole("region", { name: "Timeline" }).getByText("Known, see #7").waitFor();
  // What happens while nothing is heard is seen once something can be heard again.
  await setVisible(page, false);
  await eventually(() => expect(viewer.app.deps.hub.subscriberCount()).toBe(0));
  await lab.run("PP");
  await setVisible(page, true);
  await page.getByRole("region", { name: "Timeline" }).getByText("Two runs in a row were good.").waitFor();
  await eventually(async () =>
    expect(await page.getByRole("button", { name: /Suppress|Acknowledge/ }).count()).toBe(0),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("a check says what its rules would have told before they are saved", async () => {
  const { page, context, complaints } = await viewer.open(`/checks/${lab.check.id}`);
  await page.getByRole("region", { name: "What it tells" }).getByRole("button", { name: "Change" }).click();
  const dialog = page.getByRole("dialog", { name: "What it tells" });
  await dialog.getByText("it would have opened 1 incident").waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "check-rules-light");
  await dialog.getByLabel("Failures in a row").fill("3");
  await dialog.getByText("it would have opened 0 incidents").waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("An incident opens after 3 failures in a row").waitFor();
  // What nobody touched follows what the check looks for, as before.
  const saved = await findCheck(viewer.app.store.records, lab.check.id);
  expect(JSON.parse(saved!.alert_policy)).not.toHaveProperty("shadow_diff");
  await page.setViewportSize(PHONE);
  await page.getByRole("region", { name: "What it tells" }).getByRole("button", { name: "Change" }).click();
  await dialog.getByText("it would have opened").waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await picture(page, "check-rules-phone");
  expect(complaints).toEqual([]);
  await context.close();
});

test("a check says over which channels it tells, and that nobody is told once they are gone", async () => {
  const { api } = viewer.app;
  const headers = { "content-type": "application/json" };
  const of = `/v1/scheduled_checks/${lab.check.id}`;
  const made = { type: "email", name: "Night shift", address: "b@shop.example" };
  const { body: channel } = await lab.api<{ id: string }>("/v1/notification-channels", made);
  const names = (channels: string[]) =>
    api(of, { method: "PUT", headers, body: JSON.stringify({ alert_policy: { retries: 0, channels } }) });
  expect((await names([channel.id])).status).toBe(200);
  const { page, context, complaints } = await viewer.open(`/checks/${lab.check.id}`);
  const part = page.getByRole("region", { name: "What it tells" });
  await part.getByText("Its incidents are told over Night shift.").waitFor();
  await api(`/v1/notification-channels/${channel.id}`, { method: "DELETE" });
  await page.reload();
  await part.getByText("Nobody is told of its incidents: the channels").waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "check-told-over-nobody");
  await names([]);
  await page.reload();
  await part.getByText("Nobody is told of its incidents: its policy names no channel.").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("an incident's pictures have their room before they load, but for their own proportions", async () => {
  const { page, context } = await viewer.open("/incidents");
  const gate = Promise.withResolvers<void>();
  await page.route(/\/blob\//, (route) => gate.promise.then(() => route.continue()));
  await page.getByRole("link", { name: "Shop" }).click();
  const pictures = page.getByRole("region", { name: "Cause" }).locator(".incident-picture img");
  await pictures.nth(1).waitFor();
  const heights = () => pictures.evaluateAll((all) => all.map((img) => img.getBoundingClientRect().height));
  const before = await heights();
  const widths = await pictures.evaluateAll((all) =>
    all.map((img) => (img as HTMLImageElement).naturalWidth),
  );
  expect(widths).toEqual(widths.map(() => 0));
  gate.resolve();
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>(".incident-picture img")].every(
      (img) => img.complete && img.naturalWidth > 0,
    ),
  );
  const after = await heights();
  for (const [at, height] of after.entries()) expect(Math.abs(height - before[at]!)).toBeLessThan(height / 4);
  await context.close();
});

test("list and incident fit a phone, in the dark too, and an unknown one says so", async () => {
  const phone = { size: PHONE, isPhone: true, theme: "dark" } as const;
  const { page, context, complaints } = await viewer.open("/incidents", phone);
  await page.getByText("Shop").first().waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await findings(page)).toEqual([]);
  await picture(page, "incidents-phone-dark");
  await page.getByRole("link", { name: "Shop" }).first().click();
  await page.getByRole("region", { name: "Cause" }).locator("img").nth(1).waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await findings(page)).toEqual([]);
  await picture(page, "incident-phone-dark");
  expect(complaints).toEqual([]);
  const missing = await page.goto(`${viewer.base}/incidents/00000000-0000-7000-8000-000000000000`);
  expect(missing?.status()).toBe(404);
  await context.close();
});
