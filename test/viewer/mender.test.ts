import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { AttemptAnswer } from "../../server/gate/mender/model.ts";
import { diffOf } from "../../server/gate/scenario-edit/edit.ts";
import { insertAttempt, type MenderRow } from "../../store/records/mender.ts";
import { findTrace } from "../../store/records/traces.ts";
import { alertLab } from "../helpers/alerts.ts";
import { findings } from "../helpers/axe.ts";
import { closeBrowser, DESKTOP, PHONE } from "../helpers/browser.ts";
import { eventually } from "../helpers/until.ts";
import { overflow, picture, type ViewerApp, viewerApp } from "../helpers/viewer.ts";

setDefaultTimeout(240_000);

const PATH = "checkout.scenario.md";
const TEXT = `---\nslug: failing\ntitle: A guest buys beans\nmender: { mode: suggestive }\n---\n1. go to "/"\n2. click button "Add to cart" near heading "House beans, 1 kg"\n3. expect text "Cart (1)"\n`;
const PATCH = diffOf(PATH, TEXT, TEXT.replace("Add to cart", "Add to basket"));
const SOURCE = diffOf("assets/cart.js", "const a = 1;\nshow(a - 1);\n", "const a = 1;\nshow(a + 1);\n");
const HOSTILE = `<img src=x onerror=alert(1)> \u202Ereversed ${"verylongword".repeat(40)}`;

let viewer: ViewerApp;
let failed: { id: string };
let passed: { id: string };
const ids: Record<string, string> = {};
beforeAll(async () => {
  viewer = await viewerApp();
  passed = await viewer.ingest("v10-passing", { scenario_slug: "failing" });
  failed = await viewer.ingest("v10-failing", { scenario_slug: "failing" });
  await states();
});
afterAll(async () => {
  await viewer.close();
  await closeBrowser();
});

const verification = (status: string, message: string | null = null) =>
  JSON.stringify({
    ...{ status, replay_id: viewer.app.deps.ids.uuid(), from_step: 2, message },
    trace_id: status === "running" || status === "not_possible" ? null : passed.id,
    sent: [{ method: "POST", url: "http://shop.example/api/cart" }],
    left_out: [],
    unchanged: { replay_id: viewer.app.deps.ids.uuid(), trace_id: failed.id, outcome: "failed" },
  });

/** One attempt of each state that the page can meet. */
async function states(): Promise<void> {
  const { records } = viewer.app.store;
  const trace = (await findTrace(records, failed.id))!;
  const renamed = { classification: "locator_drift", patch: PATCH, patch_hash: "h" };
  const put = async (name: string, more: Partial<MenderRow>) => {
    const { deps, orgId, clock } = viewer.app;
    const id = deps.ids.uuid();
    ids[name] = id;
    clock.advance(60_000);
    await insertAttempt(records, {
      ...{ id, org_id: orgId, scenario_id: trace.scenario_id, run_id: deps.ids.uuid(), trace_id: failed.id },
      ...{ failure_signature: name === "verified" ? trace.failure_signature! : id, basis: "b" },
      ...{ promoted_replay_id: null, status: "proposed", stage: "ended", origin: "rules" },
      ...{ classification: "unknown", confidence: 0.85, path: PATH, base_text: TEXT },
      summary: 'The button "Add to cart" is the button "Add to basket" now.',
      evidence: JSON.stringify([
        {
          text: 'In the last pass the step met the button "Add to cart".',
          trace_id: passed.id,
          step_id: "s2",
          events: [],
        },
        {
          text: 'Now the button "Add to basket" stands for it, by the test id "add-beans".',
          trace_id: failed.id,
          step_id: "s2",
          events: [],
        },
      ]),
      ...{ created_at: clock.now(), updated_at: clock.now(), ...more },
    });
  };
  await put("looking", {
    stage: "diagnosing",
    confidence: 0,
    summary: "It is being looked at.",
    evidence: "[]",
  });
  await put("repeating", { stage: "repeating", classification: "locator_drift" });
  await put("verifying", { ...renamed, stage: "verifying", verification: verification("running") });
  await put("unverified", {
    ...{ ...renamed, classification: "app_regression", confidence: 0.6 },
    summary:
      "With the change the scenario passes, but it no longer sends POST /api/cart, which the last pass sent.",
    verification: verification(
      "failed",
      "With the change the scenario passes, but it no longer sends POST /api/cart, which the last pass sent.",
    ),
  });
  await put("source", {
    ...{ status: "verified", classification: "app_regression", patch_hash: "s" },
    source_patches: JSON.stringify([{ path: "assets/cart.js", diff: SOURCE }]),
    summary:
      "Since the last pass line 2 of /assets/cart.js was changed, and the patch puts back what stood there.",
    verification: verification("passed"),
  });
  await put("model", {
    ...renamed,
    status: "verified",
    origin: "model",
    tokens_used: 4210,
    verification: verification("passed"),
  });
  await put("flake", {
    status: "failed",
    classification: "flake",
    summary: "It passed when it was repeated without a change: it fails now and then.",
  });
  await put("applied", {
    ...renamed,
    status: "applied",
    pr_url: "https://code.example/acme/shop/pull/12",
    verification: verification("passed"),
  });
  await put("late", {
    ...renamed,
    status: "applied",
    pr_url: "https://code.example/acme/shop/pull/13",
    reject_reason: "The old label comes back next month.",
    verification: verification("passed"),
  });
  await put("givenUp", {
    ...renamed,
    status: "failed",
    summary: "Nobody came back to it within twelve hours, so that it was given up.",
    verification: verification("not_possible", "Nobody came back to it."),
  });
  await put("rejected", {
    ...renamed,
    status: "rejected",
    reject_reason: "The old label comes back next week.",
    verification: verification("passed"),
  });
  await put("hostile", {
    ...{ ...renamed, status: "verified", summary: HOSTILE },
    patch: diffOf(PATH, TEXT, TEXT.replace("Add to cart", HOSTILE)),
    evidence: JSON.stringify([{ text: HOSTILE, trace_id: null, step_id: null, events: [] }]),
    verification: verification("passed"),
  });
  await put("verified", { ...renamed, status: "verified", verification: verification("passed") });
}

const SEEN: Record<string, string> = {
  looking: "It is being looked at.",
  repeating: "Repeating",
  verifying: "It is being repeated from step 2 with the patch.",
  unverified: "it does not do what it did. The patch is no fix.",
  source: "The product is broken",
  model: "4,210 of a model",
  flake: "It fails now and then, without a change",
  applied: "code.example/acme/shop/pull/12",
  late: "Rejected while it was applied",
  givenUp: "It could not be repeated with the patch.",
  rejected: "The old label comes back next week.",
  hostile: "<img src=x onerror=alert(1)>",
  verified: "the scenario passes to its end",
};

for (const [name, options] of [
  ["desktop, light", { size: DESKTOP, theme: "light" }],
  ["phone, dark", { size: PHONE, theme: "dark", isPhone: true }],
] as const)
  test(`every state says what it is, fits, and axe finds nothing: ${name}`, async () => {
    const { page, context, complaints } = await viewer.open("/mender", options);
    const kept = name.replace(", ", "-");
    await page
      .getByText("4 verified")
      .or(page.getByText("A guest buys").first())
      .or(page.getByRole("table"))
      .first()
      .waitFor();
    await picture(page, `mender-list-${kept}`);
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    for (const [state, words] of Object.entries(SEEN)) {
      await page.goto(`${viewer.base}/mender/${ids[state]}`);
      await page.getByText(words).first().waitFor();
      await page.waitForLoadState("networkidle");
      await picture(page, `mender-${state}-${kept}`);
      expect({ state, found: await findings(page) }).toEqual({ state, found: [] });
      await eventually(async () => expect({ state, out: await overflow(page) }).toEqual({ state, out: 0 }));
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

test("by the keyboard a fix is rejected with a reason, and one that cannot be applied says why", async () => {
  const { page, context } = await viewer.open(`/mender/${ids.model}`);
  await page.getByRole("button", { name: "Apply" }).waitFor();
  await page.keyboard.press("a");
  await page.getByText("There is no repository to put the patch into").waitFor();
  await page.keyboard.press("x");
  await page.getByRole("dialog").waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.type("The old label comes back.");
  await page.keyboard.press("Control+Enter");
  const isRejected = async () => {
    const shown = (await (await viewer.app.api(`/v1/mender/${ids.model}`)).json()) as AttemptAnswer;
    expect(shown).toMatchObject({ status: "rejected", reject_reason: "The old label comes back." });
  };
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Reject" })
    .click({ timeout: 2000 })
    .catch(() => {});
  await eventually(isRejected);
  await page.getByText("The old label comes back.").waitFor();
  await context.close();
});

test("an incident says that its failure has a fix, of the scenario or of the product", async () => {
  const { app } = viewer;
  const lab = await alertLab({ on: app });
  const { id: traceId } = await viewer.ingest("v10-failing", { scenario_slug: "shop" });
  await lab.run("P");
  for (let count = 0; count < 2; count++) {
    app.clock.advance(60_000);
    await lab.follow(await lab.ended("F", "a", { trace_id: traceId }));
  }
  const { items } = (await (await app.api("/v1/incidents")).json()) as {
    items: { id: string; scenario_id: string; failure_signature: string }[];
  };
  const { id, scenario_id, failure_signature } = items[0]!;
  for (const [of, words, options] of [
    ["verified", "A fix of the scenario was verified", { theme: "light" }],
    ["source", "A fix of the application was verified", { theme: "dark", size: PHONE, isPhone: true }],
  ] as const) {
    await app.store.records.deleteFrom("mender_attempts").where("scenario_id", "=", scenario_id).execute();
    await app.store.records
      .updateTable("mender_attempts")
      .set({ scenario_id, failure_signature })
      .where("id", "=", ids[of]!)
      .execute();
    const { page, context } = await viewer.open(`/incidents/${id}`, options);
    const link = page.getByRole("link", { name: words });
    await link.waitFor();
    await picture(page, `mender-incident-${of}`);
    expect(await findings(page)).toEqual([]);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await link.getAttribute("href")).toBe(`/mender/${ids[of]}`);
    await context.close();
  }
});
