import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createTestClock } from "../helpers/app.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { type HostApi, startHostApi } from "../helpers/host-api/host-api.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const clock = createTestClock();
let host: HostApi;
let viewer: ViewerApp;

beforeAll(async () => {
  host = startHostApi({ now: clock.now });
  viewer = await viewerApp({ clock, settings: { code_host: host.asApp } });
  host.sendsTo((request) => viewer.app.app.handle(request));
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  host.close();
});

test("who connects a code host sees whether it works, and has handled again what came too late", async () => {
  const late = host.openPull({ "a.md": "1" });
  await host.deliver("ping", host.payload("ping", null));
  clock.advance(20 * 60_000);
  await host.deliver("pull_request", host.pullPayload("opened", late));
  await host.deliver("push", host.payload("push", null, { ref: "refs/heads/main" }));
  await viewer.app.runJobs();
  const { page, context, complaints } = await viewer.open("/settings/code-host", { now: clock.now() });
  await page.getByRole("button", { name: "Ask the code host" }).click();
  await page.getByText("acme/shop answers: 1 open pull request.").waitFor();
  const told = page.getByRole("table", { name: "What the code host told" });
  await told.getByText("too late").waitFor();
  await told.getByRole("button", { name: "Handle again: pull request opened #1" }).click();
  await told.getByText("waits").waitFor();
  await viewer.app.runJobs();
  await told.getByText("too late").waitFor({ state: "detached" });
  expect(await findings(page)).toEqual([]);
  await picture(page, "code-host-light");
  host.fail(/\/pulls/, { status: 404 });
  await page.getByRole("button", { name: "Ask the code host" }).click();
  await page.getByText(/answered “GET .*” with 404/).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("the page fits a phone, and says what to do where nothing is set", async () => {
  const phone = await viewer.open("/settings/code-host", {
    ...{ size: PHONE, isPhone: true, theme: "dark", now: clock.now() },
  });
  await phone.page.getByRole("table", { name: "What the code host told" }).waitFor();
  expect(await overflow(phone.page)).toBeLessThanOrEqual(0);
  await picture(phone.page, "code-host-phone");
  await phone.context.close();
  const plain = await viewerApp();
  const { page, context } = await plain.open("/settings/code-host", { theme: "light" });
  await page.getByText("are ignored: no app is set").waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "code-host-none");
  await context.close();
  await plain.close();
});
