import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { closeBrowser } from "../helpers/browser.ts";
import { uploadForm } from "../helpers/bundles.ts";
import { type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;

beforeAll(async () => {
  viewer = await viewerApp();
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("the first screen tells what the test's own code threw, and shows the place in a helper where it did", async () => {
  const archive = Bun.file(join(import.meta.dir, "../../fixtures/releases/1.65.0/helper.zip"));
  const form = uploadForm(await archive.bytes(), { scenario_slug: "helper" });
  const response = await viewer.app.api("/v1/traces/ingest", { method: "POST", body: form });
  const { trace_id: id } = (await response.json()) as { trace_id: string };
  await viewer.app.runJobs();
  const { page, context, complaints } = await viewer.open(`/traces/${id}`);
  const cause = page.getByRole("region", { name: "Cause" });
  await cause
    .getByText(/The test's own code threw .*No currency in Total: 12.00 at .*failures\.spec\.cjs:\d+/)
    .waitFor();
  const panel = page.getByRole("tabpanel", { name: /^Error/ });
  await panel
    .getByText(/failures\.spec\.cjs:\d+/)
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
