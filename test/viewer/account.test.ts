import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { queueMail } from "../../server/identity/mail/queue.ts";
import { commit } from "../../server/jobs/commit.ts";
import { createTestClock } from "../helpers/app.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { person } from "../helpers/people.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const PASSWORD = "correct horse battery";
let viewer: ViewerApp;
beforeAll(async () => {
  viewer = await viewerApp({ clock: createTestClock(Date.now()) });
  await person(viewer.app, { email: "ada@shop.example", password: PASSWORD, role: "admin" });
  const { deps, orgId } = viewer.app;
  await commit(deps, (trx, after) =>
    queueMail(deps, trx, after, {
      ...{ orgId, kind: "notification", to: "ada@shop.example", subject: "Checkout fails" },
      text: "It fails since this morning.",
    }),
  );
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("a person signs in by keyboard, and is told in words what was wrong", async () => {
  const { page, context } = await viewer.open("/signin?next=%2Fsettings%2Fsessions", { isSignedIn: false });
  const email = page.getByLabel("Email");
  await email.focus();
  await page.keyboard.type("ada@shop.example");
  await page.keyboard.press("Tab");
  await page.keyboard.type("wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("The address or the password is wrong.").waitFor();
  await page.waitForURL("**/signin?next=**");
  expect(await email.inputValue()).toBe("ada@shop.example");
  expect(await findings(page)).toEqual([]);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByText("Headless Chrome").waitFor();
  expect(new URL(page.url()).pathname).toBe("/settings/sessions");
  await context.close();
});

test("a person signs in without a script", async () => {
  const { page, context } = await viewer.open("/signin", { isSignedIn: false });
  const plain = await page.context().browser()!.newContext({ javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(`${viewer.base}/signin`);
  await still.getByLabel("Email").fill("ada@shop.example");
  await still.getByLabel("Password").fill(PASSWORD);
  await still.getByRole("button", { name: "Sign in", exact: true }).click();
  expect(new URL(still.url()).pathname).toBe("/");
  expect((await plain.cookies()).map(({ name }) => name)).toContain("product_session");
  await plain.close();
  await context.close();
});

for (const [size, theme] of [
  [undefined, "light"],
  [PHONE, "dark"],
] as const)
  test(`axe finds nothing on the pages of the account, and nothing is cut, ${theme}`, async () => {
    const options = { theme, ...(size ? { size, isPhone: true } : {}) };
    for (const [path, heading] of [
      ["/settings/profile", "Profile"],
      ["/settings/sessions", "Sessions"],
      ["/settings/sso", "Single sign-on"],
      ["/local/settings/sso", "Single sign-on"],
      ["/settings/outbox", "Outbox"],
    ] as const) {
      const { page, context, complaints } = await viewer.open(path, options);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await page.locator(".settings-section").first().waitFor();
      if (heading === "Outbox") {
        await page.getByText("Checkout fails").click();
        await page.getByText("It fails since this morning.").waitFor();
      }
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      await picture(page, `account-${heading}-${theme}`);
      expect(complaints).toEqual([]);
      await context.close();
    }
  });
