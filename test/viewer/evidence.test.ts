import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { story } from "../../fixtures/bundles/checkout-every-kind/source.ts";
import { bundleOf } from "../../fixtures/bundles/story.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { uploadForm } from "../helpers/bundles.ts";
import { post } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let pictured: { id: string; shortId: string };
let native: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  pictured = await viewer.ingest("v10-runner-picture");
  const form = uploadForm(await bundleOf(await story()), { scenario_slug: "guest-checkout" });
  const answer = await viewer.app.api("/v1/traces/ingest", { method: "POST", body: form });
  const { trace_id, short_id } = (await answer.json()) as { trace_id: string; short_id: string };
  await viewer.app.runJobs();
  native = { id: trace_id, shortId: short_id };
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

const sizeOf = (page: Page, name: string): Promise<number> =>
  page.getByRole("img", { name }).evaluate(async (image: HTMLImageElement) => {
    await image.decode();
    return image.naturalWidth;
  });

test("a screenshot that differed is shown at the error: difference, both, side by side, and a slider that keys move", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${pictured.id}`);
  const panel = page.getByRole("tabpanel", { name: /^Error/ });
  const views = panel.getByRole("group", { name: "View of the pictures" });
  await views.waitFor();
  await eventually(async () => expect(await sizeOf(page, "The difference")).toBe(800));
  await views.getByRole("button", { name: "Side by side" }).click();
  await eventually(async () =>
    expect([await sizeOf(page, "Expected"), await sizeOf(page, "Actual")]).toEqual([800, 800]),
  );
  await views.getByRole("button", { name: "Slider" }).click();
  const slider = panel.getByRole("slider", { name: "Expected up to the line, Actual after it" });
  await slider.focus();
  const step = await page.getByRole("treeitem", { selected: true }).innerText();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("End");
  await eventually(async () => expect(await slider.inputValue()).toBe("100"));
  await eventually(async () =>
    expect(await page.getByRole("treeitem", { selected: true }).innerText()).toBe(step),
  );
  await views.getByRole("button", { name: "Actual" }).click();
  await picture(page, "panel-image-diff");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("the source of a call is shown at its line, the whole file on demand", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${pictured.id}`);
  const panel = page.getByRole("tabpanel", { name: /^Error/ });
  const meant = panel.locator(".excerpt [aria-current]");
  await meant.waitFor();
  await eventually(async () =>
    expect(await meant.innerText()).toContain('toHaveScreenshot("warehouse.png")'),
  );
  await panel.getByRole("button", { name: "Whole file" }).click();
  const whole = panel.getByRole("list", { name: "Source" });
  await whole.locator(".is-meant", { hasText: "toHaveScreenshot" }).waitFor();
  await picture(page, "panel-source");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("expectations are listed with how they ended, and open with what was expected and what came", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${native.id}?tab=expects`);
  const list = page.getByRole("list", { name: "Expectations" });
  await list.getByRole("listitem").nth(1).waitFor();
  await eventually(async () => expect(await page.getByText("1 of 2 failed").count()).toBe(1));
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await list.getByRole("listitem").nth(1).waitFor({ state: "detached" });
  await list.getByRole("button").click();
  const detail = page.getByRole("group", { name: "Expectation" });
  await detail.waitFor();
  await eventually(async () =>
    expect(await detail.locator(".expected").innerText()).toMatch(/Order confirmed[\s\S]*Checkout/),
  );
  await page.waitForURL(/event=\d+/);
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await detail.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await context.close();
});

test("the world stands as it was at the shown moment; a change opens as a difference, a fault with its requests", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${native.id}?tab=world&step=step-2`);
  const now = page.getByRole("group", { name: "The world at this moment" });
  await now.getByText("Nothing had changed yet.").waitFor();
  await page.getByRole("treeitem").last().click();
  await now.getByRole("row", { name: /payments charges\/ch_1/ }).waitFor();
  await eventually(async () =>
    expect(await now.getByRole("row", { name: /^Clock/ }).innerText()).toContain("+ 1 h 00 m"),
  );
  // A value has more room than its name.
  const widths = () =>
    now
      .getByRole("row", { name: /payments charges/ })
      .locator("th, td")
      .evaluateAll((cells) => cells.map((cell) => cell.clientWidth));
  await eventually(async () => {
    const [name = 0, value = 0, since = 0] = await widths();
    expect(value).toBeGreaterThan(name);
    expect(name).toBeGreaterThan(since);
  });
  const changes = page.getByRole("list", { name: "Changes" });
  await changes.getByRole("button", { name: /payments/ }).click();
  await page.locator(".line-diff .is-added", { hasText: '"amount": 6400' }).waitFor();
  await picture(page, "panel-world");
  expect(await findings(page)).toEqual([]);
  await changes.getByRole("button", { name: /recommendations/ }).click();
  await page.getByRole("button", { name: /503\s*GET .*\/api\/recommendations/ }).click();
  await eventually(async () =>
    expect(await page.getByRole("tab", { selected: true }).innerText()).toStartWith("Network"),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("where nobody thought, the panel says what would stand there and how it comes", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${pictured.id}?tab=thoughts`);
  const panel = page.getByRole("tabpanel", { name: /^Thoughts/ });
  await panel.getByText("No thoughts were recorded.").waitFor();
  await panel.getByText("agent.thought").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("thoughts stand between what was done, and the place in them follows the steps", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${native.id}?tab=thoughts&step=step-2`);
  const transcript = page.getByRole("list", { name: "Thoughts and actions" });
  const current = transcript.locator("[aria-current]");
  await current.filter({ hasText: "add-kettle" }).waitFor();
  await page.keyboard.press("k");
  await current.filter({ hasText: "Go to /" }).waitFor();
  await eventually(async () => expect(await transcript.innerText()).toContain("I take that."));
  expect(await findings(page)).toEqual([]);
  await page.getByRole("searchbox", { name: "Filter thoughts" }).fill("guest paid");
  await page.getByText("1 thought", { exact: true }).waitFor();
  await transcript.getByRole("button", { name: /guest paid/ }).click();
  await page.waitForURL(/t=1720/);
  expect(complaints).toEqual([]);
  await context.close();
});

test("cookies and storage are those of the shown moment, and what was not recorded is said", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${native.id}?tab=storage&step=step-2`);
  const panel = page.getByRole("group", { name: "Storage", exact: true });
  await panel.getByRole("row", { name: /^shop_visitor v1 .*shop\.test/ }).waitFor();
  await panel.getByText("Nothing was recorded up to this moment.").waitFor();
  await page.getByRole("treeitem").last().click();
  await panel.getByRole("row", { name: /^basket .*kettle.* http:\/\/shop\.test/ }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.goto(`${viewer.base}/traces/${pictured.id}?tab=storage`);
  await panel.getByText("This recording holds no local storage.").waitFor();
  await eventually(async () =>
    expect(await panel.getByRole("row", { name: /^shop_visitor/ }).count()).toBe(1),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("only panels that the trace has something for are offered, what does not fit is in a menu, and keys follow the order", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${pictured.id}`);
  await page.getByRole("tab", { name: /^Expects/ }).waitFor();
  await eventually(async () => {
    const names = await page.locator("[role=tab]").allTextContents();
    const named = names.map((name) => name.replace(/[\d,].*$/, ""));
    expect(named.slice(0, 5)).toEqual(["Error", "Network", "Console", "Call", "Expects"]);
    expect(named).not.toContain("Thoughts");
    expect(named).not.toContain("World");
  });
  await page.getByRole("button", { name: "More panels" }).click();
  await page.getByRole("menuitem", { name: "Info" }).click();
  await page.getByRole("tab", { name: "Info", selected: true }).waitFor();
  await page.keyboard.press("5");
  await page.getByRole("tab", { name: /^Expects/, selected: true }).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a shared page and a phone have the same panels", async () => {
  await post(viewer.app, `/v1/traces/${native.id}/share`, { visibility: "public-read", expires_days: 1 });
  const { page, context, complaints } = await viewer.open(`/r/${native.shortId}?tab=world`, {
    isSignedIn: false,
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  await page.getByRole("button", { name: "World" }).click();
  await page.getByRole("list", { name: "Changes" }).waitFor();
  await page.getByRole("button", { name: /^Thoughts/ }).click();
  await page.getByRole("list", { name: "Thoughts and actions" }).waitFor();
  await page.getByRole("button", { name: /^Expects/ }).click();
  await page.getByRole("list", { name: "Expectations" }).waitFor();
  await picture(page, "panels-phone");
  await eventually(async () => expect(await overflow(page)).toBe(0));
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
