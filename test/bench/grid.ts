import { toIso } from "../../server/platform/clock.ts";
import { insertCheck } from "../../store/records/checks.ts";
import { type TestApp, testApp } from "../helpers/app.ts";
import { scenarioText, syncScenarios } from "../helpers/watch.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

const FULL = { scenarios: 500, rounds: 60 };
const SMALL: typeof FULL = { scenarios: 20, rounds: 5 };
const REGIONS = ["us-east-1", "eu-west-1", "ap-south-1", "us-west-2", "ap-southeast-1", "sa-east-1"];
const LIMIT_MS = 20;
const HISTORY = 30;
const AT_ONCE = 200;

/** What the grid of 500 scenarios in six regions costs the processor, against 20 ms and against its rows and its JSON alone. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const { scenarios, rounds } = isSmall ? SMALL : FULL;
  const t = await testApp({ settings: { rate_limits: { reads_per_minute: 1_000_000 }, plan: "enterprise" } });
  try {
    await fill(t, scenarios);
    const ask = async () => (await t.api("/v1/monitoring/grid")).text();
    const grid = JSON.parse(await ask()) as { cells: unknown[] };
    if (grid.cells.length !== scenarios * REGIONS.length) throw new Error(`${grid.cells.length} cells`);
    const bare = async () => {
      await t.store.records.selectFrom("grid_cells").selectAll().execute();
      return JSON.stringify(grid);
    };
    const [whole, least] = [[] as number[], [] as number[]];
    for (let round = 0; round < rounds; round++) {
      whole.push(await processorMs(ask));
      least.push(await processorMs(bare));
    }
    const [took, against] = [median(whole), median(least)];
    const what = `grid of ${scenarios} × ${REGIONS.length}`;
    return [
      figure(
        `${what} in milliseconds`,
        took / LIMIT_MS,
        1,
        `${took.toFixed(1)} ms of the processor against ${LIMIT_MS} ms`,
      ),
      figure(
        `${what} beside its rows and its JSON alone`,
        took / against,
        3,
        `${took.toFixed(1)} ms of the processor against ${against.toFixed(1)} ms`,
      ),
    ];
  } finally {
    await t.close();
  }
}

function figure(name: string, ratio: number, most: number, detail: string): BenchResult {
  return { name, ratio, target: `≤ ${most}`, ok: ratio <= most, detail };
}

/** Checks of as many scenarios in six regions, whose cells are all drawn; each has a history of its own. */
async function fill(t: TestApp, scenarios: number): Promise<void> {
  const { records } = t.store;
  const slugs = Array.from({ length: scenarios }, (_, at) => `flow-${at}`);
  for (let at = 0; at < slugs.length; at += AT_ONCE)
    await syncScenarios(
      t,
      Object.fromEntries(slugs.slice(at, at + AT_ONCE).map((slug) => [slug, scenarioText(slug)])),
    );
  const rows = await records.selectFrom("scenarios").select("id").execute();
  const now = t.clock.now();
  for (const { id } of rows) {
    await insertCheck(
      records,
      {
        ...{ id: t.deps.ids.uuid(), org_id: t.orgId, scenario_id: id, origin: "api", cron: "* * * * *" },
        ...{
          timezone: "UTC",
          regions: JSON.stringify(REGIONS),
          shadow_prod: 0,
          alert_policy: "{}",
          enabled: 1,
        },
        ...{ paused_at: null, paused_until: null, paused_by: null, next_run_at: now, last_run_at: now },
        ...{ last_tick_at: now, counts_from: now, created_at: now, updated_at: now },
      },
      Number.MAX_SAFE_INTEGER,
    );
    const cells = REGIONS.map((region, at) => ({
      ...{ scenario_id: id, region, org_id: t.orgId, last_run_id: t.deps.ids.uuid(), last_run_at: now + at },
      last_status: "passed" as const,
      history: JSON.stringify(
        Array.from({ length: HISTORY }, () => (Math.random() < 0.1 ? "failing" : "passing")),
      ),
      ...{ p50_ms: 1000 + at, p99_ms: 2000 + at },
    }));
    await records.insertInto("grid_cells").values(cells).execute();
  }
  if (rows.length !== scenarios) throw new Error(`${rows.length} scenarios at ${toIso(now)}`);
}

/** Of one call, in ms: what others do on the machine is no part of it. */
async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
