import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, openPage } from "../helpers/browser.ts";
import { uploadForm } from "../helpers/bundles.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const BUNDLE = join(import.meta.dir, "../../fixtures/bundles/checkout-recorded/bundle.tar.zst");

let viewer: ViewerApp;
let folder: string;
let id: string;

beforeAll(async () => {
  viewer = await viewerApp();
  folder = mkdtempSync(join(tmpdir(), "tracedeck-motion-"));
  const body = uploadForm(await Bun.file(BUNDLE).bytes(), { scenario_slug: "guest-pays" });
  const answer = await viewer.app.api("/v1/traces/ingest", { method: "POST", body });
  id = ((await answer.json()) as { trace_id: string }).trace_id;
  await viewer.app.runJobs();
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  rmSync(folder, { recursive: true, force: true });
});

test("from the dialog that says what is in it, a file is saved that replays the page and shows the video offline", async () => {
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  await page.getByRole("button", { name: "Hand over" }).click();
  await page.getByRole("menuitem", { name: "One HTML page" }).click();
  const dialog = page.getByRole("dialog", { name: "One HTML page" });
  const lines = dialog.getByRole("list", { name: "What is in the page" }).getByRole("listitem");
  await lines.filter({ hasText: /^DOM recording\d/ }).waitFor();
  await lines.filter({ hasText: /^Video\d/ }).waitFor();
  await picture(page, "export-dialog");
  expect(await findings(page)).toEqual([]);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("link", { name: /^Download \(/ }).click(),
  ]);
  const path = join(folder, "trace.html");
  await saved.saveAs(path);
  expect(complaints).toEqual([]);
  await context.close();

  const file = await openPage();
  const asked: string[] = [];
  await file.context.setOffline(true);
  const own = pathToFileURL(path).href;
  file.page.on("request", (request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(own))
      asked.push(request.url());
  });
  await file.page.goto(`${own}#view=replay`);
  const replayed = file.page
    .frameLocator('iframe[title="The page, replayed"]')
    .frameLocator('iframe[title="Replay"]')
    .frameLocator("iframe");
  await replayed.getByText("We could not place your order.").waitFor();
  await file.page.getByRole("slider", { name: "Playing position" }).fill("4000");
  await replayed.getByRole("heading", { name: "Your cart" }).waitFor();
  await picture(file.page, "html-file-replay");
  // What replays has no origin, and its page runs nothing.
  const inner = file.page.frames().find((frame) => frame.url().startsWith("data:"))!;
  expect(await inner.evaluate(() => window.origin)).toBe("null");
  expect(await inner.evaluate(() => document.querySelector("iframe")!.getAttribute("sandbox"))).toBe(
    "allow-same-origin",
  );
  await file.page.getByRole("button", { name: "Video", exact: true }).click();
  const video = file.page.locator("video.stage-video");
  await video.waitFor();
  await file.page.waitForFunction(() => (document.querySelector("video")?.videoWidth ?? 0) > 0);
  await file.page.getByText(/^Video of \d/).waitFor();
  await picture(file.page, "html-file-video");
  expect(asked).toEqual([]);
  expect(file.complaints).toEqual([]);
  await file.context.close();
});
