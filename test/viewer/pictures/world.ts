import { type Shop, startShop } from "../../../fixtures/app/shop.ts";
import { SAMPLES, type Sample } from "../../../fixtures/samples.ts";
import { scenariosFor } from "../../../fixtures/scenarios.ts";
import { upsertScenario } from "../../../store/records/scenarios.ts";
import type { NewTrace } from "../../../store/records/traces.ts";
import { createTestClock, type TestClock } from "../../helpers/app.ts";
import { failed, past } from "../../helpers/past.ts";
import { type ViewerApp, viewerApp } from "../../helpers/viewer.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const KETTLE = "guest-buys-a-kettle";

export interface PicturedWorld {
  viewer: ViewerApp;
  /** Ids of sample traces, the newest of each scenario. */
  traces: Map<string, { id: string; shortId: string }>;
  /** The trace that the kettle's last attempt left, and the one that passed before. */
  broken: { id: string; shortId: string };
  passed: { id: string; shortId: string };
  close(): Promise<void>;
}

/** Days of a scenario that was steady, broke for a while, and was mended. */
function history(title: string, seed: number, days: number): Partial<NewTrace>[] {
  return Array.from({ length: days }, (_, day) => {
    const at = {
      scenario_title: title,
      code_sha: `${(0x3a5ec0b1 + seed + Math.floor(day / 2) * 7919).toString(16)}`,
    };
    const took = 3000 + ((day * 37 + seed * 11) % 9) * 110;
    const isBroken = day % (7 + seed) === 4 || (day > 12 && day < 12 + seed);
    if (!isBroken) return { ...at, duration_ms: took, source: "schedule" as const };
    const message = seed % 2 === 0 ? "locator.click: Timeout 5000ms exceeded." : "Ledger answered 503.";
    return failed(`${seed}`.repeat(16), {
      ...at,
      duration_ms: took + 5000,
      failure_message: message,
      source: "schedule",
    });
  });
}

/** A clock that goes on, for what takes its time, and that can be put forward. */
function createShiftedClock(shift: number): TestClock {
  const test = createTestClock();
  let ahead = shift;
  return {
    ...test,
    now: () => Date.now() + ahead,
    monotonic: () => performance.now(),
    advance(ms) {
      ahead += ms;
    },
    set(ms) {
      ahead = ms - Date.now();
    },
  };
}

/** What `tracedeck demo` has, with some weeks behind it and a run of each sample scenario. */
export async function picturedWorld(): Promise<PicturedWorld> {
  const clock = createShiftedClock(-29 * DAY);
  const viewer = await viewerApp({ clock });
  const shop = startShop();
  const { app } = viewer;
  const titles = new Map(SAMPLES.map(({ scenarioSlug, title }) => [scenarioSlug, title]));
  const seeds = Object.entries({
    "orders-in-admin": 6,
    "member-signs-in": 9,
    [KETTLE]: 3,
    recommendations: 2,
  });
  const pasts = seeds.map(([slug, seed]) => ({ slug, rows: history(titles.get(slug) ?? slug, seed, 26) }));
  for (let day = 0; day < 26; day++) {
    for (const { slug, rows } of pasts)
      await past(app, slug, rows.slice(day, day + 1), { apartMs: 17 * MINUTE });
    clock.advance(DAY - pasts.length * 17 * MINUTE);
  }
  for (const [slug, title] of titles) await name(viewer, slug, title);
  clock.set(Date.now() - 26 * 60 * MINUTE);
  await runScenarios(viewer, shop);
  const traces = new Map<string, { id: string; shortId: string }>();
  const kettles: { id: string; shortId: string }[] = [];
  for (const [index, sample] of SAMPLES.entries()) {
    clock.set(Date.now() - (SAMPLES.length - index) * 23 * MINUTE);
    const made = await upload(viewer, sample);
    traces.set(sample.scenarioSlug, made);
    if (sample.scenarioSlug === KETTLE) kettles.push(made);
  }
  clock.set(Date.now());
  const [passed, broken] = [kettles.at(-3), kettles.at(-1)];
  if (!passed || !broken) throw new Error(`The samples hold fewer than three traces of ${KETTLE}.`);
  return {
    viewer,
    traces,
    broken,
    passed,
    async close() {
      await viewer.close();
      await shop.stop();
    },
  };
}

async function name({ app }: ViewerApp, slug: string, title: string): Promise<void> {
  const { deps, orgId } = app;
  await upsertScenario(deps.store.records, { id: deps.ids.uuid(), orgId, slug, title, now: app.clock.now() });
}

/** One that fails: the shop has kettles enough. */
const soldOut = (url: string): string => `---
slug: kettle-sells-out
title: The last kettle sells out
base_url: ${url}
covers: ["src/**"]
---
1. go to "/"
2. click testid "add-kettle"
3. expect text "Sold out" within 500ms
`;

async function runScenarios({ app }: ViewerApp, shop: Shop): Promise<void> {
  const files = scenariosFor(shop.url).map(({ name, text }) => ({ path: name, text }));
  files.splice(3, 0, { path: "kettle-sells-out.scenario.md", text: soldOut(shop.url) });
  await app.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files }) });
  for (const { path } of files) {
    const scenarioId = path.replace(".scenario.md", "");
    await app.api("/v1/runs/manual", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scenarioId }),
    });
    await app.runJobs();
    app.clock.advance(11 * MINUTE);
  }
}

async function upload({ app }: ViewerApp, sample: Sample): Promise<{ id: string; shortId: string }> {
  const form = new FormData();
  const fields = {
    scenario_slug: sample.scenarioSlug,
    source: sample.source,
    commit_sha: sample.commit,
    pr_number: sample.prNumber,
    run_id: sample.run?.id,
    attempt: sample.run?.attempt,
  };
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) form.set(key, String(value));
  form.set("bundle", Bun.file(sample.path), sample.path.split("/").at(-1) ?? "bundle");
  const response = await app.api("/v1/traces/ingest", { method: "POST", body: form });
  if (!response.ok) throw new Error(`A sample was refused: ${await response.text()}`);
  const answer = (await response.json()) as { trace_id: string; short_id: string };
  await app.runJobs();
  return { id: answer.trace_id, shortId: answer.short_id };
}
