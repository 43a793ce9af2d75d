import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { compareObservations, type Observation } from "../../server/run/shadows/compare.ts";
import { insertRun } from "../../store/records/runs.ts";
import { upsertScenario } from "../../store/records/scenarios.ts";
import { insertShadowDiff, setShadowDiffResult } from "../../store/records/shadow-diffs.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

let viewer: ViewerApp;
let trace: { id: string };
beforeAll(async () => {
  viewer = await viewerApp();
  trace = await viewer.ingest("v10-passing");
});
afterAll(async () => {
  await viewer.close();
  await closeBrowser();
});

const seen = (body: object, more: Partial<Observation> = {}): Observation => ({
  method: "GET",
  url: "https://api.payments.test/v1/payment_intents/pi_3Nx81aB2",
  status: 200,
  headers: { "content-type": "application/json" },
  body: body as never,
  seq: 3,
  ts: 1_795_303_839_000,
  step_id: null,
  ...more,
});

/** A shadow diff whose runs have ended, or are yet to be made. */
async function shadowDiff(
  result: { production: Observation[]; clone: Observation[] } | null,
): Promise<string> {
  const { deps, orgId } = viewer.app;
  const { records } = deps.store;
  const now = deps.clock.now();
  const { id: scenario_id } = await upsertScenario(records, {
    ...{ id: deps.ids.uuid(), orgId, slug: "gift-card-is-paid", title: "A gift card is paid", now },
  });
  const ids = [deps.ids.uuid(), deps.ids.uuid(), deps.ids.uuid()] as const;
  for (const [at, id] of ids.entries())
    await insertRun(records, {
      id,
      org_id: orgId,
      type: at === 0 ? "manual" : "shadow_diff",
      status: result ? "passed" : "queued",
      scenario_id,
      scenario_slug: "gift-card-is-paid",
      region: "us-east-1",
      trigger: "api",
      plan: "{}",
      trace_id: result ? trace.id : null,
      scheduled_at: now,
    });
  const [production_run_id, repeated_run_id, run_id] = ids;
  await insertShadowDiff(records, { run_id, production_run_id, repeated_run_id, result: null });
  if (result) await finish(run_id, result);
  return run_id;
}

async function finish(
  id: string,
  { production, clone }: { production: Observation[]; clone: Observation[] },
) {
  const compared = compareObservations(production, structuredClone(production), clone);
  await setShadowDiffResult(
    viewer.app.deps.store.records,
    id,
    JSON.stringify({ production: { observations: production }, clone: { observations: clone }, ...compared }),
  );
}

const DRIFT = {
  production: [
    seen({ id: "pi_3Nx81aB2", capture_method: "automatic_async", network_fee: 35, items: [1, 2] }),
  ],
  clone: [
    seen(
      { id: "pi_clone_1", capture_method: "automatic", items: [1, "<img src=x onerror=alert(1)>"] },
      { url: "https://api.payments.test/v1/payment_intents/pi_clone_1", seq: 5 },
    ),
  ],
};

test("the fields that differ show with what each side has, noise is folded, and requests open in their traces", async () => {
  const { page, context, complaints } = await viewer.open(`/shadow-diff/${await shadowDiff(DRIFT)}`);
  const table = page.getByRole("table", { name: "Fields that differ" });
  await table.waitFor();
  await picture(page, "shadow-light");
  await eventually(async () =>
    expect(await page.locator(".shadow-summary").innerText()).toBe(
      "3 fields differ in 1 request to third parties",
    ),
  );
  const fee = table.getByRole("row").filter({ hasText: "body /network_fee" });
  await eventually(async () =>
    expect(await fee.getByRole("cell").allInnerTexts()).toEqual(["35", "none", "35"]),
  );
  await eventually(async () => expect(await table.innerText()).toContain("<img src=x onerror=alert(1)>"));
  await eventually(async () =>
    expect(await page.getByRole("table", { name: "Noise" }).isVisible()).toBe(false),
  );
  await page.getByText("1 field left out as noise").click();
  await page.getByText("An identifier of the run").waitFor();
  await table.getByRole("link", { name: "in production" }).click();
  await page.waitForURL(`**/traces/${trace.id}?tab=network&event=3`);
  await page.goBack();
  await table.waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a diff that is not made yet shows itself when it is", async () => {
  const id = await shadowDiff(null);
  const { page, context } = await viewer.open(`/shadow-diff/${id}`);
  await page.getByText("Not compared yet.").waitFor();
  await finish(id, { production: DRIFT.production, clone: DRIFT.production });
  await page.getByText("The clones answer as production does").waitFor();
  await page.goto(`${viewer.base}/shadow-diff/${viewer.app.deps.ids.uuid()}`);
  await page.getByRole("alert").waitFor();
  await context.close();
});

test("a scenario with clones is compared from its own page", async () => {
  const text = `---\nslug: pays\ntitle: Pays\nbase_url: http://localhost:1\nclones: [{ service: payments, match: "https://api.payments.test/**" }]\n---\n1. go to "/"\n`;
  const files = [{ path: "pays.scenario.md", text }];
  await viewer.app.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files }) });
  const { page, context, complaints } = await viewer.open("/scenarios/pays");
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByLabel("Compare its clones with production").check();
  await picture(page, "shadow-ask");
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL("**/shadow-diff/*");
  await page.getByText("Not compared yet.").waitFor();
  const id = page.url().split("/").at(-1)!;
  await page.goto(`${viewer.base}/runs/${id}`);
  await page.getByRole("link", { name: "clones against production" }).click();
  await page.getByText("Not compared yet.").waitFor();
  await page.goto(`${viewer.base}/runs/${id}`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Run again" }).click();
  expect(await page.getByLabel("Compare its clones with production").isChecked()).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

for (const theme of ["light", "dark"] as const)
  test(`axe finds nothing, and it fits a phone, ${theme}`, async () => {
    const id = await shadowDiff(DRIFT);
    for (const options of [{ theme }, { theme, size: { width: 390, height: 844 }, isPhone: true }]) {
      const { page, context } = await viewer.open(`/shadow-diff/${id}`, options);
      await page.getByRole("table", { name: "Fields that differ" }).waitFor();
      await page.getByText("1 field left out as noise").click();
      await picture(page, `shadow-${theme}${"size" in options ? "-phone" : ""}`);
      expect(await findings(page)).toEqual([]);
      await eventually(async () => expect(await overflow(page)).toBeLessThanOrEqual(0));
      await context.close();
    }
  });
