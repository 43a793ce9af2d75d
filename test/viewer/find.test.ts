import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { excerptOf, excerptOfEvent } from "../../viewer/trace/find/excerpt.ts";
import { groupsOf } from "../../viewer/trace/find/groups.ts";
import { createMatcher } from "../../viewer/trace/find/matcher.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { events } from "../helpers/bundles.ts";
import { uploadTrace } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let failing: { id: string; shortId: string };
let long: { id: string };

beforeAll(async () => {
  viewer = await viewerApp();
  failing = await viewer.ingest("v10-runner-failing");
  const lines = Array.from({ length: 3000 }, (_, index) => {
    const at = { seq: index + 1, ts: 1_767_323_045_000 + index * 10, step_id: `s${index % 50}` };
    if (index % 60 === 0)
      return {
        ...at,
        step_id: `a${index}`,
        kind: "agent.action",
        name: "click",
        title: `Needle ${index}`,
        duration_ms: 5,
      };
    if (index === 2999) return { ...at, kind: "agent.thought", text: "a NEEDLE in capitals" };
    return { ...at, kind: "console.log", text: `line ${index} needle` };
  });
  long = await uploadTrace(viewer.app, {
    entries: [events(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`)],
  });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const fieldOf = (page: Page) => page.getByRole("combobox", { name: "Find in this trace" });
const hitsOf = (page: Page) => page.getByRole("listbox", { name: "Hits" }).getByRole("option");
const countOf = (page: Page, text: string) =>
  page
    .getByRole("region", { name: "Find in this trace" })
    .getByRole("status")
    .getByText(text, { exact: true });
const chosenOf = (page: Page) =>
  page.getByRole("listbox", { name: "Hits" }).getByRole("option", { selected: true });

/** Pixels of the timeline in the colour of hits. */
function ticks(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>("canvas.hits");
    const copy = document.createElement("canvas");
    const context = copy.getContext("2d", { willReadFrequently: true });
    if (!canvas || !context) return 0;
    Object.assign(copy, { width: canvas.width, height: canvas.height });
    context.drawImage(canvas, 0, 0);
    const sign = getComputedStyle(document.documentElement).getPropertyValue("--hit").trim();
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(sign.slice(at, at + 2), 16));
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++;
    return count;
  });
}

test("a slash opens the search; hits come by kind, on the timeline and in the step list", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await eventually(async () => expect(await ticks(page)).toBe(0));
  await page.keyboard.press("/");
  await fieldOf(page).and(page.locator(":focus")).waitFor();
  await page.keyboard.type("CHECKOUT");
  await page.getByText("Nothing here has “CHECKOUT”.").waitFor();
  await fieldOf(page).fill("checkout");
  await hitsOf(page).first().waitFor();
  await countOf(page, "26 hits").waitFor();
  await eventually(async () => {
    const list = await page.getByRole("listbox", { name: "Hits" }).innerText();
    for (const group of ["Steps", "Assertions", "Network", "Console"]) expect(list).toContain(group);
    expect(await ticks(page)).toBeGreaterThan(0);
  });
  const step = page.getByRole("treeitem").filter({ hasText: "Navigate /checkout" });
  await eventually(async () => expect(await step.getByRole("img", { name: /^\d+ hits$/ }).count()).toBe(1));
  await page.waitForURL(/find=checkout/);
  await picture(page, "find-light");
  expect(complaints).toEqual([]);
  await context.close();
});

test("hits come and go on the timeline without its lanes being drawn again", async () => {
  const { page, context } = await viewer.open(`/traces/${failing.id}`);
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await page.locator("#app:not([inert])").waitFor();
  // Lanes are drawn again once each list of events is there.
  await page.waitForLoadState("networkidle");
  await page.keyboard.press("/");
  await fieldOf(page).and(page.locator(":focus")).waitFor();
  // Whoever draws a canvas again clears it first.
  await page.evaluate(() => {
    const context = document.querySelector<HTMLCanvasElement>("canvas.lanes")?.getContext("2d");
    if (!context) throw new Error("There are no lanes.");
    context.fillStyle = "#010203";
    context.fillRect(0, 0, 4, 4);
  });
  await fieldOf(page).fill("checkout");
  await countOf(page, "26 hits").waitFor();
  await eventually(async () => expect(await ticks(page)).toBeGreaterThan(0));
  await fieldOf(page).fill("");
  await eventually(async () => expect(await ticks(page)).toBe(0));
  const corner = await page.evaluate(() => {
    const context = document.querySelector<HTMLCanvasElement>("canvas.lanes")?.getContext("2d");
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])];
  });
  expect(corner).toEqual([1, 2, 3, 255]);
  await context.close();
});

test("what is typed before the search's script is there is typed into it, and Escape takes the wish back", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`);
  await page.locator("#app:not([inert])").waitFor();
  const selected = page.getByRole("treeitem", { selected: true });
  const before = await selected.innerText();
  const field = fieldOf(page);
  const held = Promise.withResolvers<void>();
  await page.route(/\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.press("/");
  await page.keyboard.type("kc");
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.type("checkx");
  await page.keyboard.press("Backspace");
  held.resolve();
  await field.waitFor();
  await page.keyboard.type("out");
  await countOf(page, "26 hits").waitFor();
  expect(await field.inputValue()).toBe("checkout");
  expect(await selected.innerText()).toStartWith(before.split("\n")[0]!);
  expect(complaints).toEqual([]);
  await context.close();
});

test("Enter and the arrows go through the hits: step, panel, row and playhead follow; Escape ends it", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}?find=checkout`);
  await countOf(page, "26 hits").waitFor();
  await fieldOf(page).focus();
  await page.keyboard.press("Enter");
  await countOf(page, "1 of 26").waitFor();
  await eventually(async () =>
    expect(await page.getByRole("treeitem", { selected: true }).innerText()).toContain("Navigate /checkout"),
  );
  await page.getByLabel("Kind of hit").selectOption("network");
  await countOf(page, "3 hits").waitFor();
  await fieldOf(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await countOf(page, "3 of 3").waitFor();
  await eventually(async () => expect(await chosenOf(page).innerText()).toContain("POST /api/checkout"));
  await eventually(async () =>
    expect(await fieldOf(page).getAttribute("aria-activedescendant")).toBe(
      await chosenOf(page).getAttribute("id"),
    ),
  );
  await eventually(async () =>
    expect(await page.getByRole("tab", { selected: true }).innerText()).toStartWith("Network"),
  );
  await page.getByText("POST 500 http://localhost").waitFor();
  await eventually(async () => {
    const at = await page.getByRole("slider", { name: /^Position/ }).getAttribute("aria-valuenow");
    expect(Number(at)).toBeGreaterThan(3000);
  });
  await page.keyboard.press("ArrowUp");
  await countOf(page, "2 of 3").waitFor();
  await page.getByLabel("Kind of hit").blur();
  await page.getByRole("tree").focus();
  await page.keyboard.press("n");
  await countOf(page, "3 of 3").waitFor();
  await page.keyboard.press("N");
  await countOf(page, "2 of 3").waitFor();
  await picture(page, "find-network");
  await page.keyboard.press("Control+f");
  await eventually(async () =>
    expect(await fieldOf(page).evaluate((field) => field === document.activeElement)).toBe(true),
  );
  await page.keyboard.press("Escape");
  await fieldOf(page).waitFor({ state: "detached" });
  await page.waitForURL((url) => !url.searchParams.has("find"));
  await eventually(async () => expect(await ticks(page)).toBe(0));
  expect(complaints).toEqual([]);
  await context.close();
});

test("a text in a stored body is found, and opening it shows the body with the text in sight", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}?find=checkout`);
  await countOf(page, "26 hits").waitFor();
  await page.getByLabel("Kind of hit").selectOption("bodies");
  await countOf(page, "3 hits").waitFor();
  const hit = hitsOf(page).filter({ hasText: "body · 4" });
  await hit.click();
  await page.getByRole("button", { name: "Response", exact: true, pressed: true }).waitFor();
  const marked = page.locator(".text-view mark");
  await marked.waitFor();
  await eventually(async () => expect((await marked.innerText()).toLowerCase()).toBe("checkout"));
  await eventually(async () => expect(await marked.isVisible()).toBe(true));
  await picture(page, "find-body");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a text of a recorded page is found where it came, and leads to that page at that moment", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}?find=could+not+place+your`);
  const hit = hitsOf(page).filter({ hasText: "Recorded pages" });
  await hit.filter({ hasText: "could not place your order" }).waitFor();
  await picture(page, "find-pages");
  await hit.click();
  await page.waitForURL(/view=page/);
  const moment = page.getByRole("button", { name: "After", exact: true });
  await moment.and(page.locator("[aria-pressed=true]")).waitFor();
  const frames = page.frameLocator("iframe[title^='The page']");
  await frames.getByText("could not place your order").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a hit opens in the panel of its kind: expectation, source, attachment", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}?find=heading`);
  const tab = page.getByRole("tab", { selected: true });
  await hitsOf(page).first().waitFor();
  await page.getByLabel("Kind of hit").selectOption("assertions");
  await eventually(async () => {
    const groups = await page.getByRole("listbox", { name: "Hits" }).innerText();
    expect(groups).toContain("Assertions");
    expect(groups).not.toContain("Steps");
  });
  await hitsOf(page).first().click();
  await tab.filter({ hasText: "Expects" }).waitFor();
  await page.getByRole("button", { name: "Go to its step" }).waitFor();

  await page.getByLabel("Kind of hit").selectOption("bodies");
  await hitsOf(page).filter({ hasText: "stack" }).first().click();
  await tab.filter({ hasText: /Error|Call/ }).waitFor();
  const marked = page.locator(".text-view mark");
  await eventually(async () => expect(await marked.innerText()).toBe("heading"));
  await page.getByRole("button", { name: "Whole file", pressed: true }).waitFor();

  await fieldOf(page).fill("kettle");
  const attached = hitsOf(page).filter({ hasText: "attachments" }).first();
  await attached.click();
  await tab.filter({ hasText: "Files" }).waitFor();
  await eventually(async () => expect((await marked.innerText()).toLowerCase()).toBe("kettle"));
  await picture(page, "find-attachment");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("the first hits of every kind are there before the others are read", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${long.id}`);
  const held = Promise.withResolvers<void>();
  const firsts: URLSearchParams[] = [];
  await page.route(/\/events\?.*\bq=/, async (route) => {
    const asked = new URL(route.request().url()).searchParams;
    if (asked.get("from_seq") === "0") firsts.push(asked);
    else await held.promise;
    await route.continue();
  });
  await page.keyboard.press("/");
  await fieldOf(page).fill("needle");
  await hitsOf(page).first().waitFor();
  await countOf(page, "3,000 hits…").waitFor();
  expect(new Set(firsts.map((asked) => asked.get("kind"))).size).toBe(firsts.length);
  // About as many as a screen has: a page that reads hundreds draws them late.
  expect(firsts.map((asked) => asked.get("limit"))).toEqual(firsts.map(() => "25"));
  held.resolve();
  await countOf(page, "3,000 hits").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("thousands of hits are counted, listed in part and drawn only where they are seen; a capital makes it exact", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${long.id}?find=needle`);
  await countOf(page, "3,000 hits").waitFor();
  await eventually(async () => expect(await hitsOf(page).count()).toBeLessThan(40));
  await page.getByLabel("Kind of hit").selectOption("console");
  await countOf(page, "2,949 hits").waitFor();
  await page.getByRole("button", { name: "Previous hit" }).click();
  await countOf(page, "1,000 of 2,949").waitFor();
  await page.getByText("1,000 of 2,949 are listed.").click();
  await page.getByRole("button", { name: "Next hit" }).click();
  await countOf(page, "1,001 of 2,949").waitFor();
  await eventually(async () => expect(await chosenOf(page).innerText()).toContain("needle"));
  await fieldOf(page).fill("Needle");
  await page.getByLabel("Kind of hit").selectOption("");
  await countOf(page, "50 hits").waitFor();
  await fieldOf(page).fill("NEEDLE");
  await countOf(page, "1 hit").waitFor();
  await page.keyboard.press("Enter");
  await eventually(async () =>
    expect(await page.getByRole("tab", { selected: true }).innerText()).toStartWith("Thoughts"),
  );
  await page.locator(".said.is-now").filter({ hasText: "a NEEDLE in capitals" }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("the hit after the last one that is listed is gone to once it is read, however often it is asked for", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${long.id}?find=needle`);
  await countOf(page, "3,000 hits").waitFor();
  await page.getByLabel("Kind of hit").selectOption("console");
  await page.getByRole("button", { name: "Previous hit" }).click();
  await countOf(page, "1,000 of 2,949").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(/\/events\?.*\bq=/, async (route) => {
    await held.promise;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/events\?.*\bq=/);
  await page.getByRole("button", { name: "Next hit" }).click();
  await asked;
  // What is read is not there yet, and asking again is no way to the first one.
  await page.getByText("1,000 of 2,949 are listed.").click();
  await page.getByRole("button", { name: "Next hit" }).click();
  await countOf(page, "1,000 of 2,949…").waitFor();
  held.resolve();
  await countOf(page, "1,001 of 2,949").waitFor();
  await page.getByRole("button", { name: "Previous hit" }).click();
  await countOf(page, "1,000 of 2,949").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("what is typed on gives up the request before it", async () => {
  const { page, context } = await viewer.open(`/traces/${long.id}`);
  await page.getByRole("treeitem").first().waitFor();
  const given: string[] = [];
  page.on("requestfailed", (request) => given.push(new URL(request.url()).searchParams.get("q") ?? ""));
  // The first answer never comes.
  await page.route(/q=nee&/, () => {});
  await page.keyboard.press("Control+f");
  await fieldOf(page).and(page.locator(":focus")).waitFor();
  const asked = page.waitForRequest(/q=nee&/);
  await page.keyboard.type("nee");
  await asked;
  await page.keyboard.type("dle");
  await countOf(page, "3,000 hits").waitFor();
  await eventually(() => expect(given).toContain("nee"));
  await context.close();
});

test("the search works behind a public link, and reads nothing else", async () => {
  const shared = await viewer.app.api(`/v1/traces/${failing.id}/share`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ visibility: "public-read", expires_days: 7 }),
  });
  expect(shared.status).toBe(200);
  const { page, context, complaints } = await viewer.open(`/r/${failing.shortId}?find=ledger`, {
    isSignedIn: false,
  });
  await hitsOf(page).first().waitFor();
  await fieldOf(page).focus();
  await page.keyboard.press("Enter");
  await chosenOf(page).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing in the search, ${theme}`, async () => {
    const { page, context } = await viewer.open(`/traces/${failing.id}?find=checkout`, { theme });
    await countOf(page, "26 hits").waitFor();
    expect(await findings(page)).toEqual([]);
    await fieldOf(page).focus();
    await page.keyboard.press("Enter");
    await chosenOf(page).waitFor();
    expect(await findings(page)).toEqual([]);
    await picture(page, `find-${theme}`);
    await fieldOf(page).fill("");
    await page.getByText("A capital letter makes it exact.").waitFor();
    expect(await findings(page)).toEqual([]);
    await context.close();
  });
}

test("on a phone the hits give way to what was chosen, and come back", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}`, {
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  await page.getByRole("button", { name: "Find in this trace" }).tap();
  await fieldOf(page).fill("checkout");
  await hitsOf(page).first().waitFor();
  await picture(page, "find-phone");
  expect(await findings(page)).toEqual([]);
  await hitsOf(page).filter({ hasText: "POST /api/checkout" }).tap();
  await page.getByText("POST 500 http://localhost").waitFor();
  await eventually(async () => expect(await page.getByRole("listbox", { name: "Hits" }).count()).toBe(0));
  await picture(page, "find-phone-chosen");
  await page.getByRole("button", { name: "Next hit" }).tap();
  await countOf(page, "6 of 26").waitFor();
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  await fieldOf(page).tap();
  await hitsOf(page).first().waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("an excerpt shows the match in its place, on one line, without what would hide it", () => {
  const text = `${"x".repeat(40)} before\n\u001b[31mRed\u001b[0m \u202eafter`;
  expect(excerptOf(text, createMatcher("red"))).toEqual({
    field: "",
    before: "…x before ",
    match: "Red",
    after: " ⟦202E⟧after",
  });
  expect(excerptOf("a.b", createMatcher("a?b"))).toBeNull();
  expect(excerptOf("[a] (b) \\ $", createMatcher("(b) \\ $"))?.match).toBe("(b) \\ $");
  const event = { seq: 7, ts: 5, kind: "x", step_id: "deep", body: { list: [{ value: "so deep" }] } };
  expect(excerptOfEvent(event, createMatcher("deep"))).toMatchObject({ field: "body", match: "deep" });
  expect(excerptOfEvent({ ...event, body: 500 }, createMatcher("500"))).toMatchObject({ field: "body" });
});

test("kinds that have no group of their own are asked for by name, within bounds", () => {
  const strange = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`kind.${at}`, 1]));
  const groups = groupsOf({ "console.log": 2, "network.request": 0, "a,b": 1, "c*": 1, ...strange });
  expect(groups.map((group) => group.id)).toEqual(["console", "other"]);
  expect(groups[1]?.kinds.length).toBeLessThan(1000);
  expect(groups[1]?.kinds).not.toMatch(/a,b|\*/);
});
