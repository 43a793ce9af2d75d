import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser } from "../helpers/browser.ts";
import { blob, eventLines, events, sha256 } from "../helpers/bundles.ts";
import { uploadTrace } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const SCRIPT = "function pay(a){if(a>0){send(a);return true}return false}";
const FONT = new Uint8Array([0x77, 0x4f, 0x46, 0x32, 0, 1, 2, 255]);

let viewer: ViewerApp;
let pictured: { id: string };
let made: { id: string };

beforeAll(async () => {
  viewer = await viewerApp();
  pictured = await viewer.ingest("v10-runner-picture");
  const bodies = [
    ["app.js", "text/javascript", 200, `sha256:${sha256(SCRIPT)}`],
    ["inter.woff2", "font/woff2", 200, `sha256:${sha256(FONT)}`],
    ["gone", "application/json", 404, '{"error":"gone"}'],
    ["form", "application/x-www-form-urlencoded", 301, "email=ada%40example.com&total=6400"],
  ] as const;
  const lines = eventLines(bodies.length, (seq) => {
    const [name, media_type, status, body] = bodies[seq]!;
    return {
      kind: "network.response",
      request_id: `r${seq}`,
      url: `https://shop.example/${name}`,
      status,
      media_type,
      body,
      headers: [],
      duration_ms: 40,
      timing: { dns: 1, connect: 9, ssl: 5, send: 1, wait: 20, receive: 9 },
    };
  });
  made = await uploadTrace(viewer.app, { entries: [events(lines), blob(SCRIPT), blob(FONT)] });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("a WebSocket opens with its messages: direction, size, text, filters, bytes of binary ones", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${pictured.id}?tab=network`);
  await page.getByRole("button", { name: /^\/stock\/live/ }).click();
  const messages = page.getByRole("list", { name: "Messages" });
  await messages.getByRole("listitem").first().waitFor();
  await eventually(async () => expect(await page.getByText("16 of 16").count()).toBe(1));
  await page.getByRole("button", { name: "Sent", exact: true }).click();
  await page.getByText("2 of 16").waitFor();
  await eventually(async () =>
    expect(await messages.getByRole("listitem").first().innerText()).toContain('"type":"subscribe"'),
  );
  await messages.getByRole("button", { name: "(binary)" }).click();
  await page.getByText("01 00 ff 07").waitFor();
  await page.getByRole("button", { name: "Sent", exact: true }).click();
  await page.getByRole("searchbox", { name: "Filter messages" }).fill("kettle");
  await page.getByText("2 of 16").waitFor();
  await messages.getByRole("button", { name: /"left":39/ }).click();
  await page.getByRole("list", { name: "Message", exact: true }).getByText('"left": 39').waitFor();
  await picture(page, "panel-websocket");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a message that was found opens in its connection", async () => {
  const { page, context } = await viewer.open(`/traces/${pictured.id}`);
  await page.getByRole("treeitem", { selected: true }).waitFor();
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Find in this trace" }).fill("Leiden");
  await page
    .getByRole("option", { name: /Leiden/ })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("list", { name: "Message", exact: true }).getByText("Leiden").waitFor();
  await context.close();
});

test("bodies are laid out by what they are, and searched", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${made.id}?tab=network`);
  const open = async (name: RegExp): Promise<void> => {
    await page.getByRole("button", { name }).click();
    await page.getByRole("button", { name: "Response", exact: true }).click();
  };
  const body = page.getByRole("list", { name: "Response" });
  await open(/^\/app\.js/);
  await body.getByText("if(a>0){", { exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Find in the response" }).fill("RETURN");
  await page.getByText("1 of 2").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("2 of 2").waitFor();
  await eventually(async () => expect(await body.locator("mark").innerText()).toBe("return"));
  await open(/^\/inter\.woff2/);
  await body.getByText("77 4f 46 32").waitFor();
  await page.getByText("Binary data, font/woff2, 8 B").waitFor();
  await open(/^\/form/);
  await body.getByText("email = ada@example.com").waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("the tab counts bad requests of no step too", async () => {
  const { page, context } = await viewer.open(`/traces/${made.id}`);
  await page.getByRole("tab", { name: "Network 1 bad" }).waitFor();
  await context.close();
});

test("requests are narrowed by status and drawn on one scale, with their phases", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${made.id}?tab=network`);
  const rows = page.locator(".net-row:not(.table-head)");
  await rows.nth(3).waitFor();
  const lefts = await page
    .locator(".bar-whole")
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().left));
  expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
  const status = page.getByRole("combobox", { name: "Status" });
  await eventually(async () =>
    expect(await status.locator("option").allTextContents()).toEqual([
      "Any status",
      "Failed",
      "2xx",
      "3xx",
      "4xx",
    ]),
  );
  await status.selectOption("4");
  await page.getByText("1 of 4").waitFor();
  await rows.first().getByRole("button").click();
  await page.getByText("Waiting for the answer").waitFor();
  await picture(page, "panel-waterfall");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
