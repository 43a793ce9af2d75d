import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Frame, Page } from "playwright-core";
import { findings } from "../../helpers/axe.ts";
import { closeBrowser, PHONE } from "../../helpers/browser.ts";
import { post } from "../../helpers/traces.ts";
import { eventually, until } from "../../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let renamed: { id: string; shortId: string };
let failing: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  renamed = await viewer.ingest("v10-runner-renamed");
  failing = await viewer.ingest("v10-failing");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const FIELD = "Locator, CSS selector or XPath to try on the page";
const SHOWN = "iframe.page-frame:not(.is-waiting)";

/** The document of the page on the stage, with the inspector in it. */
async function inspected(page: Page): Promise<Frame> {
  const handle = await page.waitForSelector(`${SHOWN}[sandbox="allow-scripts"]`);
  return (await handle.contentFrame())!;
}

/** What was drawn has its keys, too. */
const settled = (page: Page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );

/** Where on the screen the middle of an element of the page is. */
async function spotOf(page: Page, selector: string): Promise<[number, number]> {
  const frame = page.locator(SHOWN);
  const inner = (await inspected(page)).locator(selector).first();
  const middle = await inner.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  });
  return frame.evaluate((element, { x, y }): [number, number] => {
    const box = element.getBoundingClientRect();
    const scale = box.width / (element as HTMLElement).offsetWidth;
    return [box.x + x * scale, box.y + y * scale];
  }, middle);
}

/** Points until the pick says what it is at: the page may still be getting ready. */
async function point(page: Page, selector: string, told: RegExp): Promise<[number, number]> {
  const bar = page.getByRole("group", { name: "Picking an element" });
  await bar.getByText(/Point at an element|“/).waitFor();
  const spot = await spotOf(page, selector);
  await until("the pick is at what is pointed at", async () => {
    await page.mouse.move(spot[0] - 1, spot[1]);
    await page.mouse.move(...spot);
    return bar.getByText(told).isVisible();
  });
  return spot;
}

test("a failed step's locator is tried at once: nothing matches, and what it was renamed to stands first", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renamed.id}`);
  await page.getByRole("tree").first().waitFor();
  await settled(page);
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await page.getByText("0 matches").waitFor();
  await eventually(async () =>
    expect(await page.getByLabel(FIELD).inputValue()).toBe("getByTestId('add-kettle')"),
  );
  const near = page.getByRole("region", { name: "What comes closest" }).getByRole("listitem");
  await eventually(async () =>
    expect(await near.first().textContent()).toContain("getByTestId('basket-add-kettle')"),
  );
  await eventually(() => expect(new URL(page.url()).searchParams.get("tab")).toBe("inspect"));
  await picture(page, "inspect-renamed");
  expect(await findings(page)).toEqual([]);
  await near.first().getByRole("button").first().click();
  await page.getByText("1 match", { exact: true }).first().waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("an element is picked by pointer, and its locators stand in order with how many each finds", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renamed.id}`);
  await page.getByRole("button", { name: "Pick" }).click();
  const spot = await point(page, "[data-testid=basket-add-kettle]", /button.*“Put in basket”/);
  await picture(page, "inspect-pick");
  await page.mouse.click(...spot);
  const lines = page.getByRole("region", { name: "Panels" }).locator(".suggestions > li");
  await lines.first().waitFor();
  await eventually(async () =>
    expect(await lines.allTextContents()).toEqual([
      `getByTestId('basket-add-kettle')1 matchtestid "basket-add-kettle"`,
      `locator('button[data-testid="basket-add-kettle"]')1 matchcss "button[data-testid=\\"basket-add-kettle\\"]"`,
      `getByRole('button', { name: 'Put in basket' })6 matchesbutton "Put in basket"`,
      `getByText('Put in basket')6 matchestext "Put in basket"`,
      expect.stringMatching(/^locator\('xpath=\/.*button.*'\)1 match$/),
    ]),
  );
  await eventually(async () =>
    expect(await page.getByRole("group", { name: "Picking an element" }).count()).toBe(0),
  );
  // The viewer's keys are heard again, although the press was within the page.
  await page.locator(".inspect:focus").waitFor();
  await picture(page, "inspect-element");
  expect(await findings(page)).toEqual([]);
  // Another attribute for test ids: what it found is gone.
  await page.getByLabel("Attribute that holds test ids").fill("data-id");
  await page.keyboard.press("Tab");
  await lines.getByText("getByTestId('kettle')").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("by keyboard the pick moves around, within and beside, chooses, and leaves", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renamed.id}`);
  await page.getByRole("button", { name: "Pick" }).waitFor();
  await settled(page);
  await page.keyboard.press("p");
  const bar = page.getByRole("group", { name: "Picking an element" });
  await bar.getByText("Point at an element").waitFor();
  for (const [key, told] of [
    ["ArrowDown", /^body/],
    ["ArrowDown", /^header/],
    ["ArrowRight", /^main/],
    ["ArrowLeft", /^header/],
    ["ArrowUp", /^body/],
    ["ArrowDown", /^header/],
  ] as const) {
    await page.keyboard.press(key);
    await bar.getByRole("status").filter({ hasText: told }).waitFor();
  }
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Elements around it" }).getByText("header").waitFor();
  await page.keyboard.press("p");
  await page.locator(".pick-bar:focus").waitFor();
  await settled(page);
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await context.close();
});

test("what is typed is tried as it stands, and a mistake is shown where it is", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${renamed.id}?tab=inspect`);
  await page.getByText("0 matches").waitFor();
  const field = page.getByLabel(FIELD);
  await field.fill("getByRole('button', { nme: 'Pay' })");
  await page.getByRole("alert").getByText("no option nme").waitFor();
  await eventually(async () =>
    expect(await page.getByRole("alert").textContent()).toContain("(character 28)"),
  );
  await field.fill("a[");
  await page.getByRole("alert").getByText("does not know this selector").waitFor();
  await field.fill('button "Put in"');
  await page.getByText("6 matches").waitFor();
  await field.fill("locator('article').filter({ hasText: 'grinder' }).getByRole('button')");
  await page.getByText("1 match", { exact: true }).first().waitFor();
  const steps = page.getByRole("list", { name: "What each call left" }).getByRole("listitem");
  await eventually(async () =>
    expect(await steps.allTextContents()).toEqual([
      "locator('article') 6",
      "filter({ hasText: 'grinder' }) 1",
      "getByRole('button') 1",
    ]),
  );
  await page.getByRole("button", { name: "Back to the step's own locator" }).click();
  await page.getByText("0 matches").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

const LOCATORS = [
  "getByRole('button')",
  "getByRole('link', { name: 'cart' })",
  "getByRole('heading', { level: 2 })",
  "getByRole('heading', { name: 'Gooseneck kettle', exact: true })",
  "getByRole('heading', { name: 'gooseneck kettle', exact: true })",
  "getByRole('article')",
  "getByRole('img')",
  "getByRole('banner')",
  "getByRole('paragraph')",
  "getByText('kettle')",
  "getByText('Everything for the pour', { exact: true })",
  "getByText(/€\\d+/)",
  "getByTestId(/^basket-/)",
  "locator('article').nth(2).getByRole('button')",
  "locator('article').filter({ has: page.getByText('€64.00') })",
  "locator('article').filter({ hasNotText: 'kettle' }).last()",
  "locator('main').locator('> *')",
  "getByRole('button').and(page.getByTestId('basket-add-scale'))",
  "getByRole('button').or(page.getByRole('heading'))",
  "getByRole('button').filter({ visible: true })",
  "locator('//article//button')",
  "locator('xpath=/html/body/main')",
  "locator('article').locator('..')",
  "locator('article').locator('//button')",
  "locator('(//article)[2]').getByRole('heading')",
];

test("locators find as many elements as Playwright's own do", async () => {
  const { page, context } = await viewer.open(`/traces/${renamed.id}?tab=inspect`);
  await page.getByText("0 matches").waitFor();
  const frame = await inspected(page);
  const count = page.locator(".try-count");
  for (const code of LOCATORS) {
    const wanted: number = await new Function("page", `return page.${code}`)(frame).count();
    await page.getByLabel(FIELD).fill(code);
    const words = wanted === 1 ? "1 match" : `${wanted} matches`;
    await count
      .filter({ hasText: new RegExp(`^\\s*${words}$`) })
      .waitFor()
      .catch(async () => {
        throw new Error(`${code} finds ${wanted} in Playwright, here ${await count.textContent()}`);
      });
  }
  await context.close();
});

test("the accessibility tree is walked by keyboard, folded, filtered, and leads to an element", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}?tab=inspect`);
  await page.getByRole("treeitem", { name: /Click.*Pay now/ }).click();
  // Until the page of that step is there the one before it is inspected.
  await page.locator(`${SHOWN}[title="The page, action"][sandbox="allow-scripts"]`).waitFor();
  await page.getByRole("button", { name: "Accessibility tree" }).click();
  const tree = page.getByRole("tree", { name: "Accessibility tree" });
  const lines = tree.getByRole("treeitem");
  await lines.filter({ hasText: "Pay now" }).waitFor();
  const all = await lines.allTextContents();
  expect(all).toContain("button“Pay now”");
  expect(all).toContain("textbox“Email”ada@example.com");
  await picture(page, "inspect-tree");
  expect(await findings(page)).toEqual([]);
  await tree.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((count) => document.querySelectorAll(".tree-line").length < count, all.length);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((count) => document.querySelectorAll(".tree-line").length === count, all.length);
  await page.getByLabel("Filter the tree").fill("email");
  await page.waitForFunction(() => document.querySelectorAll(".tree-line").length < 6);
  await tree.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.getByText("getByRole('textbox', { name: 'Email' })").waitFor();
  await eventually(async () => expect(await page.getByText('field "Email"').count()).toBe(2));
  expect(complaints).toEqual([]);
  await context.close();
});

test("a shared trace is inspected without signing in, on a narrow dark screen too", async () => {
  await post(viewer.app, `/v1/traces/${renamed.id}/share`, { visibility: "public-read", expires_days: 1 });
  const { page, context, complaints } = await viewer.open(`/r/${renamed.shortId}`, {
    isSignedIn: false,
    size: PHONE,
    theme: "dark",
  });
  await page.getByRole("button", { name: "Pick" }).click();
  await point(page, "h1", /Everything for the pour/);
  await picture(page, "inspect-narrow-pick");
  await page.keyboard.press("Enter");
  await page.getByText("getByRole('heading', { name: 'Everything for the pour' })").waitFor();
  await page.getByText("0 matches").waitFor();
  await picture(page, "inspect-narrow");
  // An address with the panel in it opens it, with the page of the step laid out for it.
  await page.reload();
  await page.getByText("0 matches").waitFor();
  await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
