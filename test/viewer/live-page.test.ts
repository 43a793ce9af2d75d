import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import { createTestClock } from "../helpers/app.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { post } from "../helpers/traces.ts";
import { eventually, until } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let shop: Shop;

beforeAll(async () => {
  viewer = await viewerApp({ clock: createTestClock(Date.now()) });
  shop = startShop();
});

afterAll(async () => {
  await closeBrowser();
  await viewer.close();
  await shop.stop();
});

const SCENARIO = (base: string) => `---
slug: shopping
title: Shopping
base_url: ${base}
---
1. go to "/"
2. click testid "add-kettle"
3. expect text "Cart (1)"
4. wait 1h
`;

/** A run that goes on until it is cancelled, and its trace as soon as that has begun. */
async function startRun(): Promise<{ id: string; traceId: string; work: Promise<unknown> }> {
  const files = [{ path: "shopping.scenario.md", text: SCENARIO(shop.url) }];
  await post(viewer.app, "/v1/scenarios/sync", { files });
  const begun = await post(viewer.app, "/v1/runs/manual", { scenarioId: "shopping" });
  const { id } = (await begun.json()) as { id: string };
  const work = viewer.app.runJobs();
  let traceId: string | null = null;
  await until("the run has a trace", async () => {
    const run = await viewer.app.api(`/v1/runs/${id}`);
    traceId = ((await run.json()) as { trace_id: string | null }).trace_id;
    return traceId !== null;
  });
  return { id, traceId: traceId ?? "", work };
}

test("while a run goes on its steps have their pages, and its replay is announced for the end", async () => {
  const { id, traceId, work } = await startRun();
  const { page, context, complaints } = await viewer.open(`/traces/${traceId}?view=replay`);
  await page.getByRole("img", { name: "Live" }).waitFor();
  const words = page.getByText("The replay of the page comes when the run has ended.");
  await words.waitFor();
  await page.getByRole("button", { name: "Page", exact: true }).click();
  const shown = page.getByTitle(/^The page,/).contentFrame();
  await page.getByRole("treeitem", { name: /expect text/ }).click();
  await shown.getByText("Cart (1)").waitFor();
  await picture(page, "live-page-light");
  await page.getByRole("treeitem", { name: /go to/ }).click();
  await eventually(async () => {
    expect(await shown.getByText("Everything for the pour").count()).toBe(1);
    expect(await shown.getByText("Cart (1)").count()).toBe(0);
  });
  const phone = await viewer.open(`/traces/${traceId}?view=page`, {
    size: PHONE,
    isPhone: true,
    theme: "dark",
  });
  await phone.page.getByText("The replay of the page comes when the run has ended.").waitFor();
  await phone.page
    .getByTitle(/^The page,/)
    .contentFrame()
    .getByText("Cart (1)")
    .waitFor();
  await picture(phone.page, "live-page-phone-dark");
  await eventually(async () => expect(await overflow(phone.page)).toBe(0));
  await phone.context.close();
  await viewer.app.api(`/v1/runs/${id}/cancel`, { method: "POST" });
  await work;
  await words.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Replay", exact: true }).waitFor();
  // The summary is asked for before it is known that a running trace has none; what a page refers to is not fetched.
  const isOurs = (complaint: string) =>
    !/\/summary\)$|violates the following Content Security/.test(complaint);
  expect(complaints.filter(isOurs)).toEqual([]);
  await context.close();
});
