import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toIso } from "../../server/platform/clock.ts";
import { insertCheck } from "../../store/records/checks.ts";
import { migrate } from "../../store/records/engine/sqlite/migrate.ts";
import { createTestClock, testApp } from "../helpers/app.ts";
import { scenarioText, syncScenarios } from "../helpers/watch.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";

/** Checks, and how often they are all due at once. */
const FULL = { checks: 5000, fires: 5 };
const SMALL: typeof FULL = { checks: 50, fires: 2 };
const REGIONS = ["us-east-1", "eu-west-1", "ap-south-1"];
const SCENARIOS = 50;
const MOST_MS = 1000;

/** How long after their fire the runs of checks are there that are all due at once, and the same rows written by SQLite alone. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const { checks, fires } = isSmall ? SMALL : FULL;
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-bench-"));
  try {
    const lags = await measure(join(folder, "store"), checks, fires);
    const rows = checks * REGIONS.length;
    const bare = await bareInserts(join(folder, "bare.db"), lags.sample, rows);
    const lag = median(lags.times.map(({ ms }) => ms));
    const processor = median(lags.times.map((time) => time.processor));
    const what = `${checks.toLocaleString("en")} checks in ${REGIONS.length} regions`;
    return [
      figure(
        `lag of the last run of ${what}`,
        lag / MOST_MS,
        1,
        `${lag.toFixed(0)} ms (${processor.toFixed(0)} ms of the processor) against ${MOST_MS} ms, median of ${fires} fires`,
      ),
      figure(
        `runs of ${what} beside bare inserts`,
        processor / bare,
        4,
        `${processor.toFixed(0)} ms of the processor against ${bare.toFixed(0)} ms for ${rows.toLocaleString("en")} rows in one transaction`,
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function figure(name: string, ratio: number, most: number, detail: string): BenchResult {
  return { name, ratio, target: `≤ ${most}`, ok: ratio <= most, detail };
}

/** Of each fire, the time from its moment to the commit of the last run; `sample` is a row that came of it. */
async function measure(dataDir: string, checks: number, fires: number) {
  const clock = createTestClock();
  const t = await testApp({ dataDir, clock });
  const { records } = t.store;
  try {
    const files = Array.from({ length: SCENARIOS }, (_, at) => `flow-${at}`);
    const ids = Object.values(
      await syncScenarios(t, Object.fromEntries(files.map((slug) => [slug, scenarioText(slug)]))),
    );
    const now = clock.now();
    await records.transaction().execute(async (trx) => {
      for (let at = 0; at < checks; at++)
        await insertCheck(
          trx,
          {
            ...{ id: t.deps.ids.uuid(), org_id: t.orgId, scenario_id: ids[at % ids.length]!, origin: "api" },
            ...{ cron: `${at % 5}-59/5 * * * *`, timezone: "UTC", regions: JSON.stringify(REGIONS) },
            ...{ shadow_prod: 0, alert_policy: "{}", enabled: 1, paused_at: null, paused_until: null },
            ...{ paused_by: null, next_run_at: now + 60_000, last_run_at: null, last_tick_at: null },
            ...{ counts_from: now, created_at: now, updated_at: now },
          },
          Number.MAX_SAFE_INTEGER,
        );
    });
    const times: Time[] = [];
    for (let fire = 0; fire < fires; fire++) {
      await records
        .updateTable("scheduled_checks")
        .set({ next_run_at: clock.now() + 60_000 })
        .execute();
      clock.advance(60_000);
      times.push(await timed(() => t.tick()));
      const { made } = await records
        .selectFrom("runs")
        .select((is) => is.fn.countAll<number>().as("made"))
        .where("status", "=", "queued")
        .executeTakeFirstOrThrow();
      if (made !== checks * REGIONS.length)
        throw new Error(`${made} runs were made at ${toIso(clock.now())}, not ${checks * REGIONS.length}.`);
      await records.updateTable("runs").set({ status: "passed" }).execute();
    }
    const sample = await records.selectFrom("runs").selectAll().limit(1).executeTakeFirstOrThrow();
    return { times, sample: sample as Record<string, string | number | null> };
  } finally {
    await t.close();
  }
}

interface Time {
  ms: number;
  /** Milliseconds of the processor: the same whatever else the machine does. */
  processor: number;
}

async function timed(work: () => Promise<void>): Promise<Time> {
  const [begin, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - begin, processor: (user + system) / 1000 };
}

/** As many rows in the same table, with its indexes, in ms of the processor. */
async function bareInserts(
  path: string,
  sample: Record<string, string | number | null>,
  rows: number,
): Promise<number> {
  const raw = new Database(path, { create: true });
  try {
    raw.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF");
    migrate(raw);
    const names = Object.keys(sample);
    const insert = raw.query(
      `INSERT INTO runs (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const write = raw.transaction(() => {
        for (let at = 0; at < rows; at++)
          insert.run(...Object.values({ ...sample, id: `${round} ${at}`, check_id: `${round} ${at}` }));
      });
      times.push((await timed(async () => write())).processor);
    }
    return median(times);
  } finally {
    raw.close();
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
