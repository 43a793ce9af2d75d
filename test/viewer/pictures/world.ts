import { scenariosFor } from "../../../fixtures/scenarios.ts";
import { DEMO_SETTINGS, makeSamples } from "../../../server/cli/demo/make.ts";
import { systemClock } from "../../../server/platform/clock.ts";
import { addScenarios } from "../../../server/run/scenarios/sync.ts";
import { queueMoves } from "../../../server/trace/tiers/worker.ts";
import { createTestClock, type TestClock } from "../../helpers/app.ts";
import { type ViewerApp, viewerApp } from "../../helpers/viewer.ts";

/** A Thursday morning: pictures of another day are the same. */
export const NOW = Date.parse("2026-11-19T10:00:00.000Z");
const SEED = "pictures";
const SHOP = "http://localhost:4180";

export interface PicturedTrace {
  id: string;
  shortId: string;
}

export interface PicturedWorld {
  viewer: ViewerApp;
  /** Traces, the newest of each scenario. */
  traces: Map<string, PicturedTrace>;
  /** The trace that the kettle's last attempt left, and the one that passed before. */
  broken: PicturedTrace;
  passed: PicturedTrace;
  /** Short ids of runs of the suite: last night's, and the one that goes on. */
  nightly: string;
  running: string;
  close(): Promise<void>;
}

/** The wall clock stands, and who waits does so in the real time. */
const standingClock = (): TestClock => ({
  ...createTestClock(NOW),
  now: () => NOW,
  monotonic: systemClock.monotonic,
  sleep: systemClock.sleep,
});

/** What `tracedeck demo` shows, at one moment for all time. */
export async function picturedWorld(): Promise<PicturedWorld> {
  const viewer = await viewerApp({ clock: standingClock(), settings: DEMO_SETTINGS });
  const { app } = viewer;
  const ending = new AbortController();
  await addScenarios(app.deps, app.orgId, scenariosFor(SHOP));
  const making = makeSamples(app.deps, app.orgId, {
    dataDir: app.deps.config.dataDir,
    base: viewer.base,
    seed: SEED,
    signal: ending.signal,
  }).finally(() => ending.abort());
  while (!ending.signal.aborted) {
    await app.runJobs();
    await systemClock.sleep(20, ending.signal);
  }
  await making;
  // Both steps of what is old enough for the second.
  for (const _step of ["warm", "cold"]) {
    await queueMoves(app.deps);
    await app.runJobs();
  }

  const all = await get<Trace>(viewer, "/v1/traces?limit=200");
  const told = ({ id, short_id }: Trace): PicturedTrace => ({ id, shortId: short_id });
  const kettle = (status: string) =>
    told(all.find((trace) => trace.scenario_slug === "guest-buys-a-kettle" && trace.status === status)!);
  const suites = await get<{ name: string; short_id: string }>(viewer, "/v1/test-runs");
  const suite = (name: string) => suites.find((run) => run.name === name)!.short_id;
  return {
    viewer,
    traces: new Map(all.toReversed().map((trace) => [trace.scenario_slug, told(trace)])),
    broken: kettle("failed"),
    passed: kettle("passed"),
    nightly: suite("Nightly"),
    running: suite("Pull request"),
    close: () => viewer.close(),
  };
}

interface Trace {
  id: string;
  short_id: string;
  scenario_slug: string;
  status: string;
}

async function get<Item>({ app }: ViewerApp, path: string): Promise<Item[]> {
  return ((await (await app.api(path)).json()) as { items: Item[] }).items;
}
