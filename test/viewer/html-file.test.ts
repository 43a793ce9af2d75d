import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, openPage, type PageOptions, PHONE, type WatchedPage } from "../helpers/browser.ts";
import { blob, events, sha256 } from "../helpers/bundles.ts";
import { uploadTrace, withoutPasses } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let folder: string;
let failing: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  folder = mkdtempSync(join(tmpdir(), "tracedeck-html-"));
  failing = await viewer.ingest("v10-failing");
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the exported page of a trace to the disk. */
async function exported(id: string, query = ""): Promise<string> {
  const response = await viewer.app.api(`/v1/traces/${id}/export.html${query}`);
  if (response.status !== 200) throw new Error(await response.text());
  const path = join(folder, `${id}.html`);
  await Bun.write(path, response);
  return path;
}

/** Opens a file from the disk in a browser without a network. What it asks for all the same is noted. */
async function openFile(
  path: string,
  options: PageOptions & { fragment?: string } = {},
): Promise<WatchedPage & { asked: string[] }> {
  const watched = await openPage(options);
  const asked: string[] = [];
  await watched.context.setOffline(true);
  const own = pathToFileURL(path).href;
  watched.page.on("request", (request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(own))
      asked.push(request.url());
  });
  await watched.page.goto(own + (options.fragment ?? ""));
  return { ...watched, asked };
}

test("a failed trace opens from the disk at its failure, and every panel works without a network", async () => {
  const path = await exported(failing.id);
  const { page, context, complaints, asked } = await openFile(path);
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await page.getByRole("img", { name: /^The page, Screenshot at/ }).waitFor();
  await eventually(async () => expect(await page.title()).toContain("Tracedeck"));
  await picture(page, "html-file");
  // Nothing that needs a server is offered.
  await eventually(async () => expect(await page.getByRole("button", { name: "Share" }).count()).toBe(0));
  await eventually(async () => expect(await page.getByRole("link", { name: "All traces" }).count()).toBe(0));

  await page.keyboard.press("Home");
  await page.getByRole("treeitem", { name: /Click.*Pay now/ }).click();
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  await page.getByRole("button", { name: /^\/api\/checkout/ }).click();
  await page.getByRole("button", { name: "Response", exact: true }).click();
  await page.getByRole("tabpanel").getByText("ledger").first().waitFor();
  await picture(page, "html-file-network");
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await page.getByText("checkout failed").first().waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.getByRole("list", { name: "Events" }).getByRole("listitem").first().waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.getByText("This file was made").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await page.getByText("No step attached a file. Those of the whole trace stay").waitFor();
  await eventually(async () => expect(await page.getByText("Pinned", { exact: true }).count()).toBe(0));
  expect(asked).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("recorded pages are put together in the file, with their styles and frames, and run nothing", async () => {
  const { page, context, complaints, asked } = await openFile(await exported(failing.id));
  await page.getByRole("button", { name: "Page", exact: true }).click();
  await page.getByRole("treeitem", { name: /Click.*Pay now/ }).click();
  const frame = page.locator('iframe[title="The page, action"]');
  const content = frame.contentFrame();
  const button = content.getByRole("button", { name: "Pay now" });
  await button.waitFor();
  await eventually(async () => expect(await frame.getAttribute("sandbox")).toBe(""));
  await eventually(async () =>
    expect(await content.getByLabel("Email").inputValue()).toBe("ada@example.com"),
  );
  const served = await viewer.open(`/traces/${failing.id}`);
  await served.page.getByRole("button", { name: "Page", exact: true }).click();
  await served.page.getByRole("treeitem", { name: /Click.*Pay now/ }).click();
  const original = served.page.locator('iframe[title="The page, action"]').contentFrame();
  await original.getByRole("button", { name: "Pay now" }).waitFor();
  const look = (element: Element) => {
    const { backgroundColor, fontFamily, padding } = getComputedStyle(element);
    return { backgroundColor, fontFamily, padding };
  };
  await eventually(async () =>
    expect(await button.evaluate(look)).toEqual(
      await original.getByRole("button", { name: "Pay now" }).evaluate(look),
    ),
  );
  await content.locator("iframe").first().contentFrame().getByLabel("Card number").waitFor();
  await picture(page, "html-file-page");
  const inner = page.frames().find((one) => one.url().startsWith("blob:"))!;
  await eventually(async () => expect(await inner.evaluate(() => window.origin)).toBe("null"));
  expect(asked).toEqual([]);
  expect(complaints).toEqual([]);
  await served.context.close();
  await context.close();
});

test("the file's address holds step, tab and search; back, forward and reload keep them", async () => {
  const path = await exported(failing.id);
  const { page, context, complaints } = await openFile(path);
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await page.keyboard.press("/");
  const field = page.getByRole("combobox", { name: "Find in this trace" });
  await field.fill("LEDGER");
  await page.getByText("Nothing here has “LEDGER”.").waitFor();
  await field.fill("ledger");
  const hits = page.getByRole("listbox", { name: "Hits" }).getByRole("option");
  await hits.first().waitFor();
  await picture(page, "html-file-find");
  await page.keyboard.press("Enter");
  // The place is written at once, what is looked for a moment after it was typed.
  await page.waitForURL(/#(?=.*find=ledger)(?=.*event=)/);
  const address = page.url();
  expect(new URL(address).search).toBe("");
  await page.reload();
  await hits.first().waitFor();
  await eventually(() => expect(page.url()).toBe(address));
  expect(complaints).toEqual([]);
  await context.close();
});

test("report and prompt are in the file", async () => {
  const { page, context, complaints } = await openFile(await exported(failing.id));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy as prompt" }).click();
  await page.getByText("Prompt copied.").waitFor();
  await eventually(async () =>
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      withoutPasses(await (await viewer.app.api(`/v1/traces/${failing.id}/prompt.md`)).text()),
    ),
  );
  await page.getByRole("button", { name: "Hand over" }).click();
  const coming = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Report (Markdown)" }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe(`trace-${failing.shortId}.md`);
  expect(await Bun.file(await download.path()).text()).toBe(
    withoutPasses(await (await viewer.app.api(`/v1/traces/${failing.id}/report.md`)).text()),
  );
  expect(complaints).toEqual([]);
  await context.close();
});

test("on a phone and in the dark it is as usable, and axe finds nothing", async () => {
  const path = await exported(failing.id);
  for (const options of [{ theme: "dark" as const }, { size: PHONE, isPhone: true }]) {
    const { page, context, complaints } = await openFile(path, options);
    await page.getByRole("button", { name: "More actions" }).waitFor();
    await page.getByText("Timeout 1500ms exceeded.").first().waitFor();
    expect(await findings(page)).toEqual([]);
    await eventually(async () => expect(await overflow(page)).toBe(0));
    await picture(page, options.size ? "html-file-phone" : "html-file-dark");
    expect(complaints).toEqual([]);
    await context.close();
  }
});

const RUN = "window.__ran=1";
const EVIL = `</script><script>${RUN}</script><!--<script><img src=x onerror="${RUN}">]]>\u202e\u2028`;

test("recorded text ends no element of the file and runs nothing", async () => {
  const page_ = `<!doctype html><title>x</title>${EVIL}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"><script>${RUN}</script></svg>`;
  const lines = [
    {
      kind: "agent.action",
      step_id: EVIL,
      name: EVIL,
      title: EVIL,
      params: { [EVIL]: EVIL },
      duration_ms: 4,
    },
    {
      kind: "network.response",
      step_id: EVIL,
      request_id: "1",
      method: "GET",
      url: `https://x/${EVIL}`,
      status: 500,
      headers: [{ name: EVIL, value: EVIL }],
      media_type: "text/html",
      body: `sha256:${sha256(page_)}`,
    },
    {
      kind: "network.response",
      request_id: "2",
      method: "GET",
      url: "https://x/svg",
      status: 200,
      headers: [],
      media_type: "image/svg+xml",
      body: `sha256:${sha256(svg)}`,
    },
    { kind: "assertion", step_id: "end", ok: false, message: EVIL, expected: EVIL, received: EVIL },
  ].map((event, seq) => JSON.stringify({ seq, ts: 1_767_323_045_000 + seq, ...event }));
  const { id } = await uploadTrace(viewer.app, {
    entries: [events(`${lines.join("\n")}\n`), blob(page_), blob(svg)],
    manifest: { status: "failed", scenario: { slug: "evil", title: EVIL } },
    slug: "evil",
  });
  const path = await exported(id);
  const { page, context, complaints, asked } = await openFile(path);
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await eventually(async () => expect(await page.title()).toContain("</script>"));
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  const requests = page.locator(".net-row .row-link");
  await requests.nth(0).click();
  await page.getByRole("button", { name: "Response", exact: true }).click();
  await page.getByText("<!doctype html>").first().waitFor();
  await requests.nth(1).click();
  await page.getByRole("button", { name: "Response", exact: true }).click();
  await picture(page, "html-file-hostile");
  await page.getByAltText("The body of this response").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.getByRole("list", { name: "Events" }).getByRole("listitem").first().waitFor();
  expect(await page.evaluate(() => "__ran" in window)).toBe(false);
  expect(asked).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a file that was cut short shows what it can and says so", async () => {
  const whole = await Bun.file(await exported(failing.id)).bytes();
  const path = join(folder, "cut.html");
  await Bun.write(path, whole.slice(0, whole.length - 1000));
  const { page, context } = await openFile(path);
  await page.getByRole("group", { name: "Failure" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  await page.getByText("This file was cut short").first().waitFor();
  await context.close();
});
