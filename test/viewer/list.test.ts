import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, recorded, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;

beforeAll(async () => {
  viewer = await viewerApp();
  await viewer.ingest("v10-passing", { source: "schedule" });
  await viewer.ingest("v10-failing", { source: "pr", commit_sha: "4d07b3f1c2" });
  await viewer.ingest("v10-runner-failing", { source: "pr" });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const ROWS = ".list-row:not(.list-head)";

test("filters live in the address and survive a reload; back takes the last one away", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.locator(ROWS).nth(2).waitFor();
  await page.getByRole("button", { name: /^Failed\s*2/ }).click();
  await page.waitForURL(/status=failed/);
  await page.locator(ROWS).nth(2).waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Search traces" }).fill("status:failed ledger");
  await page.waitForURL(/q=ledger/);
  await page.reload();
  await eventually(async () => {
    expect(await page.getByRole("combobox", { name: "Search traces" }).inputValue()).toBe(
      "status:failed ledger",
    );
    const rows = await page.locator(ROWS).allInnerTexts();
    expect(rows).not.toBeEmpty();
    expect(rows).toSatisfy(() => rows.every((row) => row.includes("Failed")));
  });
  await page.getByRole("combobox", { name: "Search traces" }).fill("status:failed no-such-word-anywhere");
  await page.getByText("No trace matches").waitFor();
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await page.locator(ROWS).nth(2).waitFor();
  await eventually(() => expect(new URL(page.url()).search).toBe(""));
  await page.goBack();
  await page.waitForURL(/status=failed/);
  expect(complaints).toEqual([]);
  await context.close();
});

test("tokens are offered while they are typed, narrow the list, and facets write them", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.locator(ROWS).nth(2).waitFor();
  const field = page.getByRole("combobox", { name: "Search traces" });
  await field.pressSequentially("sta");
  await page.getByRole("option", { name: /status:/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: /status:passed\s*1/ }).waitFor();
  await picture(page, "list-suggestions");
  // What is seen is laid under the field, letter under letter.
  const [drawn, typed] = [await page.locator(".search-token").boundingBox(), await field.boundingBox()];
  expect(Math.abs(drawn!.y + drawn!.height / 2 - (typed!.y + typed!.height / 2))).toBeLessThan(3);
  expect(await findings(page)).toEqual([]);
  await field.pressSequentially("pas");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/status=passed/);
  await page.locator(ROWS).nth(1).waitFor({ state: "detached" });
  await eventually(async () => expect(await field.inputValue()).toBe("status:passed "));
  await page.getByRole("button", { name: /^Schedule/ }).click();
  await page.waitForURL(/source=schedule/);
  await eventually(async () => expect(await field.inputValue()).toBe("status:passed source:schedule"));
  await field.fill("-status:passed kind:agent.action step:order dur:<1h");
  await page.waitForURL(/status=-passed/);
  await eventually(async () => {
    const rows = await page.locator(ROWS).allInnerTexts();
    expect(rows).not.toBeEmpty();
    expect(rows.join()).not.toContain("Passed");
  });
  await page.goto(`${viewer.base}/traces?q=${encodeURIComponent("pr:482 step:nowhere")}`);
  await page.getByText("No trace matches").waitFor();
  await eventually(async () => expect(await field.inputValue()).toBe("pr:482 step:nowhere"));
  expect(complaints).toEqual([]);
  await context.close();
});

test("offers have their counts as soon as these come, and what was chosen among them stays chosen", async () => {
  const { page, context, complaints } = await viewer.open("/signin");
  const held = Promise.withResolvers<void>();
  await page.route("**/v1/traces/facets*", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${viewer.base}/traces`);
  const field = page.getByRole("combobox", { name: "Search traces" });
  await field.pressSequentially("status:");
  await page.getByRole("option", { name: /status:passed\s*0/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  const offers = page.getByRole("listbox", { name: "Suggestions" });
  const chosen = offers.getByRole("option", { selected: true });
  await chosen.waitFor();
  const text = await chosen.locator("code").innerText();
  held.resolve();
  await page.getByRole("option", { name: /status:passed\s*1/ }).waitFor();
  expect(await chosen.locator("code").innerText()).toBe(text);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a token that is wrong is said to be, with what would be right, and the rest is searched", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.locator(ROWS).nth(2).waitFor();
  const field = page.getByRole("combobox", { name: "Search traces" });
  await field.fill("after:yestrday status:failed");
  await page.waitForURL(/status=failed/);
  await page.locator(ROWS).nth(2).waitFor({ state: "detached" });
  const alert = page.getByRole("alert").filter({ hasText: "after:yestrday" });
  await alert.filter({ hasText: /\byesterday\b/ }).waitFor();
  await picture(page, "list-wrong-token");
  await page.reload();
  await alert.waitFor();
  await eventually(async () => expect(await field.inputValue()).toBe("status:failed after:yestrday"));
  await field.fill("status:failed after:yesterday");
  await page.waitForURL(/after=yesterday/);
  await alert.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await context.close();
});

test("a search is saved under a name, found among the commands, renamed, moved and removed", async () => {
  const { page, context, complaints } = await viewer.open("/traces?status=failed&q=ledger");
  await page.locator(ROWS).first().waitFor();
  const pane = page.getByRole("navigation", { name: "Filters" });
  await page.keyboard.press("S");
  const dialog = page.getByRole("dialog", { name: "Save this search" });
  await dialog.getByLabel("Name").fill("Ledger is red");
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Enter");
  const first = pane.getByRole("button", { name: "Ledger is red", exact: true });
  await first.waitFor();
  await pane.getByRole("button", { name: "Ledger is red", exact: true, pressed: true }).waitFor();
  await pane.getByRole("button", { name: "Save this search…" }).waitFor({ state: "detached" });
  await page.goto(`${viewer.base}/traces?source=schedule`);
  await pane.getByRole("button", { name: "Save this search…" }).click();
  await dialog.getByLabel("Name").fill("Ledger is red");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("alert").filter({ hasText: "already" }).waitFor();
  await dialog.getByLabel("Name").fill("Nightly");
  await dialog.getByRole("button", { name: "Save" }).click();
  await pane.getByRole("button", { name: "Nightly", exact: true }).waitFor();
  await picture(page, "list-saved");
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Commands" }).waitFor();
  await page.keyboard.type("Search: Ledger");
  await page.getByRole("option", { name: /Search: Ledger is red/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/status=failed/);
  await pane.getByRole("button", { name: "Change Nightly" }).click();
  await page.getByRole("menuitem", { name: "Move up" }).click();
  await pane.locator(".saved-row >> nth=0").filter({ hasText: "Nightly" }).waitFor();
  await pane.getByRole("button", { name: "Change Nightly" }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await page.getByRole("dialog", { name: "Rename the search" }).getByLabel("Name").fill("Every night");
  await page.keyboard.press("Enter");
  await pane.getByRole("button", { name: "Every night", exact: true }).waitFor();
  await pane.getByRole("button", { name: "Change Every night" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await pane.getByRole("button", { name: "Every night", exact: true }).waitFor({ state: "detached" });
  expect(complaints.filter((text) => !text.includes("409"))).toEqual([]);
  await context.close();
});

test("the keys walk the list, pin and open; the slash goes to the search", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.locator(ROWS).nth(2).waitFor();
  await page.keyboard.press("/");
  await eventually(async () =>
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
      "Search traces",
    ),
  );
  await page.keyboard.press("Escape");
  for (const key of ["j", "j", "j"]) await page.keyboard.press(key);
  const active = page.locator(`${ROWS}.is-active`, { hasText: "Passed" });
  await active.getByRole("button", { name: "Pin", exact: true }).waitFor();
  await page.keyboard.press("p");
  await active.getByRole("button", { name: "Pinned" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).getByText("Pin or unpin").first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}/);
  await page.getByRole("treeitem").first().waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("the first key after a dialog belongs to the list, however soon it comes", async () => {
  const { page, context } = await viewer.open("/traces");
  await page.locator(ROWS).nth(2).waitFor();
  await page.keyboard.press("j");
  await page.locator(`${ROWS}.is-active`).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).getByRole("button", { name: "Close" }).focus();
  await page.evaluate(() => {
    const focused = document.activeElement;
    document.querySelector("dialog")?.close();
    focused?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  });
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}/);
  await context.close();
});

test("dropped files are uploaded, each with its state, and refusals are told in words", async () => {
  const { page, context } = await viewer.open("/traces");
  await page.locator(ROWS).first().waitFor();
  const archive = readFileSync(recorded("v10-two-pages")).toString("base64");
  const dropped = await page.evaluateHandle((base64) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    transfer.items.add(new File([bytes], "Admin orders-trace.zip"));
    transfer.items.add(new File(["{}"], "notes.json"));
    return transfer;
  }, archive);
  await page.dispatchEvent("body", "dragenter", { dataTransfer: dropped });
  await page.getByText("Drop to store the trace").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: dropped });
  const slug = page.getByRole("combobox", { name: /Admin orders/ });
  await eventually(async () => expect(await slug.inputValue()).toBe("admin-orders"));
  await slug.fill("orders-of-admins");
  // What is dropped meanwhile is asked for too, and changes nothing of what was typed.
  const later = await page.evaluateHandle((base64) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    transfer.items.add(new File([bytes], "later.zip"));
    return transfer;
  }, archive);
  await page.dispatchEvent("body", "drop", { dataTransfer: later });
  const second = page.getByRole("combobox", { name: /later\.zip/ });
  await eventually(async () => expect(await second.inputValue()).toBe("later"));
  expect(await slug.inputValue()).toBe("orders-of-admins");
  await second.fill("second");
  await slug.fill("admin-orders");
  await picture(page, "list-upload-dialog");
  await page.getByRole("dialog").getByRole("button", { name: "Upload", exact: true }).click();
  const tray = page.getByRole("region", { name: "Uploads" });
  await tray.getByRole("alert").filter({ hasText: "trace.zip" }).waitFor();
  await tray.getByRole("progressbar", { name: "Reading the trace" }).nth(1).waitFor();
  await viewer.app.runJobs();
  await tray.getByRole("link", { name: "Open" }).nth(1).waitFor();
  await page.locator(ROWS, { hasText: "admin-orders" }).first().waitFor();
  await page.locator(ROWS, { hasText: "second" }).first().waitFor();
  await picture(page, "list-uploads");
  await tray.getByRole("link", { name: "Open" }).first().click();
  await page.getByRole("treeitem").first().waitFor();
  await context.close();
});

test("a dropped report makes a test run, which opens, without a question", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.locator(ROWS).first().waitFor();
  const junit =
    '<?xml version="1.0"?><testsuites><testsuite name="cart.spec.ts"><testcase name="adds" time="1"/></testsuite></testsuites>';
  const dropped = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "junit.xml"));
    return transfer;
  }, junit);
  await page.dispatchEvent("body", "drop", { dataTransfer: dropped });
  await page.waitForURL(/\/test-runs\/\w{12}/);
  await page.getByText("cart.spec.ts").first().waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("one picked file opens by itself once it is read", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.getByLabel("Trace archives or bundles").setInputFiles(recorded("v8-failing"));
  await page.getByRole("combobox", { name: /^Scenario of/ }).press("Enter");
  await page.getByRole("progressbar", { name: "Reading the trace" }).waitFor();
  await viewer.app.runJobs();
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}/);
  await page.getByRole("group", { name: "Failure" }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a trace that another client stores appears in the open list, and the chosen row stays chosen", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.getByRole("img", { name: "Live" }).waitFor();
  await page.locator(ROWS).nth(2).waitFor();
  await page.keyboard.press("j");
  const active = page.locator(`${ROWS}.is-active`);
  const link = active.getByRole("link");
  const chosen = await link.getAttribute("href");
  await viewer.ingest("v10-passing", { scenario_slug: "arrived-later" });
  const row = page.locator(ROWS, { hasText: "arrived-later" });
  await row.getByText("Passed").waitFor();
  await page.getByRole("navigation", { name: "Filters" }).filter({ hasText: "Passed" }).waitFor();
  await eventually(async () => expect(await link.getAttribute("href")).toBe(chosen));
  await row.hover();
  await page.locator(".preview img").waitFor();
  await picture(page, "list-light");
  expect(complaints).toEqual([]);
  await context.close();
});

test("the list fits a phone, and filters open over it", async () => {
  const { page, context, complaints } = await viewer.open("/traces", { size: PHONE, isPhone: true });
  await page.getByRole("row").first().waitFor();
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  await picture(page, "list-phone");
  await page.getByRole("button", { name: "Filters", exact: true }).tap();
  await page.getByRole("button", { name: /^Passed/ }).tap();
  await page.waitForURL(/status=passed/);
  await page.getByRole("button", { name: "Close filters" }).tap();
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  await page.getByRole("combobox", { name: "Search traces" }).pressSequentially(" source:");
  const offers = await page.getByRole("listbox", { name: "Suggestions" }).boundingBox();
  expect(offers!.x).toBeGreaterThan(0);
  expect(offers!.x + offers!.width).toBeLessThanOrEqual(PHONE.width);
  expect(complaints).toEqual([]);
  await context.close();
});

test("every place of the navigation is whole in sight or in its menu, at any width, and by keyboard", async () => {
  const { page, context, complaints } = await viewer.open("/traces");
  await page.getByRole("row").first().waitFor();
  const nav = page.getByRole("navigation", { name: "Pages" });
  const more = nav.getByRole("button", { name: /more pages/i });
  const words = ["Traces", "Failures", "Test runs", "Runs", "Scenarios", "Grid", "Incidents", "Checks"];
  const all = [...words, "Pull requests", "Fixes", "Docs"];
  for (const width of [1920, 1440, 1180, 800, PHONE.width]) {
    await page.setViewportSize({ width, height: 844 });
    const expected = width > PHONE.width ? all : [...all.slice(0, -1), "Storage", "Settings", "Docs"];
    await eventually(async () => {
      const { seen, cut } = await nav.evaluate((row) => {
        const places = [...row.querySelectorAll<HTMLElement>("[data-place]")].filter(
          (place) => place.offsetWidth > 0,
        );
        const end = row.getBoundingClientRect().right + 1;
        const words = (all: HTMLElement[]) => all.map(({ textContent }) => textContent);
        return {
          seen: words(places.filter(({ className }) => className !== "nav-start")),
          cut: words(places.filter((place) => place.getBoundingClientRect().right > end)),
        };
      });
      expect(cut).toEqual([]);
      if (await more.isVisible()) {
        await more.click();
        seen.push(...(await nav.getByRole("menuitem").allInnerTexts()));
        await page.keyboard.press("Escape");
      }
      expect(seen).toEqual(expected);
    });
  }
  await more.focus();
  await page.keyboard.press("Enter");
  for (let press = 0; press < 20; press++) {
    if ((await page.evaluate(() => document.activeElement?.textContent)) === "Incidents") break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/incidents$/);
  // The one at hand is named where it has no room.
  expect(await more.innerText()).toBe("Incidents");
  await more.click();
  expect(await nav.locator("[aria-current=page]:visible").allInnerTexts()).toEqual(["Incidents"]);
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("on a phone two traces are marked by a press each, and compared", async () => {
  const { page, context, complaints } = await viewer.open("/traces", { size: PHONE, isPhone: true });
  const marks = page.getByRole("button", { name: "Mark for comparing" });
  await marks.nth(1).tap();
  await marks.nth(0).tap();
  const bar = page.getByRole("region", { name: "Marked for comparing" });
  await bar.getByRole("listitem").nth(1).waitFor();
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  expect(await findings(page)).toEqual([]);
  await picture(page, "list-phone-marked");
  await bar.getByRole("button", { name: "Compare" }).tap();
  await page.waitForURL(/compare\?a=.*&b=/);
  await page.getByText("First divergence").waitFor();
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  await picture(page, "compare-phone");
  expect(complaints).toEqual([]);
  await context.close();
});

test("without a session the page says how to get one, and goes on where it was once there is one", async () => {
  const { page, context } = await viewer.open("/traces?status=failed", { isSignedIn: false });
  await page.getByRole("heading", { name: "Sign in to Tracedeck" }).waitFor();
  await page.locator("main", { hasText: "tracedeck signin" }).waitFor();
  await picture(page, "signin");
  const other = await viewer.open("/traces");
  await context.addCookies(await other.context.cookies());
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.waitForURL(/\/traces\?status=failed/);
  await page.locator(ROWS).first().waitFor();
  await other.context.close();
  await context.close();
});

test("known scenarios are offered: arrows choose, Enter takes the choice, and then uploads", async () => {
  await viewer.ingest("v8-failing", { scenario_slug: "guest-checkout" });
  const { page, context, complaints } = await viewer.open("/traces");
  await page.getByLabel("Trace archives or bundles").setInputFiles(recorded("v9-passing"));
  const field = page.getByRole("combobox", { name: /^Scenario of/ });
  await field.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("check");
  const offer = page.getByRole("option", { name: "guest-checkout" });
  await offer.waitFor();
  await picture(page, "upload-offers");
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await offer.waitFor({ state: "detached" });
  await eventually(async () => expect(await page.getByRole("dialog").count()).toBe(1));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.locator("[role=option][aria-selected=true]", { hasText: "guest-checkout" }).waitFor();
  await page.keyboard.press("Enter");
  await eventually(async () => expect(await field.inputValue()).toBe("guest-checkout"));
  await page.keyboard.press("Enter");
  await page.getByRole("progressbar", { name: "Reading the trace" }).waitFor();
  await viewer.app.runJobs();
  await page.waitForURL(/\/traces\/[0-9a-f-]{36}/);
  await eventually(async () => expect(await page.title()).toContain("Tracedeck"));
  expect(complaints).toEqual([]);
  await context.close();
});
