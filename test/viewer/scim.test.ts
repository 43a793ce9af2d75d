import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { directory, GROUP, scimToken, USER } from "../helpers/scim.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
beforeAll(async () => {
  viewer = await viewerApp();
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("a directory is connected on one page: token, roles, what came and what was refused", async () => {
  const { page, context, complaints } = await viewer.open("/settings/scim");
  const main = page.getByRole("main");
  await main.getByText("No directory has called yet").waitFor();
  await main.getByText("/api/v1/scim/v2").waitFor();
  await main.getByRole("button", { name: "Create token" }).click();
  await main.getByText("it is not shown again").waitFor();
  const token = await main.getByRole("status").locator("code").innerText();
  const scim = directory(viewer.app.api, token);
  const ada = await scim.user("ada@shop.example");
  await scim.group("Platform", [ada.id]);
  await scim.post("/Users", { schemas: [USER], userName: "nobody" });
  await main.getByLabel("Name of the group").fill("platform");
  await main.getByRole("button", { name: "Give role" }).click();
  await eventually(async () => {
    const text = await main.innerText();
    for (const word of [
      "1 active",
      "admin, 1 person",
      "1 request in the last day",
      "A user needs an email address",
    ])
      expect(text).toContain(word);
  });
  await picture(page, "scim-light");
  expect(await findings(page)).toEqual([]);
  const revoke = main.getByRole("button", { name: /^Revoke product_sk_/ });
  await revoke.click();
  await page
    .getByRole("dialog", { name: "Revoke this token?" })
    .getByRole("button", { name: "Revoke" })
    .click();
  await revoke.waitFor({ state: "detached" });
  expect((await scim.get("/Users")).status).toBe(401);
  await main.getByRole("button", { name: "Remove the role of platform" }).click();
  await eventually(async () => expect(await main.innerText()).not.toContain("admin, 1 person"));
  expect(complaints).toEqual([]);
  await context.close();
});

test("it fits a phone in the dark, with a token that is due and a long name", async () => {
  const scim = directory(viewer.app.api, await scimToken(viewer.app));
  await scim.post("/Groups", {
    schemas: [GROUP],
    displayName: "x".repeat(200),
    members: [{ value: "y".repeat(64) }],
  });
  viewer.app.clock.advance(91 * 86_400_000);
  const { page, context, complaints } = await viewer.open("/settings/scim", {
    theme: "dark",
    size: PHONE,
    isPhone: true,
  });
  await page
    .getByRole("main")
    .getByText(/, used .+/)
    .waitFor();
  await picture(page, "scim-phone-dark");
  expect(await overflow(page)).toBe(0);
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
