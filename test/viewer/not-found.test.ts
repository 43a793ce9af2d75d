import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createSigninLink } from "../../server/identity/sessions/service.ts";
import { createTestClock } from "../helpers/app.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;

beforeAll(async () => {
  // The list of failures asks for a period by the clock of the browser.
  viewer = await viewerApp({ clock: createTestClock(Date.now()) });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("a mistyped address says what was looked for, and leads on", async () => {
  const { page, context, complaints } = await viewer.open("/trace/7Kd2mQx9PbTz");
  await page.getByRole("heading", { name: "There is nothing at this address." }).waitFor();
  await eventually(async () => expect(await page.title()).toBe("Not found · Tracedeck"));
  expect(await findings(page)).toEqual([]);
  await page.getByRole("link", { name: "/traces/7Kd2mQx9PbTz" }).click();
  await page.getByRole("heading", { name: "There is no trace “7Kd2mQx9PbTz”." }).waitFor();
  await picture(page, "not-found");
  await page.getByRole("link", { name: "Search all traces for it" }).click();
  const field = page.getByRole("combobox", { name: /search/i });
  await field.waitFor();
  await eventually(async () => expect(await field.inputValue()).toBe('"7Kd2mQx9PbTz"'));
  await page.goBack();
  await page.getByRole("heading", { name: /There is no trace/ }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await page.waitForURL("**/failures");
  // The document itself was answered with 404, which the browser notes.
  expect(complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
  await context.close();
});

test("whatever an address holds is shown as text, on a phone too", async () => {
  const evil = encodeURIComponent(`<img src=x onerror="document.title='owned'">‮gnp.exe`);
  const { page, context } = await viewer.open(`/failures/${evil}${"long".repeat(60)}`, {
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  await page.getByRole("heading", { name: "Failures have no page of their own." }).waitFor();
  await eventually(async () => expect(await page.title()).toBe("Not found · Tracedeck"));
  await eventually(async () => expect(await page.locator("main").innerText()).toContain("⟦202E⟧gnp.exe"));
  await eventually(async () => expect(await overflow(page)).toBe(0));
  await picture(page, "not-found-phone");
  await context.close();
});

test("a trace that was removed says so where it stood", async () => {
  const { page, context } = await viewer.open("/traces/019ca945-0a00-72e9-9883-ff2e8308684e");
  await page.getByRole("heading", { name: /There is no trace “019ca945/ }).waitFor();
  await page.getByRole("link", { name: "All traces", exact: true }).click();
  await page.waitForURL("**/traces");
  await context.close();
});

test("who had to sign in on the way comes to what the link names, though it is no page of the viewer", async () => {
  const { id, shortId } = await viewer.ingest("v10-failing");
  await viewer.app.api(`/v1/traces/${id}/share`, {
    method: "POST",
    body: JSON.stringify({ visibility: "org-only" }),
    headers: { "content-type": "application/json" },
  });
  const { page, context } = await viewer.open(`/r/${shortId}/trace`, { isSignedIn: false });
  await page.getByRole("heading", { name: "Sign in to Tracedeck" }).waitFor();
  const link = await createSigninLink(viewer.app.deps, { orgId: viewer.app.orgId, base: viewer.base });
  await page.request.get(link.url);
  // As when the tab with the sign-in link is left.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.waitForURL(`**/r/${shortId}/trace`);
  await page.getByText(shortId).waitFor();
  await context.close();
});
