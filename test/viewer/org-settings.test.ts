import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import type { PageOptions, WatchedPage } from "../helpers/browser.ts";
import { person, secondOrg } from "../helpers/org-people.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const PHONE: PageOptions = { size: { width: 390, height: 844 }, theme: "dark" };
const WIDE: PageOptions = {};

let viewer: ViewerApp;
beforeAll(async () => {
  viewer = await viewerApp({ settings: { secrets: { FROM_FILE: "x" } } });
});
afterAll(() => viewer.close());

/** A page of the settings as the owner sees it, which says what it is and does not stick out. */
async function shown(
  path: string,
  heading: string,
  options: PageOptions,
  then: (page: Page) => Promise<void>,
) {
  const watched: WatchedPage = await viewer.open(path, options);
  const { page } = watched;
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
  await page.getByRole("main").getByRole("heading", { level: 2 }).first().waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await then(page);
  await picture(page, `settings-${heading}-${options.size ? "phone" : "wide"}`);
  expect(watched.complaints.filter((one) => !one.includes("422"))).toEqual([]);
  await watched.context.close();
}

describe("the page of members", () => {
  test("invites with a link to copy, changes roles and removes, at both widths", async () => {
    const member = await person(viewer.app, "member", { email: "linus@people.example" });
    await shown("/settings/members", "Members", WIDE, async (page) => {
      await page.getByLabel("Mail address").fill("ada@people.example");
      await page.getByRole("button", { name: "Invite" }).click();
      const link = page.locator(".settings-once code");
      expect(await link.textContent()).toContain("/invitation#");
      await page.getByRole("table", { name: "Open invitations" }).getByText("ada@people.example").waitFor();
      await page.getByLabel("Role of linus").selectOption("billing");
      await page.getByText("linus is billing now.").waitFor();
      expect((await member.send("GET", "/v1/traces")).status).toBe(403);
    });
    await shown("/settings/members", "Members", PHONE, async (page) => {
      await page.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("The invitation of ada@people.example is revoked.").waitFor();
      await page.getByRole("row", { name: /linus/ }).getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("linus is removed.").waitFor();
      expect((await member.send("GET", "/api/v1/me")).status).toBe(401);
    });
  });
});

describe("an invitation's link", () => {
  test("brings somebody new in, and says so when it works no longer", async () => {
    const { app, base } = viewer;
    const made = await app.api("/v1/invitations", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "grace@people.example", role: "member" }),
    });
    const { url } = (await made.json()) as { url: string };
    const path = url.slice(url.indexOf("/invitation"));
    const watched = await viewer.open(path, { ...PHONE, isSignedIn: false });
    const { page } = watched;
    await page.getByRole("heading", { name: "Join local" }).waitFor();
    await page.getByLabel("Your name").fill("Grace");
    await page.getByRole("button", { name: "Join" }).click();
    await page.waitForURL(`${base}/traces`);
    await page.goto(`${base}/settings/members`);
    await page.getByText("Members: your role does not reach this page.").waitFor();
    await page.goto(base + path);
    await page.getByRole("heading", { name: "This invitation no longer works" }).waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await watched.context.close();
  });
});

describe("the page of secrets", () => {
  test("keeps, replaces and removes, shows no value, and what the server's settings say as such", async () => {
    await shown("/settings/secrets", "Secrets", WIDE, async (page) => {
      const file = page.getByRole("row", { name: /FROM_FILE/ });
      await file.getByText("from settings.json").waitFor();
      expect(await file.getByRole("button").count()).toBe(0);
      await page.getByRole("button", { name: "New secret…" }).click();
      await page.getByLabel("Name").fill("SHOP_PASSWORD");
      await page.getByLabel("Value").fill("correct horse");
      await page.getByLabel(/Origins/).fill("https://shop.example\nnot an origin");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("alert").getByText("origins").waitFor();
      await page.getByLabel(/Origins/).fill("https://shop.example");
      await page.getByRole("button", { name: "Save" }).click();
      await page
        .getByRole("row", { name: /SHOP_PASSWORD/ })
        .getByText("https://shop.example")
        .waitFor();
      expect(await page.content()).not.toContain("correct horse");
    });
    await shown("/settings/secrets", "Secrets", PHONE, async (page) => {
      const row = page.getByRole("row", { name: /SHOP_PASSWORD/ });
      await row.getByRole("button", { name: "Replace" }).click();
      await page.getByLabel("Value").fill("another");
      await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
      await page.getByText("SHOP_PASSWORD is kept.").waitFor();
      await row.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("SHOP_PASSWORD is removed.").waitFor();
      await row.waitFor({ state: "detached" });
    });
  });
});

describe("the page of plan and limits", () => {
  test("says in words what is used of what, to billing too", async () => {
    for (const options of [WIDE, PHONE])
      await shown("/settings/plan", "Plan and limits", options, async (page) => {
        const chats = page.getByRole("listitem").filter({ hasText: "Chats about traces" });
        expect(await chats.textContent()).toContain("$0.00 of $5.00");
        await page.getByText("The plan is team.").waitFor();
      });
  });
});

describe("the page of the org", () => {
  test("renames it at both widths, and says that the first one stays", async () => {
    for (const [options, name] of [
      [WIDE, "Ours"],
      [PHONE, "local"],
    ] as const)
      await shown("/settings/org", "Organisation", options, async (page) => {
        await page.getByLabel("Name").fill(name);
        await page.getByRole("button", { name: "Rename" }).click();
        await page.getByText("Name changed.").waitFor();
        await page.getByText("This is the first organisation").waitFor();
      });
  });

  test("of another one is reached by the menu, and deletes it once its slug is typed", async () => {
    const { app, base } = viewer;
    const other = await secondOrg(app, "acme");
    const watched = await viewer.open("/traces", WIDE);
    const { page } = watched;
    const token = other.owner.headers.cookie!.split("=")[1]!;
    await watched.context.addCookies([{ name: "product_session", value: token, url: base }]);
    await page.goto(`${base}/settings/org`);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "New organisation…" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Über Shop");
    expect(await page.getByLabel(/Slug/).inputValue()).toBe("uber-shop");
    await page.getByLabel(/Slug/).fill("shop");
    await page.getByRole("button", { name: "Make" }).click();
    await page.waitForURL(`${base}/traces`);
    await page.getByRole("button", { name: "Account" }).click();
    const isThere = page.waitForEvent("load");
    await page.getByRole("menuitemradio", { name: "acme" }).click();
    await isThere;
    await page.goto(`${base}/settings/org`);
    await page.getByRole("button", { name: "Delete acme…" }).click();
    const sure = page.getByRole("button", { name: "Delete for good" });
    expect(await sure.isDisabled()).toBe(true);
    await page.getByLabel(/Type/).fill("acme");
    await sure.click();
    await page.waitForURL(`${base}/signin`);
    expect((await other.owner.send("GET", "/api/v1/me")).status).toBe(401);
    await watched.context.close();
  });
});
