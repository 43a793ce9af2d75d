import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../../../fixtures/app/shop.ts";
import { scenariosFor } from "../../../../fixtures/scenarios.ts";
import type { ShadowDiffAnswer } from "../../../../server/run/shadows/model.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";

setDefaultTimeout(120_000);

let app: TestApp;
let shop: Shop;
beforeAll(async () => {
  app = await testApp();
  shop = startShop();
  const files = scenariosFor(shop.url).map(({ name, text }) => ({ path: name, text }));
  const once = files.find(({ path }) => path.startsWith("gift-card-is-paid"))!;
  const twice = {
    path: "twice.scenario.md",
    text: once.text.replace("slug: gift-card-is-paid", "slug: twice\nidempotent: true"),
  };
  await app.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files: [...files, twice] }) });
});
afterAll(async () => {
  await app.close();
  await shop.stop();
});

async function compare(scenarioId: string, more: object = {}) {
  const response = await app.api("/v1/runs/manual", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scenarioId, type: "shadow_diff", ...more }),
  });
  return { status: response.status, run: (await response.json()) as Record<string, string> };
}
/** Of the payment that a run's page made. */
async function payment({ trace_id }: { trace_id: string | null }): Promise<string> {
  const response = await app.api(`/v1/traces/${trace_id}/events?kind=network.response&limit=1000`);
  const { events } = (await response.json()) as { events: { method: string; url: string; body: string }[] };
  const made = events.find(({ method, url }) => method === "POST" && url.endsWith("/payment_intents"));
  return (JSON.parse(made!.body) as { id: string }).id;
}
const read = async (id: string) =>
  (await (await app.api(`/v1/shadow-diff/${id}`)).json()) as ShadowDiffAnswer;

describe("a shadow diff", () => {
  test("shows what the provider answers otherwise than its clone, after three runs", async () => {
    const { status, run } = await compare("gift-card-is-paid");
    expect(status).toBe(202);
    expect(run).toMatchObject({ type: "shadow_diff", status: "queued" });
    expect(await read(run.id!)).toMatchObject({ is_compared: false, diffs: [] });
    await app.runJobs();
    const diff = await read(run.id!);
    expect(diff.runs).toMatchObject({
      production: { id: run.parent_run_id, status: "passed" },
      repeated: { status: "passed" },
      clone: { id: run.id, status: "passed" },
    });
    expect(await read(run.parent_run_id!)).toEqual(diff);
    expect(diff.diffs.map(({ path, production, clone }) => [path, production, clone])).toEqual([
      ["/body/capture_method", "automatic_async", "automatic"],
      ["/body/network_fee", 35, undefined],
    ]);
    expect(diff.production.observations).toMatchObject([{ method: "GET", status: 200 }]);
    const quiet = diff.noise.map(({ path, reason }) => `${path} ${reason}`);
    expect(quiet).toContain("/body/id identifier");
    expect(quiet).toContain("/body/payment_method identifier");
    // The provider was not paid a second time: what it had answered to the first was held.
    const paid = await Promise.all([diff.runs.production, diff.runs.repeated].map(payment));
    expect(paid[0]).toStartWith("pi_");
    expect(paid[1]).toBe(paid[0]!);
  });

  test("compares every method of a scenario that may run twice, and learns what varies", async () => {
    const { run } = await compare("twice");
    await app.runJobs();
    const diff = await read(run.id!);
    expect(new Set(diff.production.observations.map(({ method }) => method))).toEqual(
      new Set(["GET", "POST"]),
    );
    expect(diff.noise).toContainEqual(expect.objectContaining({ path: "/body/id", reason: "varies" }));
    expect(diff.diffs.some(({ path }) => path === "/body/id")).toBe(false);
    expect(diff.diffs.some(({ path }) => path === "/body/capture_method")).toBe(true);
  });

  test("ends without a comparison when production cannot be observed", async () => {
    const { run } = await compare("gift-card-is-paid");
    await app.api(`/v1/runs/${run.parent_run_id}/cancel`, { method: "POST" });
    await app.runJobs();
    expect(await read(run.id!)).toMatchObject({
      is_compared: false,
      runs: {
        production: { status: "aborted" },
        clone: { status: "aborted", error: "Production was not observed: its run ended aborted." },
      },
    });
  });

  test("is refused for a scenario without clones, and unknown for other runs", async () => {
    expect(await compare("guest-buys-beans")).toMatchObject({
      status: 422,
      run: { message: expect.stringContaining("names no clones") },
    });
    const { run } = await compare("guest-buys-beans", { type: "manual" });
    expect((await app.api(`/v1/shadow-diff/${run.id}`)).status).toBe(404);
    await app.api(`/v1/runs/${run.id}/cancel`, { method: "POST" });
    expect((await app.api(`/v1/shadow-diff/${app.deps.ids.uuid()}`)).status).toBe(404);
  });
});
