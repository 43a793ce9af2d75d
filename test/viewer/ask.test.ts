import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { answer, called, createModelServer, said } from "../helpers/model.ts";
import { post } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let id: string;
let shortId: string;
beforeAll(async () => {
  viewer = await viewerApp();
  await viewer.ingest("v10-passing", { scenario_slug: "failing" }).catch(() => null);
  viewer.app.clock.advance(60_000);
  ({ id, shortId } = await viewer.ingest("v10-failing"));
});
afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("a question is asked beside the trace, its answer leads to steps and events, and what it looked at can be opened", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await page.waitForLoadState("networkidle");
  const scripts: string[] = [];
  page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
  expect(await page.getByRole("complementary", { name: "Ask about this trace" }).count()).toBe(0);
  await page.keyboard.press("a");
  const column = page.getByRole("complementary", { name: "Ask about this trace" });
  await column.getByText("rules over this recording").waitFor();
  expect(scripts.length).toBeGreaterThan(0);
  await picture(page, "ask-begun");
  await column.getByRole("button", { name: "Why did it fail?" }).focus();
  await page.keyboard.press("Enter");
  await column.getByText("How sure").waitFor();
  // The suggestions are gone, and the next question can be typed at once.
  const field = page.getByRole("textbox", { name: "Your question" });
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await column.getByText("Rules, no model · free").nth(1).waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "ask-answered");
  await page.getByRole("textbox", { name: "Your question" }).fill("What were the steps?");
  await page.keyboard.press("Enter");
  await column.getByText("The slowest").waitFor();
  // It is read from its beginning.
  const question = column.getByText("What were the steps?", { exact: true });
  await eventually(async () => {
    const [top, log] = [await question.boundingBox(), await column.getByRole("log").boundingBox()];
    expect(top!.y).toBeGreaterThanOrEqual(log!.y);
  });
  await column.getByRole("link", { name: "step 2", exact: true }).first().click();
  await eventually(() => expect(new URL(page.url()).searchParams.get("step")).not.toBeNull());
  // The answer that is being written gives way to the kept one, and what was unfolded in it with it.
  await column.getByText("Rules, no model · free").nth(2).waitFor();
  await column
    .getByText(/^Looked 1 time/)
    .last()
    .click();
  await column.getByText("list_steps").waitFor();
  await page.getByRole("textbox", { name: "Your question" }).fill('Where does "the" appear?');
  await page.keyboard.press("Enter");
  await column.getByText("stands in").waitFor();
  await column
    .getByRole("link", { name: /console\.|network\.|agent\.action|assertion/ })
    .first()
    .click();
  await eventually(() => expect(new URL(page.url()).searchParams.get("event")).not.toBeNull());
  await page.getByRole("textbox", { name: "Your question" }).focus();
  await page.keyboard.press("Escape");
  expect(await column.count()).toBe(0);
  // What was begun is kept while the column is closed, and a question that did not arrive comes back.
  await page.keyboard.press("a");
  await field.fill("How long did it");
  await page.keyboard.press("Escape");
  await column.waitFor({ state: "detached" });
  await page.keyboard.press("a");
  expect(await field.inputValue()).toBe("How long did it");
  const said = await column.locator(".ask-question").count();
  await page.route("**/messages", (route) => route.abort());
  await field.fill("How long did it take?");
  await page.keyboard.press("Enter");
  await column.getByRole("alert").waitFor();
  await eventually(async () => expect(await field.inputValue()).toBe("How long did it take?"));
  expect(await column.locator(".ask-question").count()).toBe(said);
  await page.unroute("**/messages");
  complaints.splice(0);
  // What was said is there again, also after the page was loaded anew.
  await page.reload();
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await column.getByText("The slowest").waitFor();
  await field.focus();
  await page.keyboard.press("Escape");
  await column.waitFor({ state: "detached" });
  const opener = page.getByRole("button", { name: "Ask", exact: true });
  expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await column.getByRole("button", { name: "Chats" }).click();
  await page.getByRole("menuitem", { name: "New chat" }).click();
  await column.getByRole("button", { name: "Is it flaky?" }).waitFor();
  expect(
    await column.getByRole("combobox", { name: "Chats about this trace" }).locator("option").count(),
  ).toBe(2);
  expect(complaints).toEqual([]);
  await context.close();
});

test.each(["dark", "light"] as const)(
  "on a phone it is a sheet, and a link in an answer gives way to what it shows (%s)",
  async (theme) => {
    const { page, context } = await viewer.open(`/traces/${id}`, {
      size: PHONE,
      isPhone: true,
      theme,
    });
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const sheet = page.getByRole("complementary", { name: "Ask about this trace" });
    const field = sheet.getByRole("textbox", { name: "Your question" });
    await field.fill("What were the steps?");
    await field.press("Enter");
    await sheet.getByText("The slowest").last().waitFor();
    expect(await overflow(page)).toBe(0);
    await picture(page, `ask-phone-${theme}`);
    expect(await findings(page)).toEqual([]);
    await sheet.getByRole("link", { name: "step 2", exact: true }).last().click();
    await sheet.waitFor({ state: "detached" });
    await context.close();
  },
);

test("a question that is sent before the chat is there waits for it, and comes back where there is none", async () => {
  const { page, context } = await viewer.open(`/traces/${id}`);
  const column = page.getByRole("complementary", { name: "Ask about this trace" });
  const field = column.getByRole("textbox", { name: "Your question" });
  const chats = Promise.withResolvers<"continue" | "abort">();
  await page.route("**/chats*", async (route) => route[await chats.promise]());
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await field.fill("How long did it take?");
  await field.press("Enter");
  await column.getByText("Looking…").waitFor();
  expect(await field.inputValue()).toBe("");
  chats.resolve("abort");
  await column.getByRole("alert").waitFor();
  expect(await field.inputValue()).toBe("How long did it take?");
  await page.unroute("**/chats*");
  await field.press("Enter");
  await column.locator(".ask-question", { hasText: "How long did it take?" }).last().waitFor();
  await column.getByText("Rules, no model · free").last().waitFor();
  expect(await column.getByRole("alert").count()).toBe(0);
  await context.close();
});

test("a shared page has no chat: no button, no key", async () => {
  await post(viewer.app, `/v1/traces/${id}/share`, { visibility: "public-read" });
  const { page, context } = await viewer.open(`/r/${shortId}`, { isSignedIn: false });
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await page.keyboard.press("a");
  expect(await page.getByRole("button", { name: "Ask", exact: true }).count()).toBe(0);
  expect(await page.getByRole("complementary").count()).toBe(0);
  await context.close();
});

test("a model's answer streams, can be stopped, and puts neither image nor link nor HTML into the page", async () => {
  const model = createModelServer();
  const asking = await viewerApp({ settings: { debugger: { base_url: model.baseUrl, model: "tiny" } } });
  try {
    const { id: of } = await asking.ingest("v10-failing");
    const { page, context } = await asking.open(`/traces/${of}`);
    await page.keyboard.press("a");
    const column = page.getByRole("complementary", { name: "Ask about this trace" });
    const field = column.getByRole("textbox", { name: "Your question" });
    await column.getByText("tiny answers.").waitFor();
    model.replies(() => ({ chunks: [said("Half of an answer ")], ending: "stall" }));
    await field.fill("Why?");
    await field.press("Enter");
    await column.getByText("Half of an answer").waitFor();
    await column.getByRole("button", { name: "Stop" }).click();
    await column.getByText("cut off").waitFor();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    model.asked.length = 0;
    model.replies((_, count) =>
      count === 1
        ? { chunks: [called("get_cause", {})] }
        : answer(
            '![x](http://evil.example/a.png) <img src="http://evil.example/b.png"> [out](http://evil.example/) [in](step:1) **bold** <script>alert(1)</script>',
          ),
    );
    await field.fill("And now?");
    await field.press("Enter");
    await column.getByText("bold").waitFor();
    await column
      .getByText(/tiny · /)
      .nth(1)
      .waitFor();
    const html = await column.locator(".ask-text").last().innerHTML();
    expect(html).not.toMatch(/<(?:img|script|iframe)\b|href="(?!\?)/);
    expect(requests.filter((url) => url.includes("evil"))).toEqual([]);
    await picture(page, "ask-model");
    await context.close();
  } finally {
    model.close();
    await asking.close();
  }
});
