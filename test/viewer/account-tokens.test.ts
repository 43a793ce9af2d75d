import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { post } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
beforeAll(async () => {
  viewer = await viewerApp({ settings: { agent_signup: true } });
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("a token is made with chosen scopes, shown once, and revoked", async () => {
  const { page, context, complaints } = await viewer.open("/settings/tokens");
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog", { name: "Create a token" });
  expect(await findings(page)).toEqual([]);
  await dialog.getByLabel("Name").fill("laptop");
  await dialog.getByRole("button", { name: "Create token" }).click();
  await dialog.getByText("Choose at least one scope.").waitFor();
  await dialog.getByLabel("Search scopes").fill("upload");
  await dialog.getByRole("checkbox", { name: /traces:write/ }).check();
  await dialog.getByLabel("Search scopes").fill("no such");
  await dialog.getByText("No scope has “no such” in it.").waitFor();
  await dialog.getByRole("button", { name: "Create token" }).click();
  const made = page.getByRole("dialog", { name: "Personal token made" });
  const secret = await made.locator("code").first().innerText();
  expect(secret).toMatch(/^product_pat_\w{49}$/);
  const headers = { authorization: `Bearer ${secret}` };
  const me = (await (await viewer.app.api("/api/v1/me", { headers })).json()) as { scopes: string[] };
  expect(me.scopes).toEqual(["traces:write"]);
  await made.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "laptop" });
  await eventually(async () => expect(await row.innerText()).toMatch(/traces:write/));
  expect(await page.content()).not.toContain(secret);
  expect(await row.innerText()).toContain("by Owner");
  await picture(page, "tokens-light");
  await row.getByRole("button", { name: "Revoke laptop" }).click();
  const asked = page.getByRole("dialog", { name: "Revoke this personal token?" });
  await asked.getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  expect((await viewer.app.api("/api/v1/me", { headers })).status).toBe(401);
  expect(complaints).toEqual([]);
  await context.close();
});

test("an agent is verified on a phone, by the code that it shows and not by a link", async () => {
  const purpose = "to look after the nightly run";
  const asked = await post(
    viewer.app,
    "/v1/agent-signup",
    { name: "helper", purpose },
    { authorization: "" },
  );
  const { user_code: code } = (await asked.json()) as { user_code: string };
  const { page, context, complaints } = await viewer.open(`/settings/tokens/verify?code=${code}`, {
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  const field = page.getByLabel("Code", { exact: true });
  await field.waitFor();
  expect(await field.inputValue()).toBe("");
  expect(await findings(page)).toEqual([]);
  await field.fill("BCDF-GHJK");
  await page.getByRole("button", { name: "Look it up" }).click();
  await page.getByRole("alert").getByText("under this code").waitFor();
  await field.fill(code.toLowerCase());
  await page.getByRole("button", { name: "Look it up" }).click();
  await page.getByText(purpose).waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await findings(page)).toEqual([]);
  await picture(page, "verify-agent-phone");
  await page.getByRole("checkbox", { name: /runs:write/ }).check();
  await page.getByRole("button", { name: "Grant 2 scopes" }).click();
  await page.getByText("may do what you chose").waitFor();
  await page.getByRole("link", { name: "All tokens and keys" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "helper" });
  await eventually(async () => expect(await row.innerText()).toContain("expires in 90 days"));
  expect(await overflow(page)).toBe(0);
  // The refused code is an answer that the browser notes too.
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  await context.close();
});

for (const size of ["wide", "phone"] as const)
  test(`the audit log tells who did what and whether it is whole, ${size}`, async () => {
    const { page, context, complaints } = await viewer.open(
      "/settings/audit",
      size === "phone" ? { size: PHONE, isPhone: true } : {},
    );
    await page.getByText("The chain is whole.").waitFor();
    const entries = page.getByRole("list", { name: "Audit entries" });
    await entries.getByRole("button", { name: /org\.create/ }).click();
    const whole = entries.getByRole("listitem").filter({ hasText: "Hash before" });
    expect(await whole.innerText()).toContain("0".repeat(64));
    expect(await overflow(page)).toBe(0);
    expect(await findings(page)).toEqual([]);
    await picture(page, `audit-${size}`);
    await page.getByLabel("Action").fill("api_key.*");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/action=api_key/);
    await eventually(async () => expect(await entries.innerText()).not.toContain("org.create"));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "CSV" }).click(),
    ]);
    const text = await Bun.file(await download.path()).text();
    expect(text).toContain("api_key.create");
    expect(text).not.toContain("org.create");
    const action = page.getByLabel("Action");
    const hasFocus = () => action.evaluate((field) => field === document.activeElement);
    await action.fill("none.*");
    await action.press("Enter");
    await page.getByText("No entry fits these filters").waitFor();
    expect(await hasFocus()).toBe(true);
    await page.goBack();
    await eventually(async () => expect(await action.inputValue()).toBe("api_key.*"));
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForURL(/audit$/);
    await entries.getByText("org.create").waitFor();
    expect([await hasFocus(), await action.inputValue()]).toEqual([true, ""]);
    // On paper there is all of it.
    await page.setViewportSize({ width: 800, height: 100 });
    await page.emulateMedia({ media: "print" });
    const [height, seen] = await page.evaluate(() => [document.documentElement.scrollHeight, innerHeight]);
    expect(height).toBeGreaterThan(2 * seen!);
    expect(await page.getByRole("navigation").filter({ visible: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
