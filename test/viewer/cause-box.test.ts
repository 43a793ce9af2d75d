import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { closeBrowser } from "../helpers/browser.ts";
import { events } from "../helpers/bundles.ts";
import { getJson, uploadTrace } from "../helpers/traces.ts";
import { picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";
import { click, exchange, failing, run } from "../server/trace/format/cause/run.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;

beforeAll(async () => {
  viewer = await viewerApp();
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
});

test("under the cause stand the next suspects that may well be it, and not a font that is missing", async () => {
  const lines = run(
    ...exchange("/shop.html", { resource_type: "document", ts: 10 }),
    ...exchange("/fonts/inter.woff2", { resource_type: "font", status: 404, ts: 60 }),
    click("Pay", { ts: 4_000 }),
    ...exchange("/api/orders", { method: "POST", status: 500, ts: 4_010 }),
    ...exchange("/api/stock", { status: 503, ts: 4_015 }),
    failing(),
  ).map((event) => `${JSON.stringify(event)}\n`);
  const { id } = await uploadTrace(viewer.app, {
    entries: [events(lines.join(""))],
    manifest: { status: "failed" },
  });
  const { suspects } = await getJson<{ suspects: { title: string; confidence: number }[] }>(
    viewer.app,
    `/v1/traces/${id}/cause`,
  );
  const font = suspects.find(({ title }) => title.includes("inter.woff2"));
  expect(font?.confidence).toBeLessThan(0.3);
  const { page, context } = await viewer.open(`/traces/${id}`);
  const cause = page.getByRole("region", { name: "Cause" });
  const text = await cause.innerText();
  await picture(page, "cause-box");
  for (const part of ["POST /api/orders", "GET /api/stock"]) expect(text).toContain(part);
  expect(text).not.toContain("inter.woff2");
  await context.close();
});
