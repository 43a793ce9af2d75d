import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, openPage, PHONE } from "../helpers/browser.ts";
import { events } from "../helpers/bundles.ts";
import { uploadTrace } from "../helpers/traces.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let failing: { id: string; shortId: string };
let secret: { id: string; shortId: string };

beforeAll(async () => {
  viewer = await viewerApp();
  failing = await viewer.ingest("v10-runner-failing");
  const headers = [
    { name: "Authorization", value: "Bearer s3cret" },
    { name: "cookie", value: "[redacted]" },
  ];
  const lines = [0, 1, 2].map((seq) => ({
    seq,
    ts: 1_767_323_045_000 + seq,
    kind: "network.request",
    request_id: `r${seq}`,
    method: "GET",
    url: "https://shop.example/me",
    headers: seq < 2 ? headers : [],
  }));
  secret = await uploadTrace(viewer.app, {
    entries: [events(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`)],
  });
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("a public link, its markup for other pages, and who opened it", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${failing.id}?tab=network`);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("treeitem", { name: /Navigate \/checkout/ }).click();
  await page.waitForURL(/step=.*tab=network|tab=network.*step=/);
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this trace" });
  await dialog
    .getByText(/No request shows an authorization or cookie header/)
    .or(dialog.getByRole("alert"))
    .waitFor();
  await dialog.getByLabel(/Anyone with the link/).check();
  // What goes wrong is said where it was pressed.
  const address = `**/v1/traces/${failing.id}/share`;
  await page.route(address, (route) =>
    route.fulfill({ status: 503, json: { error: "internal", message: "The disk is away." } }),
  );
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByRole("alert").filter({ hasText: "The disk is away." }).waitFor();
  await picture(page, "share-refused");
  expect(complaints.splice(0)).toHaveLength(1);
  await page.unroute(address);
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByText("Nobody has opened it yet.").waitFor();
  const line = dialog.locator(".share-link .command").first();
  const rightOf = async (part: typeof line) => {
    const box = await part.boundingBox();
    return box ? box.x + box.width : 0;
  };
  // The way to copy it is at the end of the link's line, however short the link is.
  await eventually(async () =>
    expect((await rightOf(line)) - (await rightOf(line.getByRole("button")))).toBeLessThan(8),
  );
  await dialog.getByText("Embed it in another page").click();
  await dialog.getByLabel("Size").selectOption("small");
  await dialog.locator(".share-embed").getByRole("button", { name: "Copy", exact: true }).click();
  // A message in passing stands within reach, and closing it closes nothing else.
  const toast = dialog.getByRole("status").filter({ hasText: "Embed code copied." });
  await toast.waitFor();
  await picture(page, "share-toast");
  await toast.getByRole("button", { name: "Dismiss" }).click();
  await toast.waitFor({ state: "detached" });
  const code = await page.evaluate(() => navigator.clipboard.readText());
  await picture(page, "share-dialog");
  await eventually(async () =>
    expect(await dialog.evaluate((host) => host.scrollWidth - host.clientWidth)).toBe(0),
  );
  const [renew, box] = [dialog.getByRole("button", { name: "Renew" }), dialog];
  const [inner, outer] = [await renew.boundingBox(), await box.boundingBox()];
  expect(outer!.x + outer!.width - (inner!.x + inner!.width)).toBeGreaterThan(12);
  expect(await findings(page)).toEqual([]);

  // The markup works in a page of another origin, and shows the step and panel that it was made at.
  const guest = await openPage();
  const wiki = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(`<!doctype html><title>wiki</title><link rel="icon" href="data:,">${code}`, {
        headers: { "content-type": "text/html" },
      }),
  });
  await guest.page.goto(wiki.url.href);
  const frame = guest.page.locator("iframe");
  await eventually(async () => expect(await frame.getAttribute("width")).toBe("800"));
  const inside = frame.contentFrame();
  await inside.getByText("Navigate /checkout").first().waitFor();
  expect(guest.complaints).toEqual([]);
  await guest.context.close();
  await wiki.stop(true);

  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Share" }).click();
  await dialog.getByText("Opened 1 time").click();
  await dialog.getByText(/Chrome \d+ on Linux in a frame/).waitFor();
  await dialog.getByText("this machine").waitFor();
  await picture(page, "share-dialog-openings");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a shared link opens with the step, tab, window and event that were shown, and asks for nothing else", async () => {
  await viewer.app.api(`/v1/traces/${failing.id}/share`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ visibility: "public-read" }),
  });
  const member = await viewer.open(`/traces/${failing.id}?tab=network`);
  await member.page.getByRole("button", { name: /^\/api\/checkout/ }).click();
  await member.page.waitForURL(/event=\d+/);
  const { search } = new URL(member.page.url());
  const step = await member.page.getByRole("treeitem", { selected: true }).innerText();
  await member.context.close();

  const guest = await openPage();
  const asked: string[] = [];
  guest.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await guest.page.goto(`${viewer.base}/r/${failing.shortId}${search}&w=3000~5000`);
  await guest.page.getByRole("group", { name: "Parts of the exchange" }).waitFor();
  await eventually(async () =>
    expect(await guest.page.getByRole("treeitem", { selected: true }).innerText()).toBe(step),
  );
  await eventually(async () =>
    expect(await guest.page.getByRole("tab", { selected: true }).innerText()).toContain("Network"),
  );
  expect(asked.filter((path) => !/^\/(r\/\w+|assets\/|files\/[\w-]+\/(blob|pages)\/)/.test(path))).toEqual(
    [],
  );
  await guest.page.getByRole("button", { name: "Hand over" }).click();
  await eventually(async () =>
    expect(await guest.page.getByRole("menuitem").allInnerTexts()).toEqual([
      "Report (Markdown)",
      "Playwright archive (zip)",
    ]),
  );
  expect(guest.complaints).toEqual([]);
  await guest.context.close();
});

test("whoever makes a trace public is told which credentials it shows", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${secret.id}`, {
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this trace" });
  const alert = dialog.getByRole("alert");
  await alert
    .getByText("Every member can read these headers with their values: authorization (2).")
    .waitFor();
  await dialog.getByLabel(/Anyone with the link/).check();
  await alert.getByText(/^Anyone with the link can read/).waitFor();
  await eventually(async () => expect(await overflow(page)).toBe(0));
  await picture(page, "share-dialog-phone");
  expect(await findings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
