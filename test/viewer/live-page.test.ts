import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import { createTestClock } from "../helpers/app.ts";
import { closeBrowser, PHONE } from "../helpers/browser.ts";
import { zstd } from "../helpers/bundles.ts";
import { post } from "../helpers/traces.ts";
import { eventually, until } from "../helpers/until.ts";
import { overflow, picture, setVisible, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

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
  // A hidden window holds no stream, and is told of the end when it is seen again.
  const streams = viewer.app.deps.hub.subscriberCount();
  await setVisible(page, false);
  await eventually(() => expect(viewer.app.deps.hub.subscriberCount()).toBeLessThan(streams));
  await viewer.app.api(`/v1/runs/${id}/cancel`, { method: "POST" });
  await work;
  expect(await words.isVisible()).toBe(true);
  await setVisible(page, true);
  await words.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Replay", exact: true }).waitFor();
  // The summary is asked for before it is known that a running trace has none; what a page refers to is not fetched.
  const isOurs = (complaint: string) =>
    !/\/summary\)$|violates the following Content Security/.test(complaint);
  expect(complaints.filter(isOurs)).toEqual([]);
  await context.close();
});

test("the step that a run is at is called what the scenario calls it, before it has told so itself", async () => {
  const steps = ['go to "/"', 'expect text "Cart (1)" within 1m'].map((source, at) => ({
    id: `s${at + 1}`,
    source,
  }));
  const begun = await post(viewer.app, "/internal/v1/runs", {
    scenario: { slug: "waiting", title: "Waiting", steps },
    region: "us-east-1",
  });
  const { run } = (await begun.json()) as { run: { id: string } };
  const opened = await post(viewer.app, "/internal/v1/traces", {
    version: 1,
    scenario: { slug: "waiting", title: "Waiting" },
    run_id: run.id,
  });
  const { trace_id: id } = (await opened.json()) as { trace_id: string };
  let seq = 0;
  const send = async (n: number, events: Record<string, unknown>[]) => {
    const lines = events.map((event) => {
      seq += 1;
      return `${JSON.stringify({ seq, ts: Date.now(), ...event })}\n`;
    });
    const answer = await viewer.app.api(`/internal/v1/traces/${id}/chunks?n=${n}`, {
      method: "POST",
      body: zstd(Buffer.from(lines.join(""))) as Uint8Array<ArrayBuffer>,
      headers: { "content-type": "application/zstd" },
    });
    expect(answer.status).toBe(200);
  };
  await send(0, [
    { kind: "agent.action", step_id: "s1", name: "go", title: 'go to "/"', duration_ms: 5 },
    { kind: "console.log", step_id: "s2", text: "catalogue shown" },
  ]);
  const { page, context } = await viewer.open(`/traces/${id}`);
  const second = page.getByRole("treeitem").nth(1);
  await second.getByText('expect text "Cart (1)" within 1m').waitFor();
  await second.getByText("under way", { exact: true }).waitFor();
  const call = page.getByRole("tabpanel");
  await second.click();
  await call.getByText("Under way", { exact: true }).waitFor();
  expect(await call.getByText("console.log", { exact: true }).count()).toBe(0);
  await page.getByText(/^at [\d.]+ s, under way$/).waitFor();
  await picture(page, "step-under-way-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, "step-under-way-dark");
  // Its own word, once it has ended, is what counts.
  await send(1, [{ kind: "assertion", step_id: "s2", ok: true, title: "expect text", duration_ms: 5 }]);
  await second.getByText("expect text", { exact: true }).waitFor();
  await second.getByText("under way", { exact: true }).waitFor({ state: "detached" });
  await call.getByText("Passed", { exact: true }).waitFor();
  await context.close();

  // Whoever reads the events stays where they are while others come.
  const many = (text: string, length: number) =>
    Array.from({ length }, () => ({ kind: "console.log", step_id: "s2", text }));
  await send(2, many("before", 140));
  const reader = await viewer.open(`/traces/${id}?tab=events`);
  const events = reader.page.getByRole("list", { name: "Events" });
  const count = reader.page.getByRole("tabpanel").getByRole("status").filter({ hasText: /^\d+$/ });
  await eventually(async () => expect(await count.innerText()).toBe("143"));
  const scrolled = 24 * 100;
  await events.evaluate((list, top) => list.scrollTo(0, top), scrolled);
  await events.getByText("101", { exact: true }).waitFor();
  await events.evaluate((list) => list.setAttribute("data-is", "the same"));
  await send(3, many("after", 80));
  await eventually(async () => expect(await count.innerText()).toBe("223"));
  expect(await events.evaluate((list) => [list.scrollTop, list.getAttribute("data-is")])).toEqual([
    scrolled,
    "the same",
  ]);
  await events.evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await events.getByText("223", { exact: true }).waitFor();
  await events.getByText(/after/).last().waitFor();
  await reader.context.close();
});
